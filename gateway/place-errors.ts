import { type DocumentNode, GraphQLError, Kind, type OperationDefinitionNode } from 'graphql';
import { type ErrorPath, findErrorPlaces } from './aliases/joined-errors.js';
import type { PrivateNames } from './aliases/private-names.js';
import type { SupergraphMap } from './supergraph-map.js';

export interface PlacedIn {
  /** Document and operation as they were planned, private names and all. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly supergraph: SupergraphMap;
  readonly names: PrivateNames;
}

/** An error as the client may read it. */
export interface PlacedError {
  readonly error: GraphQLError;
  /** Whether it was moved to a field that only required what failed: that field has no value to go with it. */
  readonly moved: boolean;
}

/**
 * The errors of a plan as the client may read them: each at a path of his own query, under his own names, each once.
 * Of the extensions only code, service and time stay.
 */
export function placeErrors(errors: readonly GraphQLError[], placed: PlacedIn): PlacedError[] {
  const { document, operation, supergraph, names } = placed;
  const places = findErrorPlaces(document, operation, supergraph);
  const told = new Map<string, PlacedError>();
  for (const error of errors) {
    const subgraph = error.extensions['serviceName'];
    const paths: readonly (ErrorPath | undefined)[] =
      error.path === undefined
        ? [undefined]
        : places.of(error.path, typeof subgraph === 'string' ? subgraph : undefined);
    for (const path of paths) {
      const tellable = makeTellable(error, path, names);
      const key = JSON.stringify([tellable.path, tellable.message, tellable.extensions['code']]);
      if (!told.has(key)) told.set(key, { error: tellable, moved: !isPrefix(path, error.path) });
    }
  }
  return [...told.values()];
}

function isPrefix(path: ErrorPath = [], of: ErrorPath = []): boolean {
  return path.every((part, index) => part === of[index]);
}

/**
 * Empties the joined fields that errors were moved to: the join may have answered from what was left of its
 * requirements, and a guess beside an error would look like a value.
 */
export function emptyMoved(data: Record<string, unknown>, placed: readonly PlacedError[]): void {
  for (const { error, moved } of placed) {
    const [field, ...parents] = [...(error.path ?? [])].reverse();
    if (!moved || field === undefined) continue;
    let parent: unknown = data;
    for (const key of parents.reverse()) parent = isContainer(parent) ? parent[key] : undefined;
    if (isContainer(parent)) parent[field] = null;
  }
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

function makeTellable(error: GraphQLError, path: ErrorPath | undefined, names: PrivateNames): GraphQLError {
  const { service, retryAfterSeconds } = error.extensions;
  return new GraphQLError(names.restoreText(error.message), {
    path: path?.map((key) => (typeof key === 'string' ? names.restoreName(key) : key)) ?? null,
    nodes: (path === undefined ? error.nodes : null) ?? null,
    originalError: error,
    extensions: {
      code: codeOf(error),
      ...(service !== undefined && { service }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  });
}

function codeOf({ extensions, nodes }: GraphQLError): unknown {
  // Variables that do not fit are refused before the plan begins, by an error without a code.
  return extensions['code'] ?? (nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION ? 'BAD_USER_INPUT' : 'INTERNAL');
}
