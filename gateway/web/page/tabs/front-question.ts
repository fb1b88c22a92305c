import { useGraphiQL } from '@graphiql/react';
import type { SharedQuestion } from './sharing.js';

/** Reads the query in front as it is written now. */
export function useFrontQuestion(): () => SharedQuestion {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  return () => ({ query: queryEditor?.getValue() ?? '', variables: variableEditor?.getValue() ?? '' });
}
