import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { useActiveQuery } from './active-query.js';
import { storeFront } from './stored-tabs.js';

/** Stores what has just been typed when the page is left. */
export function LeaveWatch() {
  const tabs = useGraphiQL((state) => state.tabs);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const hasEditors = useGraphiQL(
    ({ queryEditor, variableEditor }) => queryEditor !== undefined && variableEditor !== undefined,
  );
  const query = useActiveQuery();
  useEffect(() => {
    // Until the editors are loaded, what is stored is all there is.
    if (!hasEditors) return;
    const unmount = new AbortController();
    const store = (): void => storeFront({ tabs, activeTabIndex }, query());
    window.addEventListener('pagehide', store, { signal: unmount.signal });
    return () => unmount.abort();
  }, [hasEditors, tabs, activeTabIndex, query]);
  return null;
}
