import type { GraphQLFormattedError } from 'graphql';
import { isRecord } from '../../kernel/json.js';
import { SERVICES } from '../../kernel/services.js';
import type { CacheOutcome, StaleReason, UpstreamCall } from '../../kernel/trace.js';
import { createErrorList, createOmissions, type OmittedErrors } from '../../runtime/errors.js';
import type { SubgraphResponse } from '../../runtime/subgraph-execution.js';

/** A response of a subgraph. */
export interface OwnResponse {
  readonly response: SubgraphResponse;
  /** Recorded calls, with times relative to the start of the operation. */
  readonly calls: readonly UpstreamCall[];
  /** Whether it may be cached while all of its calls are fresh; never if it does not list them all. */
  readonly isCacheable: boolean;
}

/**
 * Checks the JSON body of a subgraph's response, which has coded errors and lists its recorded calls in the extensions;
 * null if it is not a GraphQL response.
 */
export function readOwnResponse(json: unknown): OwnResponse | null {
  const body = readBody(json);
  if (body === null) return null;
  const { passerelleCalls: rows, passerelleUncacheable } = isRecord(body.extensions) ? body.extensions : {};
  const calls = Array.isArray(rows) ? rows.filter(isCall) : [];
  const isCacheable = Array.isArray(rows) && calls.length === rows.length && passerelleUncacheable === undefined;
  return { response: body.response, calls, isCacheable };
}

interface Body {
  readonly response: SubgraphResponse;
  readonly extensions: unknown;
}

function readBody(json: unknown): Body | null {
  if (!isRecord(json)) return null;
  const { data, errors: listed } = json as { data?: unknown; errors?: unknown };
  // Next to data, some servers list errors even if there are none.
  const isNone = isRecord(data) && (listed === null || (Array.isArray(listed) && listed.length === 0));
  const errors = isNone ? undefined : listed;
  if (data !== undefined && data !== null && !isRecord(data)) return null;
  if (errors !== undefined && !(Array.isArray(errors) && errors.length > 0)) return null;
  if (data === undefined && errors === undefined) return null;
  return {
    response: { data, ...(errors !== undefined && readErrors(errors, json['extensions'])) },
    extensions: json['extensions'],
  };
}

function readErrors(errors: readonly unknown[], extensions: unknown): SubgraphResponse {
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  omissions.include(readOmitted(extensions));
  for (const error of errors) {
    const path = isRecord(error) && isPath(error['path']) ? error['path'] : undefined;
    list.add(path, () => readError(error));
  }
  return { errors: list.errors, omitted: omissions.read() };
}

/** Errors that the subgraph itself omitted. */
function readOmitted(extensions: unknown): OmittedErrors | undefined {
  if (!isRecord(extensions)) return undefined;
  const { errorsOmitted: count, passerelleOmittedPlaces: paths } = extensions as Record<string, unknown>;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count <= 0) return undefined;
  const places = Array.isArray(paths) ? paths.filter(isPath).slice(0, MAX_PLACES) : [];
  return { count, places: places.map((path) => ({ path: path.map(String) })) };
}

/** No operation has more fields. */
const MAX_PLACES = 5_000;

/** Only what callers may see and what pricing a dry run needs: message, path, and the documented extensions. */
function readError(error: unknown): GraphQLFormattedError {
  if (!isRecord(error)) return { message: 'A subgraph failed to respond.', extensions: {} };
  const { message, path, extensions } = error as { message?: unknown; path?: unknown; extensions?: unknown };
  const documented = isRecord(extensions) ? extensions : {};
  const { code, service, retryAfterSeconds, ownCallsFollow } = documented as Record<string, unknown>;
  return {
    message: typeof message === 'string' ? message : 'A subgraph failed to respond.',
    ...(isPath(path) && { path }),
    extensions: {
      ...(typeof code === 'string' && { code }),
      ...(typeof service === 'string' && { service }),
      ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
      ...(ownCallsFollow === true && { ownCallsFollow }),
    },
  };
}

function isPath(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((key) => typeof key === 'string' || typeof key === 'number');
}

const OUTCOMES: ReadonlySet<unknown> = new Set<CacheOutcome>(['HIT', 'STALE', 'MISS', 'COALESCED', 'BYPASS']);

function isCall(row: unknown): row is UpstreamCall {
  if (!isRecord(row)) return false;
  const { service, method, path, status, startMs, ms, bytes, cache, entities, retries, stale, freshMs, queuedMs } =
    row as Record<string, unknown>;
  return (
    SERVICES.some((name) => name === service) &&
    [method, path].every((value) => typeof value === 'string') &&
    (status === null || typeof status === 'number') &&
    [startMs, ms, bytes, entities, retries].every((value) => typeof value === 'number') &&
    OUTCOMES.has(cache) &&
    [freshMs, queuedMs].every((value) => value === undefined || typeof value === 'number') &&
    (stale === undefined || isStaleness(stale))
  );
}

const STALE_REASONS: ReadonlySet<unknown> = new Set<StaleReason>(['REVALIDATING', 'SLOW', 'OUTAGE', 'QUOTA']);

function isStaleness(stale: unknown): boolean {
  if (!isRecord(stale)) return false;
  const { reason, ageSeconds, staleSeconds } = stale as Record<string, unknown>;
  return STALE_REASONS.has(reason) && [ageSeconds, staleSeconds].every((value) => typeof value === 'number');
}
