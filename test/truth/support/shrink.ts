import { type ASTNode, type DirectiveNode, Kind, parse, print, type SelectionNode, validate, visit } from 'graphql';
import { API_SCHEMA } from './api-schema.js';
import type { Operation } from './generated-operation.js';

/** Smaller operations that are tried at most. */
const TRIES = 150;

/** The smallest operation found that still fails, by leaving out one selection or directive after another. */
export async function shrunk(
  operation: Operation,
  fails: (smaller: Operation) => Promise<boolean>,
): Promise<Operation> {
  let smallest = operation;
  let tries = 0;
  for (let at = 0; tries < TRIES; ) {
    const smaller = without(smallest, at);
    if (smaller === undefined) break;
    if (!isValid(smaller)) at += 1;
    else if (++tries && (await fails(smaller))) smallest = smaller;
    else at += 1;
  }
  return smallest;
}

/** The operation without the selection or directive of this number; undefined if it has not as many. */
function without(operation: Operation, at: number): Operation | undefined {
  let count = 0;
  const leave = (node: SelectionNode | DirectiveNode) => (count++ === at ? null : node);
  const document = visit(parse(operation.query), {
    Field: { enter: leave },
    InlineFragment: { enter: leave },
    FragmentSpread: { enter: leave },
    Directive: { enter: leave },
  });
  if (count <= at) return undefined;
  const used = new Set<string>();
  visit(document, {
    FragmentSpread: ({ name }) => void used.add(name.value),
    Variable: (node, _key, parent) => {
      if ((parent as ASTNode | undefined)?.kind !== Kind.VARIABLE_DEFINITION) used.add(`$${node.name.value}`);
    },
  });
  const tidy = visit(document, {
    FragmentDefinition: (node) => (used.has(node.name.value) ? undefined : null),
    VariableDefinition: (node) => (used.has(`$${node.variable.name.value}`) ? undefined : null),
  });
  const variables = Object.entries(operation.variables).filter(([name]) => used.has(`$${name}`));
  return { ...operation, query: print(tidy), variables: Object.fromEntries(variables) };
}

function isValid({ query }: Operation): boolean {
  try {
    return validate(API_SCHEMA, parse(query)).length === 0;
  } catch {
    // Nothing was left of a selection.
    return false;
  }
}
