import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { describeJoins } from '../../gateway/graph/local-gateway.js';
import { compileProgram, NotCompiled, type ProgramScope } from '../../gateway/memory/program.js';
import { createTextKinds } from '../../gateway/memory/write-text.js';
import type { PlanNode } from '../../kernel/trace.js';

const NOT_ONE = 'Several operations, or none: give one.';

/** Why a text is not one operation of the graph, one line per mistake; empty if it is. */
export function mistakesIn(query: string, schema: ProgramScope['schema']): string[] {
  try {
    const document = parse(query);
    const mistakes = validate(schema, document).map(({ message }) => message);
    return mistakes.length > 0 || getOperationAST(document) ? mistakes : [NOT_ONE];
  } catch (error) {
    if (error instanceof GraphQLError) return [error.message];
    throw error;
  }
}

/**
 * How an operation is executed and answered from memory, one line per step: its fields that may make calls, and the
 * texts that are cached; or why none are (execution 1). `schema` is the executable one.
 */
export function explainOperation(query: string, schema: ProgramScope['schema']): string[] {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) return [NOT_ONE];
  const joins = linesOf(describeJoins(schema, document, operation, {}), '');
  return [...joins, '', ...textsOf(document, operation, schema)];
}

function linesOf({ kind, service, path, children = [] }: PlanNode, indent: string): string[] {
  const line = `${indent}${[kind, path, service].filter(Boolean).join(' ')}`;
  return [line, ...children.flatMap((child) => linesOf(child, `${indent}  `))];
}

function textsOf(document: DocumentNode, operation: OperationDefinitionNode, schema: ProgramScope['schema']): string[] {
  try {
    const { steps } = compileProgram(document, operation, {}, { schema, textKinds: createTextKinds() });
    return [...steps]
      .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))
      .map(({ kind, path, subgraph }) => `${kind.padEnd(12)} ${path || '(root)'}${subgraph && `, ${subgraph}`}`);
  } catch (error) {
    if (error instanceof NotCompiled) return [`It is executed each time: ${error.message}`];
    throw error;
  }
}
