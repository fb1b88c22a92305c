import type { GraphQLFormattedError } from 'graphql';
import { Agent, errors, request as send } from 'undici';
import { readDate } from '../../kernel/dates.js';
import { CodedError } from '../../kernel/errors.js';
import { traceHeaders } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import { SERVICES } from '../../kernel/services.js';
import { isRecord } from '../../kernel/text.js';
import {
  type CacheOutcome,
  type StaleReason,
  type StoredData,
  sentWeight,
  type UpstreamCall,
} from '../../kernel/trace.js';
import { credentialHeader, refusesToken, tokenHeader } from '../../runtime/credentials/credentials.js';
import { createErrorList, createOmissions, type OmittedErrors } from '../../runtime/errors.js';
import { readJson } from '../../runtime/event-loop/json.js';
import { HEADER_LENGTHS } from '../../runtime/http/request-headers.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { createCallerSlots } from '../limits/caller-queue.js';
import { deadlineExceeded, type GatewayRequest, responseTooLarge } from '../request/request.js';
import { isRequestError, type SubgraphExecutor } from './source.js';
import type { ReceivedResponse, SubgraphResponses } from './subgraph-responses.js';
import { type Pool, type RemoteState, type SubgraphAddress, tokenRefused } from './subgraph-state.js';

/** Enough for 500 recorded calls and 1,000 errors. */
const MIN_BYTES = 4 * 1024 * 1024;

/** Subgraph responses are larger than what clients see: they have keys, type names, errors and recorded calls. */
const RESPONSE_FACTOR = 2;

/** Connections to one subgraph, which itself makes callers take turns: enough for all that it lets wait of several. */
const CONNECTIONS = 512;

/** The connection pool of all subgraphs. Requests have deadlines; undici's default timeouts only end what hangs. */
export function createPool(maxResponseBytes: number): Pool {
  return new Agent({
    connections: CONNECTIONS,
    connect: { timeout: 3_000 },
    maxResponseSize: Math.max(MIN_BYTES, RESPONSE_FACTOR * maxResponseBytes),
  });
}

/** How to reach one of our subgraphs over HTTP. */
interface HttpSubgraphOptions extends SubgraphAddress {
  /** The connection pool that all subgraphs share. */
  readonly dispatcher: Pool;
  /** Updated from each response, and when there is none. */
  readonly state: RemoteState;
  /** Shared by all subgraphs. */
  readonly responses: SubgraphResponses;
}

/**
 * Executes on one of our subgraphs over HTTP, with the caller's credential for this service and no other. Responses
 * that the subgraph had cached for everybody are served again from here while they are fresh.
 */
export function createHttpExecutor(options: HttpSubgraphOptions): SubgraphExecutor {
  const { service, url, token, dispatcher, state, responses } = options;
  // In the pool's own queue, which is first in, first out, nothing could be aborted.
  const slots = createCallerSlots(CONNECTIONS);

  async function execute(request: SubgraphRequest, operation: OperationContext, gatewayRequest: GatewayRequest) {
    const text = JSON.stringify(request);
    const isShared = !operation.internal && !operation.dryRun && operation.credential === null && !isMutation(request);
    const stored = isShared ? responses.find(service, text) : null;
    if (stored !== null) {
      recordCalls(stored, gatewayRequest.recorder.elapsedMs(), operation, gatewayRequest);
      return { data: (await readJson(stored.data)) as Record<string, unknown> };
    }
    const own = await callSubgraph(request, text, operation, gatewayRequest);
    const response = checkEntities(service, request, own.response);
    if (isShared) responses.learn(service, text, { ...own, response });
    return response;
  }

  async function callSubgraph(
    request: SubgraphRequest,
    text: string,
    operation: OperationContext,
    gatewayRequest: GatewayRequest,
  ): Promise<ReceivedResponse> {
    const { credential, dryRun, planNode, span } = operation;
    const { allowance } = gatewayRequest;
    const leave = await slots.enter(gatewayRequest);
    if (gatewayRequest.remainingMs() <= 0) {
      leave();
      throw deadlineExceeded();
    }
    const startMs = gatewayRequest.recorder.elapsedMs();
    const headers = {
      'x-request-id': gatewayRequest.id,
      'x-passerelle-deadline-ms': String(Math.floor(gatewayRequest.remainingMs())),
      // It has the client's aliases, of any length; the calls that come back get the whole.
      'x-passerelle-fetch': planNode.slice(0, HEADER_LENGTHS['x-passerelle-fetch']),
      ...(allowance !== null && { 'x-passerelle-calls-left': String(allowance.left()) }),
      ...(dryRun === true && { 'x-passerelle-dry-run': '1' }),
      ...(span !== undefined && traceHeaders(span)),
      ...(token !== null && { 'x-passerelle-caller': gatewayRequest.callerId }),
      ...tokenHeader(token),
      ...(credential !== null && credentialHeader(service, credential)),
    };
    const call = { service, url, dispatcher, headers, token, state };
    const own = await post(call, { request, text }, gatewayRequest).finally(leave);
    if (!own.isCacheable) gatewayRequest.recorder.forbidCaching();
    recordCalls(own, startMs, operation, gatewayRequest);
    allowance?.spend(own.calls.reduce((sum, call) => sum + sentWeight(call), 0));
    return own;
  }

  return { service, execute };
}

