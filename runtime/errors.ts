import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { CodedError, ERRORS, type ErrorCode, withoutStack } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';

/** The message of an internal error to callers. The error itself is in the log, under the request's id. */
export const INTERNAL_MESSAGE = 'Internal error. The log has it under the requestId of this error.';

/** Whether a code is in our table: the message of such an error was written for callers. */
export function isOurCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}

/** A resolver's error as it may leave the process: code, message and path. One without a code of ours is internal. */
export function toSafeError({ message, path, extensions }: GraphQLError): GraphQLFormattedError {
  const told = isOurCode(extensions['code'])
    ? { message, extensions }
    : { message: INTERNAL_MESSAGE, extensions: { code: 'INTERNAL' } };
  return { ...told, ...(path !== undefined && { path }) };
}

/** The errors of an execution, with each mistake in a field's arguments as one of its own. */
export function* eachMistake(errors: readonly GraphQLError[]): Generator<GraphQLError> {
  for (const error of errors) {
    yield error;
    const coded = error.originalError ?? error;
    if (!(coded instanceof CodedError)) continue;
    for (const { message, extensions } of coded.further)
      yield withoutStack(() => new GraphQLError(message, { path: error.path ?? null, extensions }));
  }
}

function logCause({ originalError, path, extensions, ...error }: GraphQLError, requestId: string, log: Log): void {
  const cause = originalError ?? error;
  const at = { requestId, path: path?.join('.') };
  if (cause instanceof CodedError && cause.code !== 'INTERNAL') {
    if (cause.cause !== undefined) log.debug({ ...at, code: cause.code, err: cause.cause }, 'a field failed');
  } else if (extensions['code'] === undefined || extensions['code'] === 'INTERNAL')
    log.error({ ...at, err: cause.cause ?? cause }, 'a resolver failed');
}

/** Logs what is behind the errors of a request, each cause once: it may stand at thousands of places. */
export function createLogOfErrors(requestId: string, log: Log): (error: GraphQLError) => void {
  const causes = new Set<unknown>();
  return (error) => {
    const cause = error.originalError ?? error;
    if (causes.has(cause)) return;
    causes.add(cause);
    logCause(error, requestId, log);
  };
}

/**
 * Most errors that one response lists. Clients read the first few; a page of a thousand rows that failed in every field
 * would otherwise have more errors than data.
 */
export const MAX_ERRORS = 1_000;

/** A path in one response, as the GraphQL specification defines it: keys and indexes. */
export type ResponsePath = readonly (string | number)[];

/**
 * The errors in the order of their places in the data. Executors list them as they happen, which differs from run to run
 * and from one process to several. Errors below a place that became null, or without a place, stay as they are listed.
 */
export function inOrderOfPlaces<E extends { readonly path?: ResponsePath | undefined }>(
  errors: readonly E[],
  data: unknown,
): readonly E[] {
  if (errors.length < 2) return errors;
  const known = new Map<object, ReadonlyMap<string, number>>();

  function rankIn(object: object, key: string): number {
    const ranks = known.get(object) ?? new Map(Object.keys(object).map((own, rank) => [own, rank]));
    known.set(object, ranks);
    return ranks.get(key) ?? -1;
  }

  function ranksOf(path: ResponsePath): number[] {
    const ranks: number[] = [];
    let value = data;
    for (const step of path) {
      if (typeof value !== 'object' || value === null) break;
      ranks.push(typeof step === 'number' ? step : rankIn(value, step));
      value = (value as Readonly<Record<string | number, unknown>>)[step];
    }
    return ranks;
  }

  return errors
    .map((error) => ({ error, ranks: ranksOf(error.path ?? []) }))
    .sort((one, other) => compareRanks(one.ranks, other.ranks))
    .map(({ error }) => error);
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (const [at, rank] of one.entries()) {
    const difference = rank - (other[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** The errors that a response does not list: their number, and each path once, with `@` for any index of a list. */
export interface OmittedErrors {
  readonly count: number;
  readonly places: readonly (readonly string[])[];
}

/** Collects the errors that a response does not list. */
export type Omissions = ReturnType<typeof createOmissions>;

/** Creates an empty collection, whose size depends on an operation's fields, not on its rows. */
export function createOmissions() {
  let count = 0;
  const places = new Map<string, readonly string[]>();
  const remember = (place: readonly string[]) => places.set(place.join('.'), place);
  return {
    add(path: ResponsePath | undefined): void {
      count += 1;
      if (path !== undefined) remember(path.map((step) => (typeof step === 'number' ? '@' : step)));
    },
    /** Adds the omitted errors of part of the response. */
    include(omitted: OmittedErrors | undefined): void {
      count += omitted?.count ?? 0;
      for (const place of omitted?.places ?? []) remember(place);
    },
    /** The errors omitted so far; undefined if none. */
    read: (): OmittedErrors | undefined => (count === 0 ? undefined : { count, places: [...places.values()] }),
  };
}
