import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { operationNameOf } from '../requests/operation-name.js';
import { opening } from '../state/opening.js';
import { adoptMemory } from '../state/tab-memory.js';
import { useActiveQuery } from '../tabs/active-query.js';
import type { SavedQuery } from './saved-query.js';

/** The parts of a saved query, or of one in a link, that are opened. */
type OpenedQuery = Pick<SavedQuery, 'query' | 'variables' | 'operationName' | 'memory'>;

/** A function that opens a saved query as it was, without running it: in the tab that already has it, or a new one. */
export function useOpenSaved(): (saved: OpenedQuery) => void {
  const { addTab, changeTab, setOperationName, updateActiveTabValues } = useGraphiQLActions();
  const tabs = useGraphiQL((state) => state.tabs);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
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
      addTab();
      queryEditor?.setValue(query);
      variableEditor?.setValue(variables);
      updateActiveTabValues({ query, variables, operationName });
    } else if (at !== activeTabIndex) changeTab(at);
    const name = operationName ?? operationNameOf({ query });
    if (name != null) setOperationName(name);
    opening.set({ adopt: (tab) => adoptMemory(memory, tab), runs: false });
  };
}
