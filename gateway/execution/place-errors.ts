import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { MAX_ERRORS, type Omissions, type OmittedPlace, type ResponsePath } from '../../runtime/errors/error-list.js';
import { withoutStack } from '../../schema/errors.js';
import type { SupergraphMap } from '../graph/supergraph-map.js';
import type { PrivateNames } from '../remote/private-names.js';
import { type ErrorPlaces, findErrorPlaces } from './aliases/joined-errors.js';

/** The operation whose errors are placed. */
export interface ErrorContext {
  /** Errors that the response does not list. */
  readonly omissions: Omissions;
  /** Document and operation as they were planned, with private names. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly supergraph: SupergraphMap;
  readonly names: PrivateNames;
}

/** Errors at paths of the client's own query. */
export interface PlacedErrors {
  readonly errors: readonly GraphQLError[];
  /**
   * Fields that an error was moved to because they require a field that failed; they become null. `@` stands for every
   * index of a list.
   */
  readonly nulled: readonly ResponsePath[];
}

interface PlacedError {
  readonly error: GraphQLError;
  /** Whether it was moved to a field that requires the failed one. */
  readonly moved: boolean;
}

/**
 * Moves the errors of a plan to paths of the client's query, with the client's names, without duplicates, and at most
 * as many as a response lists. Only `code`, `service`, `retryAfterSeconds` and `ownCallsFollow` remain as extensions.
 */
export function placeErrors(errors: readonly GraphQLError[], context: ErrorContext): PlacedErrors {
  const { document, operation, supergraph, names, omissions } = context;
  const places = findErrorPlaces(document, operation, supergraph);
  const reported = new Map<string, PlacedError>();
  for (const error of errors) {
    const subgraph = subgraphOf(error);
    if (reported.size >= MAX_ERRORS) {
      omissions.add(error.path, subgraph);
      continue;
    }
    const paths = error.path === undefined ? [undefined] : places.of(error.path, subgraph);
    for (const path of paths) {
      const placed = toReportedError(error, path, names);
      const key = JSON.stringify([placed.path, placed.message, placed.extensions['code']]);
      if (!reported.has(key)) reported.set(key, { error: placed, moved: !isPrefix(path, error.path) });
    }
  }
  const placedErrors = [...reported.values()];
  const omitted = (omissions.read()?.places ?? []).flatMap((place) => placesMovedTo(place, places, names));
  return {
    errors: placedErrors.slice(0, MAX_ERRORS).map(({ error }) => error),
    nulled: [...placedErrors.flatMap(({ error, moved }) => (moved && error.path ? [error.path] : [])), ...omitted],
  };
}

/**
 * The joined fields that errors beyond the limit belong to. It is unknown which rows failed, so the field becomes null
 * in all of them: a value that may be a guess must not be shown.
 */
function placesMovedTo({ path, subgraph }: OmittedPlace, places: ErrorPlaces, names: PrivateNames): ResponsePath[] {
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

function isPrefix(path: ResponsePath = [], of: ResponsePath = []): boolean {
  return path.every((part, index) => part === of[index]);
}

/**
 * Nulls the joined fields that errors were moved to. The join may have produced a value from incomplete requirements,
 * and next to its error that would look like a valid one.
 */
export function nullMovedFields(data: Record<string, unknown>, { nulled }: PlacedErrors): void {
  for (const path of nulled) nullAt(data, path, 0);
}

function nullAt(value: unknown, path: ResponsePath, depth: number): void {
  const step = path[depth];
  if (step === undefined || !isContainer(value)) return;
  if (step === '@') {
    if (Array.isArray(value)) for (const item of value) nullAt(item, path, depth + 1);
  } else if (depth === path.length - 1) {
    value[step] = null;
  } else {
    nullAt(value[step], path, depth + 1);
  }
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

function toReportedError(error: GraphQLError, path: ResponsePath | undefined, names: PrivateNames): GraphQLError {
  const { service, retryAfterSeconds, ownCallsFollow } = error.extensions;
  return withoutStack(
    () =>
      new GraphQLError(names.restoreText(error.message), {
        path: path?.map((key) => (typeof key === 'string' ? names.restoreName(key) : key)) ?? null,
        nodes: (path === undefined ? error.nodes : null) ?? null,
        extensions: {
          code: error.extensions['code'] ?? 'INTERNAL',
          ...(service !== undefined && { service }),
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
          ...(ownCallsFollow === true && { ownCallsFollow }),
        },
      }),
  );
}
