import { Agent, type Dispatcher, errors, request as undici } from 'undici';
import { CodedError } from '../../kernel/errors.js';
import { traceHeaders } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import { sentWeight } from '../../kernel/trace.js';
import { credentialHeader, refusesToken, tokenHeader } from '../../runtime/credentials/credentials.js';
import { readJson } from '../../runtime/event-loop/json.js';
import { HEADER_LENGTHS } from '../../runtime/http/request-headers.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { createCallerQueue } from '../limits/caller-queue.js';
import { deadlineExceeded, type GatewayRequest, responseTooLarge } from '../request/request.js';
import { readAnswer, type SubgraphAnswer } from './subgraph-answer.js';
import { type RemoteState, type SubgraphAddress, tokenRefused } from './subgraph-state.js';
import type { ExecuteForRequest } from './subgraphs.js';

/** Connections to one subgraph, which itself makes callers take turns: enough for all that it lets wait of several. */
const CONNECTIONS = 512;

/** Enough for 500 recorded calls and 1,000 errors. */
const MIN_BYTES = 4 * 1024 * 1024;

/** Subgraph responses are larger than what clients see: they have keys, type names, errors and recorded calls. */
const RESPONSE_FACTOR = 2;

/** Connections to subgraphs. */
export type Pool = Dispatcher;

/** The connections to all subgraphs. Requests have deadlines; undici's default timeouts only end what hangs. */
export function createPool(maxResponseBytes: number): Dispatcher {
  return new Agent({
    connections: CONNECTIONS,
    connect: { timeout: 3_000 },
    maxResponseSize: Math.max(MIN_BYTES, RESPONSE_FACTOR * maxResponseBytes),
  });
}

/** How to reach one of our subgraphs over HTTP. */
interface HttpSubgraphOptions extends SubgraphAddress {
  /** The connection pool that all subgraphs share. */
  readonly dispatcher: Dispatcher;
  /** Updated from each response, and when there is none. */
  readonly state: RemoteState;
}

/**
 * Executes on one of our subgraphs over HTTP, with the caller's credential for this service and no other, in the time
 * that its request has left, and records the calls that the subgraph made. The library's own data source for HTTP can
 * neither be cut off nor limited.
 */
export function createHttpExecutor(options: HttpSubgraphOptions): ExecuteForRequest {
  // In the pool's own queue, which is first in, first out, nothing could be aborted.
  const queue = createCallerQueue({ name: 'operations', ofCaller: 128, ofAll: CONNECTIONS, waiting: 1_000 });

  return async (request, operation, gatewayRequest) => {
    const { recorder, allowance } = gatewayRequest;
    const leave = await queue.enter(gatewayRequest);
    const startMs = recorder.elapsedMs();
    const answer = await send(request, operation, gatewayRequest, options).finally(leave);
    const { calls, stored, isCacheable, response } = answer;
    if (!isCacheable) recorder.forbidCaching();
    for (const data of stored) recorder.readStored(data);
    for (const row of calls) recorder.record({ ...row, startMs: startMs + row.startMs, planNode: operation.planNode });
    allowance?.spend(calls.reduce((sum, call) => sum + sentWeight(call), 0));
    return checkCount(options.service, request, response);
  };
}

async function send(
  request: SubgraphRequest,
  operation: OperationContext,
  gatewayRequest: GatewayRequest,
  options: HttpSubgraphOptions,
): Promise<SubgraphAnswer> {
  const { url, dispatcher } = options;
  if (gatewayRequest.remainingMs() <= 0) throw deadlineExceeded();
  const abort = new AbortController();
  const end = gatewayRequest.onCutoff((reason) => abort.abort(reason));
  try {
    const { query, variables = {} } = request;
    const headers = headersOf(operation, gatewayRequest, options);
    const body = JSON.stringify({ query, variables });
    const { signal } = abort;
    const response = await undici(url, { method: 'POST', headers, body, dispatcher, signal });
    return await readResponse(response, options, request);
  } catch (error) {
    throw translate(error, options, request);
  } finally {
    end();
  }
}

