import type { GraphQLFormattedError } from 'graphql';
import { Agent, type Dispatcher, errors, request as undici } from 'undici';
import { z } from 'zod';
import { CodedError } from '../../kernel/errors.js';
import { traceHeaders } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import { isRecord } from '../../kernel/text.js';
import { type StoredData, sentWeight, type UpstreamCall } from '../../kernel/trace.js';
import { credentialHeader, tokenHeader } from '../../runtime/credentials/credentials.js';
import { createErrorList, createOmissions, INTERNAL_MESSAGE } from '../../runtime/errors.js';
import { readJson } from '../../runtime/event-loop/json.js';
import { HEADER_LENGTHS } from '../../runtime/http/request-headers.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { createCallerQueue } from '../limits/caller-queue.js';
import { deadlineExceeded, type GatewayRequest, responseTooLarge } from '../request/request.js';
import type { RemoteState, SubgraphAddress } from './subgraph-state.js';
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
  { service, state }: HttpSubgraphOptions,
  request: SubgraphRequest,
): Promise<SubgraphAnswer> {
  const json = Buffer.from(await body.arrayBuffer());
  state.update(headers);
  if (statusCode === 401) {
    state.markTokenRefused();
    const cause = new Error('The gateway and the subgraph have different values of SUBGRAPH_TOKEN.');
    throw unavailable(`The subgraph ${service} refuses the token of the gateway.`, service, cause);
  }
  const answer = readAnswer(await readJson(json));
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
    'x-passerelle-caller': callerId,
    ...tokenHeader(token),
    ...(credential !== null && credentialHeader(service, credential)),
  };
}

/** What a subgraph in another process answered. */
interface SubgraphAnswer {
  readonly response: SubgraphResponse;
  /** Recorded calls, with times relative to the start of the operation. */
  readonly calls: readonly UpstreamCall[];
  /** What was read without a call. */
  readonly stored: readonly StoredData[];
  /** Whether it may be cached while all of its calls are fresh. */
  readonly isCacheable: boolean;
}

const PATH = z.array(z.union([z.string(), z.number()]));

/** Only what callers may see: message, path, and the documented extensions. */
const ERROR = z
  .object({
    message: z.string().catch(INTERNAL_MESSAGE),
    path: PATH.optional().catch(undefined),
    extensions: z
      .object({
        code: z.string().optional(),
        service: z.string().optional(),
        retryAfterSeconds: z.number().optional(),
        argument: PATH.optional(),
      })
      .catch({}),
  })
  .catch({ message: INTERNAL_MESSAGE, extensions: {} }) as z.ZodType<unknown> as z.ZodType<GraphQLFormattedError>;

/** Whatever answers there may send errors; of its calls, whoever knows the token is believed. */
const ANSWER = z.object({
  data: z.custom<Record<string, unknown>>(isRecord).nullish(),
  errors: z.array(ERROR).nullish(),
  extensions: z
    .object({
      passerelleCalls: z.custom<readonly UpstreamCall[]>(Array.isArray),
      passerelleStored: z.custom<readonly StoredData[]>(Array.isArray).default([]),
      passerelleUncacheable: z.unknown().optional(),
      errorsOmitted: z.number().default(0),
      passerelleOmittedPlaces: z.array(z.array(z.string())).default([]),
    })
    .optional()
    .catch(undefined),
});

/** Checks the JSON body of a subgraph's answer; null if it is not a GraphQL response. */
function readAnswer(json: unknown): SubgraphAnswer | null {
  const { data: answer } = ANSWER.safeParse(json);
  if (answer === undefined) return null;
  const { data, extensions } = answer;
  const errors = answer.errors ?? [];
  // Next to data, some servers list errors even if there are none.
  if (errors.length === 0 && (data === undefined || (data === null && answer.errors !== undefined))) return null;
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  const { errorsOmitted: count = 0, passerelleOmittedPlaces: places = [] } = extensions ?? {};
  if (count > 0) omissions.include({ count, places });
  for (const error of errors) list.add(error.path, () => error);
  return {
    response: { data, ...(errors.length > 0 && { errors: list.errors, omitted: omissions.read() }) },
    calls: extensions?.passerelleCalls ?? [],
    stored: extensions?.passerelleStored ?? [],
    isCacheable: extensions !== undefined && extensions.passerelleUncacheable === undefined,
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