/** Records the calls that a subgraph lists, with times relative to its operation, as calls of the request. */
function recordCalls(
  { calls, stored = [] }: Pick<ReceivedResponse, 'calls' | 'stored'>,
  startMs: number,
  { planNode }: OperationContext,
  { recorder }: GatewayRequest,
): void {
  for (const data of stored) recorder.readStored(data);
  for (const row of calls) recorder.record({ ...row, startMs: startMs + row.startMs, planNode });
}

interface Call extends Omit<HttpSubgraphOptions, 'responses'> {
  readonly headers: Readonly<Record<string, string>>;
}

async function post(
  call: Call,
  { request, text }: { readonly request: SubgraphRequest; readonly text: string },
  gatewayRequest: GatewayRequest,
): Promise<ReceivedResponse> {
  const { service } = call;
  let status: number;
  let isRefused: boolean;
  let body: Buffer;
  const abort = new AbortController();
  const end = gatewayRequest.onCutoff((reason) => abort.abort(reason));
  try {
    const response = await send(call.url, {
      method: 'POST',
      dispatcher: call.dispatcher,
      headers: { ...call.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: text,
      signal: abort.signal,
    });
    status = response.statusCode;
    isRefused = refusesToken(response, call.token);
    body = Buffer.from(await response.body.arrayBuffer());
    call.state.update(response.headers);
  } catch (error) {
    throw translate(error, call, request);
  } finally {
    end();
  }
  if (isRefused) call.state.markTokenRefused();
  const response = isRefused ? null : readResponse(await readJson(body));
  // 401 is about the token, whether the gateway has one or not.
  if (response !== null && status !== 401) return { ...response, bytes: body.length };
  const unread = unlessInDoubt(`The subgraph ${service} did not respond with GraphQL.`, service, request);
  const message = isRefused ? `The subgraph ${service} refuses the token of the gateway.` : unread;
  const cause = new Error(isRefused ? tokenRefused(service) : `${service} responded with status ${status}.`);
  throw new CodedError('UPSTREAM_UNAVAILABLE', message, { service, cause });
}

/** A mutation that was sent may have been executed, whatever happened to the response. */
function unlessInDoubt(message: string, name: string, request: SubgraphRequest): string {
  if (!isMutation(request)) return message;
  return `The subgraph ${name} did not confirm this write, which may have been done: check before you repeat it.`;
}

function isMutation({ query }: SubgraphRequest): boolean {
  return /^\s*mutation\b/.test(query);
}

function translate(error: unknown, { service, state }: Call, request: SubgraphRequest): CodedError {
  // The request was cut off: the deadline is over, or the client disconnected.
  if (error instanceof CodedError) {
    return new CodedError(error.code, unlessInDoubt(error.message, service, request), { service, cause: error });
  }
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return responseTooLarge(`The response of the subgraph ${service} is too large.`);
  }
  state.markUnreachable();
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    const message = unlessInDoubt(`The subgraph ${service} took too long.`, service, request);
    return new CodedError('UPSTREAM_TIMEOUT', message, { service, cause: error });
  }
  const unreached = `The subgraph ${service} cannot be reached.`;
  const message = NOT_SENT.has(codeOf(error)) ? unreached : unlessInDoubt(unreached, service, request);
  return new CodedError('UPSTREAM_UNAVAILABLE', message, { service, cause: error });
}

/** Codes of connections that were never made: nothing has left this process. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Checks the JSON body of a subgraph's response, which has coded errors and lists its recorded calls in the extensions;
 * null if it is not a GraphQL response.
 */