async function readResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { service, token, state }: HttpSubgraphOptions,
  request: SubgraphRequest,
): Promise<SubgraphAnswer> {
  const json = Buffer.from(await body.arrayBuffer());
  state.update(headers);
  if (refusesToken({ statusCode, headers }, token)) {
    state.markTokenRefused();
    const cause = new Error(tokenRefused(service));
    throw unavailable(`The subgraph ${service} refuses the token of the gateway.`, service, cause);
  }
  // 401 is about the token, whether the gateway has one or not.
  const answer = statusCode === 401 ? null : readAnswer(await readJson(json));
  if (answer !== null) return answer;
  const cause = new Error(`${service} responded with status ${statusCode}.`);
  const message = `The subgraph ${service} did not respond with GraphQL.`;
  throw unavailable(unlessInDoubt(message, service, request), service, cause);
}

function headersOf(
  { credential, dryRun, planNode, span }: OperationContext,
  { id, callerId, allowance, remainingMs }: GatewayRequest,
  { service, token }: HttpSubgraphOptions,
): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'x-request-id': id,
    'x-passerelle-deadline-ms': String(Math.floor(remainingMs())),
    // It has the client's aliases, of any length; the calls that come back get the whole.
    'x-passerelle-fetch': planNode.slice(0, HEADER_LENGTHS['x-passerelle-fetch']),
    ...(allowance !== null && { 'x-passerelle-calls-left': String(allowance.left()) }),
    ...(dryRun === true && { 'x-passerelle-dry-run': '1' }),
    ...(span !== undefined && traceHeaders(span)),
    ...(token !== null && { 'x-passerelle-caller': callerId }),
    ...tokenHeader(token),
    ...(credential !== null && credentialHeader(service, credential)),
  };
}

/** What callers learn of entities that cannot be used. */
export const NO_ENTITIES = 'A subgraph did not respond with the requested entities.';

/** Throws if there are not as many entities as representations were sent, unless the subgraph itself reports why. */
function checkCount(name: string, { variables }: SubgraphRequest, response: SubgraphResponse): SubgraphResponse {
  const sent = variables?.['representations'];
  const entities = response.data?.['_entities'];
  if (!Array.isArray(sent) || (Array.isArray(entities) && entities.length === sent.length)) return response;
  if (response.errors !== undefined) return { ...response, data: null };
  const count = Array.isArray(entities) ? entities.length : 'no list of';
  const cause = new Error(`${name} responded with ${count} entities to ${sent.length} representations.`);
  throw new CodedError('UPSTREAM_INVALID_RESPONSE', NO_ENTITIES, { cause });
}

/** A mutation that was sent may have been executed, whatever happened to the response. */
function unlessInDoubt(message: string, name: string, { query }: SubgraphRequest): string {
  if (!/^\s*mutation\b/.test(query)) return message;
  return `The subgraph ${name} did not confirm this write, which may have been done: check before you repeat it.`;
}

function unavailable(message: string, service: HttpSubgraphOptions['service'], cause: unknown): CodedError {
  return new CodedError('UPSTREAM_UNAVAILABLE', message, { service, cause });
}

/** What an operation failed with: as it was read, as its request was cut off, or as the connection broke. */
function translate(error: unknown, { service, state }: HttpSubgraphOptions, request: SubgraphRequest): CodedError {
  if (error instanceof CodedError && error.code !== 'DEADLINE_EXCEEDED') return error;
  if (error instanceof CodedError) {
    const message = unlessInDoubt(error.message, service, request);
    return new CodedError(error.code, message, { service, cause: error });
  }
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return responseTooLarge(`The response of the subgraph ${service} is too large.`);
  }
  state.markUnreachable();
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    const message = unlessInDoubt(`The subgraph ${service} took too long.`, service, request);
    return new CodedError('UPSTREAM_TIMEOUT', message, { service, cause: error });
  }
  const message = `The subgraph ${service} cannot be reached.`;
  const wasSent = !NOT_SENT.has((error as { readonly code?: unknown }).code);
  return unavailable(wasSent ? unlessInDoubt(message, service, request) : message, service, error);
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
