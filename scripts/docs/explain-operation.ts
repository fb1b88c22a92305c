import { GraphQLError, type GraphQLSchema, getOperationAST, parse, validate } from 'graphql';
import { describeJoins } from '../../gateway/graph/local-gateway.js';
import type { PlanNode } from '../../kernel/trace.js';

const NOT_ONE = 'Several operations, or none: give one.';

/** Why a text is not one operation of the graph, one line per mistake; empty if it is. */
export function mistakesIn(query: string, schema: GraphQLSchema): string[] {
  try {
    const document = parse(query);
    const mistakes = validate(schema, document).map(({ message }) => message);
    return mistakes.length > 0 || getOperationAST(document) ? mistakes : [NOT_ONE];
  } catch (error) {
    if (error instanceof GraphQLError) return [error.message];
    throw error;
  }
}

/** How an operation is executed, one line per step: its fields that may make calls. `schema` is the executable one. */
export function explainOperation(query: string, schema: GraphQLSchema): string[] {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) return [NOT_ONE];
  return linesOf(describeJoins(schema, document, operation, {}), '');
}

function linesOf({ kind, service, path, children = [] }: PlanNode, indent: string): string[] {
  const line = `${indent}${[kind, path, service].filter(Boolean).join(' ')}`;
  return [line, ...children.flatMap((child) => linesOf(child, `${indent}  `))];
}
