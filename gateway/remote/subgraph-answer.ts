import type { GraphQLFormattedError } from 'graphql';
import { readDate } from '../../kernel/dates.js';
import { CodedError } from '../../kernel/errors.js';
import { SERVICES } from '../../kernel/services.js';
import { isRecord } from '../../kernel/text.js';
import type { CacheOutcome, StaleReason, StoredData, UpstreamCall } from '../../kernel/trace.js';
import { createErrorList, createOmissions, INTERNAL_MESSAGE, type OmittedErrors } from '../../runtime/errors.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { all, isNumber, isText, listOf, oneOf, optional } from './checks.js';

/** What a subgraph in another process answered. */
export interface SubgraphAnswer {
  readonly response: SubgraphResponse;
  /** Recorded calls, with times relative to the start of the operation. */
  readonly calls: readonly UpstreamCall[];
  /** What was read without a call. */
  readonly stored: readonly StoredData[];
  /** Whether it may be cached while all of its calls are fresh; never if it does not list them all. */
  readonly isCacheable: boolean;
}

/** Checks the JSON body of a subgraph's answer; null if it is not a GraphQL response. */
export function readAnswer(json: unknown): SubgraphAnswer | null {
  if (!isRecord(json)) return null;
  const { data, errors: listed, extensions } = json as { data?: unknown; errors?: unknown; extensions?: unknown };
  // Next to data, some servers list errors even if there are none.
  const isNone = isRecord(data) && (listed === null || (Array.isArray(listed) && listed.length === 0));
  const errors = isNone ? undefined : listed;
  if (data !== undefined && data !== null && !isRecord(data)) return null;
  if (errors !== undefined && !(Array.isArray(errors) && errors.length > 0)) return null;
  if (data === undefined && errors === undefined) return null;
  const own: Readonly<Record<string, unknown>> = isRecord(extensions) ? extensions : {};
  const rows = own['passerelleCalls'];
  const calls = listOf(rows, isCall);
  return {
    response: { data, ...(errors !== undefined && readErrors(errors, own)) },
    calls,
    stored: listOf(own['passerelleStored'], isStored),
    isCacheable: Array.isArray(rows) && calls.length === rows.length && own['passerelleUncacheable'] === undefined,
  };
}

function readErrors(errors: readonly unknown[], extensions: Readonly<Record<string, unknown>>): SubgraphResponse {
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  omissions.include(readOmitted(extensions));
  for (const error of errors.map(readError)) list.add(error.path, () => error);
  return { errors: list.errors, omitted: omissions.read() };
}

/** No operation has more fields. */
const MAX_PLACES = 5_000;

/** Errors that the subgraph itself omitted. */
function readOmitted(extensions: Readonly<Record<string, unknown>>): OmittedErrors | undefined {
  const count = extensions['errorsOmitted'];
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count <= 0) return undefined;
  const places = listOf(extensions['passerelleOmittedPlaces'], isPath).slice(0, MAX_PLACES);
  return { count, places: places.map((path) => ({ path: path.map(String) })) };
}

/** Only what callers may see and what pricing a dry run needs: message, path, and the documented extensions. */
function readError(error: unknown): GraphQLFormattedError {
  const { message, path, extensions } = isRecord(error) ? error : ({} as Readonly<Record<string, unknown>>);
  const documented: Readonly<Record<string, unknown>> = isRecord(extensions) ? extensions : {};
  const { code, service, retryAfterSeconds, argument } = documented;
  return {
    message: isText(message) ? message : INTERNAL_MESSAGE,
    ...(isPath(path) && { path }),
    extensions: {
      ...(isText(code) && { code }),
      ...(isText(service) && { service }),
      ...(isNumber(retryAfterSeconds) && { retryAfterSeconds }),
      ...(isPath(argument) && { argument }),
    },
  };
}

const isService = oneOf(...SERVICES);

function isPath(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((key) => isText(key) || isNumber(key));
}

/** Nothing is fresh for longer: reference data are fresh for a day and a tenth (architecture 6). */
const LONGEST_FRESH_MS = 2 * 24 * 3_600_000;

const isCall = all<UpstreamCall>({
  service: isService,
  method: isText,
  path: isText,
  status: (value) => value === null || isNumber(value),
  startMs: isNumber,
  ms: isNumber,
  bytes: isNumber,
  entities: isNumber,
  retries: isNumber,
  cache: oneOf<CacheOutcome>('HIT', 'STALE', 'MISS', 'COALESCED', 'BYPASS'),
  freshMs: optional((value) => isNumber(value) && value <= LONGEST_FRESH_MS),
  sent: optional(isNumber),
  queuedMs: optional(isNumber),
  weight: optional(isNumber),
  stale: optional(
    all({
      reason: oneOf<StaleReason>('REVALIDATING', 'SLOW', 'OUTAGE', 'QUOTA'),
      ageSeconds: isNumber,
      staleSeconds: isNumber,
    }),
  ),
});

const isStored = all<StoredData>({
  service: isService,
  asOf: (value) => isText(value) && readDate(value) !== null,
});

/**
 * Checks the entities in a subgraph's response. An item that is no entity becomes null, with an error. Throws if there
 * are more or fewer than representations, since they cannot be matched then, unless the subgraph itself reports why.
 */
export function checkEntities(name: string, request: SubgraphRequest, response: SubgraphResponse): SubgraphResponse {
  const representations = request.variables?.['representations'];
  const { data, errors = [] } = response;
  if (!Array.isArray(representations) || (!data && errors.length > 0)) return response;
  const entities = data?.['_entities'];
  const message = `The subgraph ${name} did not respond with the requested entities.`;
  if (!Array.isArray(entities) || entities.length !== representations.length) {
    if (errors.length > 0) return { ...response, data: null };
    const count = Array.isArray(entities) ? entities.length : 'no list of';
    const cause = new Error(`${name} responded with ${count} entities to ${representations.length} representations.`);
    throw new CodedError('UPSTREAM_INVALID_RESPONSE', message, { cause });
  }
  const isEntity = (item: unknown) => item === null || isRecord(item);
  const extensions = { code: 'UPSTREAM_INVALID_RESPONSE' };
  const added = [...entities.keys()].flatMap((index) =>
    isEntity(entities[index]) ? [] : [{ message, path: ['_entities', index], extensions }],
  );
  if (added.length === 0) return response;
  const checked = entities.map((item) => (isEntity(item) ? item : null));
  return { ...response, data: { ...data, _entities: checked }, errors: [...errors, ...added] };
}
