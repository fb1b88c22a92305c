import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import type { SharedQuestion } from './sharing.js';

/** Opens a query in a tab of its own. */
export function useOpenQuestion(): (question: SharedQuestion) => void {
  const { addTab } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  return ({ query, variables }) => {
    addTab();
    queryEditor?.setValue(query);
    variableEditor?.setValue(variables);
  };
}