function readResponse(json: unknown): Omit<ReceivedResponse, 'bytes'> | null {
  if (!isRecord(json)) return null;
  const { data, errors: listed, extensions } = json as { data?: unknown; errors?: unknown; extensions?: unknown };
  // Next to data, some servers list errors even if there are none.
  const isNone = isRecord(data) && (listed === null || (Array.isArray(listed) && listed.length === 0));
  const errors = isNone ? undefined : listed;
  if (data !== undefined && data !== null && !isRecord(data)) return null;
  if (errors !== undefined && !(Array.isArray(errors) && errors.length > 0)) return null;
  if (data === undefined && errors === undefined) return null;
  const { passerelleCalls: rows, passerelleStored, passerelleUncacheable } = isRecord(extensions) ? extensions : {};
  const calls = Array.isArray(rows) ? rows.filter(isCall) : [];
  const isCacheable = Array.isArray(rows) && calls.length === rows.length && passerelleUncacheable === undefined;
  const stored = Array.isArray(passerelleStored) ? passerelleStored.filter(isStored) : [];
  const response = { data, ...(errors !== undefined && readErrors(errors, extensions)) };
  return { response, calls, stored, isCacheable };
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
  const { code, service, retryAfterSeconds, argument, ownCallsFollow } = documented as Record<string, unknown>;
  return {
    message: typeof message === 'string' ? message : 'A subgraph failed to respond.',
    ...(isPath(path) && { path }),
    extensions: {
      ...(typeof code === 'string' && { code }),
      ...(typeof service === 'string' && { service }),
      ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
      ...(isPath(argument) && { argument }),
      ...(ownCallsFollow === true && { ownCallsFollow }),
    },
  };
}

function isPath(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((key) => typeof key === 'string' || typeof key === 'number');
}

const OUTCOMES: ReadonlySet<unknown> = new Set<CacheOutcome>(['HIT', 'STALE', 'MISS', 'COALESCED', 'BYPASS']);

/** Nothing is fresh for longer: reference data are fresh for a day and a tenth (architecture 6). */
const LONGEST_FRESH_MS = 2 * 24 * 3_600_000;

function isCall(row: unknown): row is UpstreamCall {
  if (!isRecord(row)) return false;
  const { service, status, cache, stale, freshMs } = row;
  const isNumber = (name: string) => typeof row[name] === 'number';
  return (
    SERVICES.some((name) => name === service) &&
    ['method', 'path'].every((name) => typeof row[name] === 'string') &&
    (status === null || isNumber('status')) &&
    ['startMs', 'ms', 'bytes', 'entities', 'retries'].every(isNumber) &&
    OUTCOMES.has(cache) &&
    ['freshMs', 'queuedMs', 'weight'].every((name) => row[name] === undefined || isNumber(name)) &&
    (freshMs === undefined || Number(freshMs) <= LONGEST_FRESH_MS) &&
    (stale === undefined || isStaleness(stale))
  );
}

function isStored(data: unknown): data is StoredData {
  const { service, asOf } = isRecord(data) ? data : {};
  return SERVICES.some((name) => name === service) && typeof asOf === 'string' && readDate(asOf) !== null;
}

const STALE_REASONS: ReadonlySet<unknown> = new Set<StaleReason>(['REVALIDATING', 'SLOW', 'OUTAGE', 'QUOTA']);

function isStaleness(stale: unknown): boolean {
  if (!isRecord(stale)) return false;
  const { reason, ageSeconds, staleSeconds } = stale as Record<string, unknown>;
  return STALE_REASONS.has(reason) && [ageSeconds, staleSeconds].every((value) => typeof value === 'number');
}

/**
 * Checks the entities in a subgraph's response. An item that is no entity becomes null, with an error. Throws if there
 * are more or fewer than representations, since they cannot be matched then, unless the subgraph itself reports why.
 */
function checkEntities(name: string, request: SubgraphRequest, response: SubgraphResponse): SubgraphResponse {
  const representations = request.variables?.['representations'];
  const { data, errors = [] } = response;
  if (!Array.isArray(representations) || (!data && errors.length > 0)) return response;
  const entities = data?.['_entities'];
  const message = `The subgraph ${name} did not respond with the requested entities.`;
  if (!Array.isArray(entities) || entities.length !== representations.length) {
    if (errors.some(isRequestError)) return { ...response, data: null };
    const count = Array.isArray(entities) ? entities.length : 'no list of';
    const cause = new Error(`${name} responded with ${count} entities to ${representations.length} representations.`);
    throw new CodedError('UPSTREAM_INVALID_RESPONSE', message, { cause });
  }
  const isEntity = (item: unknown) => item === null || isRecord(item);
  if (entities.every(isEntity)) return response;
  const extensions = { code: 'UPSTREAM_INVALID_RESPONSE' };
  const added = entities.flatMap((item, index) =>
    isEntity(item) ? [] : [{ message, path: ['_entities', index], extensions }],
  );
  const checked = entities.map((item) => (isEntity(item) ? item : null));
  return { ...response, data: { ...data, _entities: checked }, errors: [...errors, ...added] };
}
