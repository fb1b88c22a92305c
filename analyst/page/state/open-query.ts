import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';

/** A query with its variables, as in the editors. */
interface OpenedQuery {
  readonly query: string;
  readonly variables: string;
}

/** A function that opens a query in a new tab. */
export function useOpenQuery(): (query: OpenedQuery) => void {
  const { addTab } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  return ({ query, variables }) => {
    addTab();
    queryEditor?.setValue(query);
    variableEditor?.setValue(variables);
  };
}
