import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { useActiveQuery } from './active-query.js';
import { storeFront } from './stored-tabs.js';

/** Stores what has just been typed when the page is left. */
export function LeaveWatch() {
  const tabs = useGraphiQL((state) => state.tabs);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const query = useActiveQuery();
  useEffect(() => {
    const unmount = new AbortController();
    const store = (): void => storeFront({ tabs, activeTabIndex }, query());
    window.addEventListener('pagehide', store, { signal: unmount.signal });
    return () => unmount.abort();
  }, [tabs, activeTabIndex, query]);
  return null;
}
