import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import type { Example } from '../../read-example.js';
import { operationNameOf } from '../request/operation.js';
import { foldForQuestion } from '../state/mode.js';
import { changePage, remember, resultOf, usePage } from '../state/page-state.js';
import { readMemory } from '../state/tab-memory.js';
import { useActiveQuery, useFrontTab, useOpenQuery } from './editors.js';
import type { SharedQuery } from './sharing.js';

/** Shows and runs what was opened as soon as its tab is active. */
export function useOpening(): void {
  const id = useFrontTab();
  const { run } = useGraphiQLActions();
  const opened = usePage(({ opening }) => opening);
  useEffect(() => {
    if (opened === null) return;
    changePage({ tab: id, opening: null });
    if (opened.memory !== null) remember(opened.memory, id);
    if (opened.runs) run();
  }, [opened, id, run]);
}

/**
 * A function that opens an example with its variables and runs it once: in the tab that already has it, which is
 * brought to the front, or else in a new one.
 */
export function useOpenExample(): (example: Example, variables: Example['variables']) => void {
  const { changeTab } = useGraphiQLActions();
  const { tabs, activeTabIndex, queryEditor, variableEditor } = useTabs();
  const openQuery = useOpenQuery();
  return ({ query, view, list, variables: standard }, variables) => {
    foldForQuestion();
    // The store of tabs lags behind the editor of the active one.
    const queryAt = (index: number): string =>
      (index === activeTabIndex ? queryEditor?.getValue() : tabs[index]?.query) ?? '';
    const at = tabs.findIndex((_, index) => queryAt(index).trim() === query.trim());
    const text = Object.keys(variables).length === 0 ? '' : JSON.stringify(variables, null, 2);
    if (at < 0) openQuery({ query, variables: text });
    else if (at !== activeTabIndex) changeTab(at);
    const isChosen = variables !== standard && variableEditor?.getValue() !== text;
    if (isChosen) variableEditor?.setValue(text);
    const id = tabs[at]?.id;
    // If it has already run with the same variables, it does not run again.
    const runs = isChosen || id === undefined || resultOf(id) === undefined;
    changePage({ opening: { memory: { view, list }, runs } });
  };
}

/** A saved query, or one in a link. */
interface OpenedQuery extends SharedQuery {
  readonly operationName: string | null;
}

/** A function that opens a saved query as it was, without running it: in the tab that already has it, or a new one. */
export function useOpenSaved(): (saved: OpenedQuery) => void {
  const { changeTab, setOperationName, updateActiveTabValues } = useGraphiQLActions();
  const { tabs, activeTabIndex } = useTabs();
  const openQuery = useOpenQuery();
  const readQuery = useActiveQuery();
  return ({ query, variables, operationName, memory }) => {
    // The store of tabs lags 100 ms behind the editors of the active tab; changing tabs would lose what it lacks.
    const left = readQuery();
    updateActiveTabValues(left);
    // So does the name of the operation, which names a tab once the tab is left.
    const leftName = operationNameOf({ query: left.query });
    if (leftName != null) setOperationName(leftName);
    const isThere = (index: number): boolean => {
      const tab = index === activeTabIndex ? readQuery() : tabs[index];
      return tab?.query === query && (tab.variables ?? '') === variables;
    };
    const at = isThere(activeTabIndex) ? activeTabIndex : tabs.findIndex((_, index) => isThere(index));
    if (at < 0) {
      openQuery({ query, variables });
      updateActiveTabValues({ query, variables, operationName });
    } else if (at !== activeTabIndex) changeTab(at);
    const name = operationName ?? operationNameOf({ query });
    if (name != null) setOperationName(name);
    changePage({ opening: { memory: readMemory(memory), runs: false } });
  };
}

function useTabs() {
  return useGraphiQL(({ tabs, activeTabIndex, queryEditor, variableEditor }) => ({
    tabs,
    activeTabIndex,
    queryEditor,
    variableEditor,
  }));
}
