import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import type { Example } from '../../read-example.js';
import { activeTab, captures } from '../state/page-state.js';
import { remember } from '../state/tab-memory.js';
import { createStore, useStore } from '../store/store.js';

/** An example that was opened and is not yet shown. */
interface Opening {
  readonly view: Example['view'];
  /** Whether it runs; one that has run with the same variables does not. */
  readonly runs: boolean;
}

const opening = createStore<Opening | null>(null);

/**
 * A function that opens an example with its variables and runs it once: in the tab that has it already, which comes to
 * the front, else in a new one.
 */
export function useOpenExample(): (example: Example, variables: Example['variables']) => void {
  const { addTab, changeTab } = useGraphiQLActions();
  const tabs = useGraphiQL((state) => state.tabs);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  return ({ query, view: bestView, variables: standard }, variables) => {
    // The store of tabs lags behind the editor of the active one.
    const queryAt = (index: number): string =>
      (index === activeTabIndex ? queryEditor?.getValue() : tabs[index]?.query) ?? '';
    const at = tabs.findIndex((_, index) => queryAt(index).trim() === query.trim());
    const text = Object.keys(variables).length === 0 ? '' : JSON.stringify(variables, null, 2);
    if (at < 0) {
      addTab();
      queryEditor?.setValue(query);
      variableEditor?.setValue(text);
    } else if (at !== activeTabIndex) changeTab(at);
    const isChosen = variables !== standard && variableEditor?.getValue() !== text;
    if (isChosen) variableEditor?.setValue(text);
    const id = tabs[at]?.id;
    opening.set({ view: bestView, runs: isChosen || id === undefined || captures.of(id) === undefined });
  };
}

/** Shows and runs what was opened, as soon as its tab is the active one. */
export function OpeningWatch() {
  const id = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id ?? '');
  const { run } = useGraphiQLActions();
  const opened = useStore(opening);
  useEffect(() => {
    if (opened === null) return;
    activeTab.set(id);
    opening.set(null);
    remember({ view: opened.view }, id);
    if (opened.runs) run();
  }, [opened, id, run]);
  return null;
}
