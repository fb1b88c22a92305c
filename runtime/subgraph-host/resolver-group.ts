import { type DocumentNode, Kind, type SelectionNode } from 'graphql';
import { isPromise } from '../../schema/is-promise.js';
import type { OperationContext } from '../../schema/operation.js';

/** Names the resolvers that a subgraph's operation runs: its entity types, or else its root fields. */
export function resolverGroup({ definitions }: DocumentNode): string {
  const names = new Set<string>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const selection of definition.selectionSet.selections) for (const name of namesOf(selection)) names.add(name);
  }
  return [...names].join(' ');
}

/** Operations of query plans have fields at their root, and select entities by type. */
function namesOf(selection: SelectionNode): string[] {
  if (selection.kind !== Kind.FIELD) return [];
  if (selection.name.value !== '_entities') return [selection.name.value];
  return (selection.selectionSet?.selections ?? []).flatMap((one) =>
    one.kind === Kind.INLINE_FRAGMENT && one.typeCondition !== undefined ? [one.typeCondition.name.value] : [],
  );
}

/**
 * Runs resolvers in a span of the request's trace, which the calls that they make become part of; without a trace, only
 * runs them.
 */
export function asResolvers<T>(
  operation: OperationContext,
  group: string,
  run: (operation: OperationContext) => T | Promise<T>,
): T | Promise<T> {
  if (operation.span === undefined) return run(operation);
  const span = operation.span.child('resolve', { 'passerelle.resolvers': group });
  const result = run({ ...operation, span });
  if (isPromise(result)) return result.finally(() => span.end());
  span.end();
  return result;
}
