import { type DocumentNode, getOperationAST, Kind, type OperationDefinitionNode, parse } from 'graphql';
import type { GraphqlRequest } from '../state/query-result.js';

/**
 * The name of the operation to run: GraphiQL's, if the query has it, or else the query's only one. GraphiQL 5.4 updates
 * its name 100 ms after the text: a query run at once in another tab was sent with the last tab's operation name.
 */
export function operationNameOf({ query, operationName }: GraphqlRequest): string | null | undefined {
  const operations = operationsOf(parseQuery(query));
  if (operations.length === 0 || operations.some(({ name }) => name?.value === operationName)) return operationName;
  return operations.length === 1 ? operations[0]?.name?.value : undefined;
}

/** The operation to run; null if the query cannot be parsed, or does not say which of several. */
export function operationOf(request: GraphqlRequest): OperationDefinitionNode | null {
  const document = parseQuery(request.query);
  return document === null ? null : (getOperationAST(document, operationNameOf(request)) ?? null);
}

/** The operations of a document. */
export function operationsOf(document: DocumentNode | null): OperationDefinitionNode[] {
  return document?.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION) ?? [];
}

/** A query as a document; null if it cannot be parsed. */
export function parseQuery(query: string): DocumentNode | null {
  try {
    return parse(query, { noLocation: true });
  } catch {
    return null; // The gateway reports where the syntax error is.
  }
}
