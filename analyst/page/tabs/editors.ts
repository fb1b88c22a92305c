import { type MonacoEditor, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useCallback, useSyncExternalStore } from 'react';
import type { SharedQuery } from './sharing.js';

/** A function that reads query and variables from the editors of the active tab. */
export function useActiveQuery(): () => SharedQuery {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  return () => ({ query: queryEditor?.getValue() ?? '', variables: variableEditor?.getValue() ?? '' });
}

/** A function that opens a query in a new tab. */
export function useOpenQuery(): (query: SharedQuery) => void {
  const { addTab } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  return ({ query, variables }) => {
    addTab();
    queryEditor?.setValue(query);
    variableEditor?.setValue(variables);
  };
}

/** The text of the query editor, updated with every change. */
export function useQueryText(): string {
  return useText(useGraphiQL((state) => state.queryEditor));
}

/** The text of the variable editor, updated with every change. */
export function useVariablesText(): string {
  return useText(useGraphiQL((state) => state.variableEditor));
}

/** The text of the editor of headers, updated with every change. */
export function useHeadersText(): string {
  return useText(useGraphiQL((state) => state.headerEditor));
}

function useText(editor: MonacoEditor | undefined): string {
  const watch = useCallback(
    (listener: () => void) => {
      const watching = editor?.onDidChangeModelContent(listener);
      return () => watching?.dispose();
    },
    [editor],
  );
  return useSyncExternalStore(watch, () => editor?.getValue() ?? '');
}

/** Id of the tab in front; empty if there is none. */
export function useFrontTab(): string {
  return useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id ?? '');
}
