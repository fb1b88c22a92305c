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

/**
 * The errors of a plan as the client may read them: each at a path of his own query, under his own names, each once.
 * Of the extensions only code, service and time stay.
 */
export function placeErrors(errors: readonly GraphQLError[], placed: PlacedIn): GraphQLError[] {
  const { document, operation, supergraph, names } = placed;
  const places = findErrorPlaces(document, operation, supergraph);
  const told = new Map<string, GraphQLError>();
  for (const error of errors) {
    const subgraph = error.extensions['serviceName'];
    const paths: readonly (ErrorPath | undefined)[] =
      error.path === undefined
        ? [undefined]
        : places.of(error.path, typeof subgraph === 'string' ? subgraph : undefined);
    for (const path of paths) {
      const tellable = makeTellable(error, path, names);
      const key = JSON.stringify([tellable.path, tellable.message, tellable.extensions['code']]);
      if (!told.has(key)) told.set(key, tellable);
    }
  }
  return [...told.values()];
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
