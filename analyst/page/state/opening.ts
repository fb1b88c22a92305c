import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import { createStore, useStore } from '../store/store.js';
import { activeTab } from './page-state.js';

/** A query that was put into a tab which is not yet the active one. */
interface Opening {
  /** Adopts what is known about the query, such as its best view. */
  adopt(tab: string): void;
  readonly runs: boolean;
}

/** The query that is being opened. */
export const opening = createStore<Opening | null>(null);

/** Shows and runs what was opened as soon as its tab is active. */
export function OpeningWatch() {
  const id = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id ?? '');
  const { run } = useGraphiQLActions();
  const opened = useStore(opening);
  useEffect(() => {
    if (opened === null) return;
    activeTab.set(id);
    opening.set(null);
    opened.adopt(id);
    if (opened.runs) run();
  }, [opened, id, run]);
  return null;
}
