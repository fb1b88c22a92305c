import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import type { SharedQuery } from './sharing.js';

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
