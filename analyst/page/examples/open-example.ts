import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import type { Example } from '../../read-example.js';
import { opening } from '../state/opening.js';
import { captures } from '../state/page-state.js';
import { remember } from '../state/tab-memory.js';

/**
 * A function that opens an example with its variables and runs it once: in the tab that already has it, which is
 * brought to the front, or else in a new one.
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
    opening.set({
      adopt: (tab) => remember({ view: bestView }, tab),
      // If it has already run with the same variables, it does not run again.
      runs: isChosen || id === undefined || captures.of(id) === undefined,
    });
  };
}
