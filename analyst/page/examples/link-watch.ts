import { useEffect } from 'react';
import { useOpenSaved } from '../saved/open-saved.js';
import { takeLinked } from './first-tabs.js';

/** Opens the query of a link that is followed while the window shows the page, when the browser loads nothing. */
export function LinkWatch() {
  const open = useOpenSaved();
  useEffect(() => {
    const unmount = new AbortController();
    const openLinked = (): void => {
      const linked = takeLinked();
      if (linked !== null) open({ operationName: null, memory: null, ...linked });
    };
    window.addEventListener('hashchange', openLinked, { signal: unmount.signal });
    return () => unmount.abort();
  }, [open]);
  return null;
}
