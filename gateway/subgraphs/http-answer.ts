import type { GraphQLFormattedError } from 'graphql';
import { createErrorList, createOmissions, type OmittedErrors } from '../../runtime/errors/error-list.js';
import type { SubgraphAnswer } from '../../runtime/subgraph-host/subgraph-execution.js';
import { isRecord } from '../../schema/is-record.js';
import { SERVICES } from '../../schema/services.js';
import { parseShallowJson } from '../../schema/shallow-json.js';
import type { CacheOutcome, StaleReason, UpstreamCall } from '../../schema/trace.js';

/** Reads the body of a subgraph's answer; null when it is no GraphQL answer. */
export type ReadAnswer<A> = (text: string) => A | null;

export interface OwnAnswer {
  readonly answer: SubgraphAnswer;
  /** Rows of the ledger, times counted from the beginning of the operation. */
  readonly calls: readonly UpstreamCall[];
}

/** A response of one of our subgraphs: its errors are coded, its ledger comes in the extensions. */
export const readOwnAnswer: ReadAnswer<OwnAnswer> = (text) => {
  const body = readBody(text);
  if (body === null) return null;
  const calls = isRecord(body.extensions) ? body.extensions['passerelleCalls'] : undefined;
  return { answer: body.answer, calls: Array.isArray(calls) ? calls.filter(isCall) : [] };
};

/** A response of a foreign subgraph. An error without a code may hold anything, so its message is withheld. */
export const readForeignAnswer: ReadAnswer<{ readonly answer: SubgraphAnswer }> = (text) => {
  const body = readBody(text);
  if (body === null) return null;
  const { errors } = body.answer;
  return { answer: { ...body.answer, errors: errors?.map(hideUncoded) } };
};

function hideUncoded(error: GraphQLFormattedError): GraphQLFormattedError {
  if (error.extensions?.['code'] !== undefined) return error;
  return { ...error, message: 'A subgraph could not answer.', extensions: { code: 'DOWNSTREAM_SERVICE_ERROR' } };
}

interface Body {
  readonly answer: SubgraphAnswer;
  readonly extensions: unknown;
}

function readBody(text: string): Body | null {
  const body = parseShallowJson(text);
  if (!isRecord(body)) return null;
  const { data, errors } = body as { data?: unknown; errors?: unknown };
  if (data !== undefined && data !== null && !isRecord(data)) return null;
  if (errors !== undefined && !(Array.isArray(errors) && errors.length > 0)) return null;
  if (data === undefined && errors === undefined) return null;
  return {
    answer: { data, ...(errors !== undefined && readErrors(errors, body['extensions'])) },
    extensions: body['extensions'],
  };
}

function readErrors(errors: readonly unknown[], extensions: unknown): SubgraphAnswer {
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  omissions.include(readOmitted(extensions));
  for (const error of errors) {
    const path = isRecord(error) && isPath(error['path']) ? error['path'] : undefined;
    list.add(path, () => readError(error));
  }
  return { errors: list.errors, omitted: omissions.read() };
}

/** What the subgraph itself left out. */
function readOmitted(extensions: unknown): OmittedErrors | undefined {
  if (!isRecord(extensions)) return undefined;
  const { errorsOmitted: count, passerelleOmittedPlaces: paths } = extensions as Record<string, unknown>;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count <= 0) return undefined;
  const places = Array.isArray(paths) ? paths.filter(isPath).slice(0, MOST_PLACES) : [];
  return { count, places: places.map((path) => ({ path: path.map(String) })) };
}

/** An operation has no more fields. */
const MOST_PLACES = 5_000;

/** Only what a caller may read of it: message, path, and of the extensions what the error table names. */
function readError(error: unknown): GraphQLFormattedError {
  if (!isRecord(error)) return { message: 'A subgraph could not answer.', extensions: {} };
  const { message, path, extensions } = error as { message?: unknown; path?: unknown; extensions?: unknown };
  const told = isRecord(extensions) ? extensions : {};
  const { code, service, retryAfterSeconds } = told as Record<string, unknown>;
  return {
    message: typeof message === 'string' ? message : 'A subgraph could not answer.',
    ...(isPath(path) && { path }),
    extensions: {
      ...(typeof code === 'string' && { code }),
      ...(typeof service === 'string' && { service }),
      ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
    },
  };
}

function isPath(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((key) => typeof key === 'string' || typeof key === 'number');
}

const OUTCOMES: ReadonlySet<unknown> = new Set<CacheOutcome>(['HIT', 'STALE', 'MISS', 'COALESCED', 'BYPASS']);

function isCall(row: unknown): row is UpstreamCall {
  if (!isRecord(row)) return false;
  const { service, method, path, status, startMs, ms, bytes, cache, entities, retries, stale } = row as Record<
    string,
    unknown
  >;
  return (
    SERVICES.some((name) => name === service) &&
    [method, path].every((value) => typeof value === 'string') &&
    (status === null || typeof status === 'number') &&
    [startMs, ms, bytes, entities, retries].every((value) => typeof value === 'number') &&
    OUTCOMES.has(cache) &&
    (stale === undefined || isStaleness(stale))
  );
}

const STALE_REASONS: ReadonlySet<unknown> = new Set<StaleReason>(['REVALIDATING', 'SLOW', 'OUTAGE', 'QUOTA']);

function isStaleness(stale: unknown): boolean {
  if (!isRecord(stale)) return false;
  const { reason, ageSeconds, staleSeconds } = stale as Record<string, unknown>;
  return STALE_REASONS.has(reason) && [ageSeconds, staleSeconds].every((value) => typeof value === 'number');
}
