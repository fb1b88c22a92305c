import { GraphQLError, getOperationAST, parse, validate } from 'graphql';
import { createTextKinds } from './cached-text.js';
import { type DirectGraph, NotCompiled } from './home.js';
import { compileProgram, type ProgramScope } from './program.js';
import { createRepresentations } from './representation.js';

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

/** The compiled steps of an operation, one per line; or why only the general way can answer it (execution 1). */
export function explainDirect(query: string, graph: DirectGraph, schema: ProgramScope['schema']): string[] {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) return [NOT_ONE];
  const scope = { graph, schema, represent: createRepresentations(graph), textKinds: createTextKinds() };
  try {
    const { steps } = compileProgram(document, operation, {}, scope);
    return [...steps]
      .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))
      .map(({ kind, path, subgraph }) => `${kind.padEnd(12)} ${path || '(root)'}${subgraph && `, ${subgraph}`}`);
  } catch (error) {
    if (error instanceof NotCompiled) return [`Only the general way can execute it: ${error.message}`];
    throw error;
  }
}
