import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { MOST_ERRORS, type Omissions, type OmittedPlace } from '../../runtime/errors/error-list.js';
import { withoutStack } from '../../schema/errors.js';
import type { SupergraphMap } from '../graph/supergraph-map.js';
import { type ErrorPath, type ErrorPlaces, findErrorPlaces } from './aliases/joined-errors.js';
import type { PrivateNames } from './aliases/private-names.js';

export interface PlacedIn {
  /** What the answer leaves out of its errors. */
  readonly omissions: Omissions;
  /** Document and operation as they were planned, private names and all. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly supergraph: SupergraphMap;
  readonly names: PrivateNames;
}

export interface PlacedErrors {
  /** As the client may read them. */
  readonly errors: readonly GraphQLError[];
  /**
   * Fields that errors were moved to, because they required what failed: such a field has no value. `@` stands for each
   * position in a list.
   */
  readonly emptied: readonly ErrorPath[];
}

interface PlacedError {
  readonly error: GraphQLError;
  /** Whether it was moved to a field that only required what failed. */
  readonly moved: boolean;
}

/**
 * The errors of a plan as the client may read them: each at a path of their own query, under its names, each once,
 * and no more than a response lists. Of the extensions only code, service and time remain.
 */
export function placeErrors(errors: readonly GraphQLError[], placed: PlacedIn): PlacedErrors {
  const { document, operation, supergraph, names, omissions } = placed;
  const places = findErrorPlaces(document, operation, supergraph);
  const told = new Map<string, PlacedError>();
  for (const error of errors) {
    const subgraph = subgraphOf(error);
    if (told.size >= MOST_ERRORS) {
      omissions.add(error.path, subgraph);
      continue;
    }
    const paths = error.path === undefined ? [undefined] : places.of(error.path, subgraph);
    for (const path of paths) {
      const tellable = makeTellable(error, path, names);
      const key = JSON.stringify([tellable.path, tellable.message, tellable.extensions['code']]);
      if (!told.has(key)) told.set(key, { error: tellable, moved: !isPrefix(path, error.path) });
    }
  }
  const placedErrors = [...told.values()];
  const omitted = (omissions.read()?.places ?? []).flatMap((place) => placesMovedTo(place, places, names));
  return {
    errors: placedErrors.slice(0, MOST_ERRORS).map(({ error }) => error),
    emptied: [...placedErrors.flatMap(({ error, moved }) => (moved && error.path ? [error.path] : [])), ...omitted],
  };
}

/**
 * The joined fields that unreported errors were moved to. The rows are not known either, so all are meant: a
 * value that may be a guess is none.
 */
function placesMovedTo({ path, subgraph }: OmittedPlace, places: ErrorPlaces, names: PrivateNames): ErrorPath[] {
  const positions = path.map((step) => (step === '@' ? 0 : step));
  return places
    .of(positions, subgraph)
    .filter((place) => !isPrefix(place, positions))
    .map((place) => place.map((step) => (typeof step === 'number' ? '@' : names.restoreName(step))));
}

function subgraphOf({ extensions }: GraphQLError): string | undefined {
  const name = extensions['serviceName'];
  return typeof name === 'string' ? name : undefined;
}

function isPrefix(path: ErrorPath = [], of: ErrorPath = []): boolean {
  return path.every((part, index) => part === of[index]);
}

/**
 * Empties the joined fields that errors were moved to: the join may have answered from what was left of its
 * requirements, and a guess beside an error would look like a value.
 */
export function emptyMoved(data: Record<string, unknown>, { emptied }: PlacedErrors): void {
  for (const path of emptied) emptyAt(data, path, 0);
}

function emptyAt(value: unknown, path: ErrorPath, depth: number): void {
  const step = path[depth];
  if (step === undefined || !isContainer(value)) return;
  if (step === '@') {
    if (Array.isArray(value)) for (const item of value) emptyAt(item, path, depth + 1);
  } else if (depth === path.length - 1) {
    value[step] = null;
  } else {
    emptyAt(value[step], path, depth + 1);
  }
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

function makeTellable(error: GraphQLError, path: ErrorPath | undefined, names: PrivateNames): GraphQLError {
  const { service, retryAfterSeconds } = error.extensions;
  return withoutStack(
    () =>
      new GraphQLError(names.restoreText(error.message), {
        path: path?.map((key) => (typeof key === 'string' ? names.restoreName(key) : key)) ?? null,
        nodes: (path === undefined ? error.nodes : null) ?? null,
        extensions: {
          code: error.extensions['code'] ?? 'INTERNAL',
          ...(service !== undefined && { service }),
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        },
      }),
  );
}
