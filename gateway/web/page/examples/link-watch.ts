import { useEffect } from 'react';
import { useOpenSaved } from '../saved/open-saved.js';
import { takeLinked } from './first-tabs.js';

/** Opens the query of a link that comes into the window while it shows the page: the browser loads nothing for that. */
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
