import { useGraphiQL } from '@graphiql/react';
import type { SharedQuery } from './sharing.js';

/** A function that reads query and variables from the editors of the active tab. */
export function useActiveQuery(): () => SharedQuery {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  return () => ({ query: queryEditor?.getValue() ?? '', variables: variableEditor?.getValue() ?? '' });
}
