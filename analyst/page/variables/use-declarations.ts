import { useGraphiQL } from '@graphiql/react';
import { useMemo } from 'react';
import { type Declaration, readDeclarations } from './declarations.js';

/** The variables that an operation of a query declares, with what the schema says of them. */
export function useDeclarations(query: string, operationName: string | null | undefined): readonly Declaration[] {
  const schema = useGraphiQL((state) => state.schema);
  return useMemo(() => readDeclarations(query, operationName ?? null, schema ?? null), [query, operationName, schema]);
}
