import type { GraphQLFormattedError } from 'graphql';
import { Agent, type Dispatcher, errors, request as send } from 'undici';
import { z } from 'zod';
import { LONGEST_FRESH_MS } from '../../kernel/bounds.js';
import { readDate } from '../../kernel/dates.js';
import { CodedError } from '../../kernel/errors.js';
import { traceHeaders } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import { isRecord } from '../../kernel/text.js';
import { sentWeight, type UpstreamCall } from '../../kernel/trace.js';
import { credentialHeader, refusesToken, tokenHeader } from '../../runtime/credentials/credentials.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import { readJson } from '../../runtime/event-loop/json.js';
import { HEADER_LENGTHS } from '../../runtime/http/request-headers.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { createCallerQueue } from '../limits/caller-queue.js';
import { MAX_FIELDS } from '../limits/operation-limits.js';
import { deadlineExceeded, type GatewayRequest, responseTooLarge } from '../request/request.js';
import type { RemoteState, SubgraphAddress } from './subgraph-state.js';

/** Connections to one subgraph, which itself makes callers take turns: enough for all that it lets wait of several. */
const CONNECTIONS = 512;

/** Enough for 500 recorded calls and 1,000 errors. */
const MIN_BYTES = 4 * 1024 * 1024;

/** Subgraph responses are larger than what clients see: they have keys, type names, errors and recorded calls. */
export const RESPONSE_FACTOR = 2;

/** The connections to all subgraphs. Requests have deadlines; undici's default timeouts only end what hangs. */
export function createPool(maxResponseBytes: number): Dispatcher {
  return new Agent({
    connections: CONNECTIONS,
    connect: { timeout: 3_000 },
    maxResponseSize: Math.max(MIN_BYTES, RESPONSE_FACTOR * maxResponseBytes),
  });
}

/** Executes an operation of a request. Throws a CodedError that says why it failed, or an internal error. */
export type ExecuteForRequest = (
  request: SubgraphRequest,
  operation: OperationContext,
  gatewayRequest: GatewayRequest,
) => Promise<SubgraphResponse>;

/**
 * Executes on one of our subgraphs over HTTP, with the caller's credential for this service and no other, in the time
 * that its request has left, and records the calls that the subgraph made, and the state that its response tells. The
 * library's own data source for HTTP can neither be cut off nor limited.
 */
export function createHttpExecutor(
  address: SubgraphAddress,
  dispatcher: Dispatcher,
  state: Pick<RemoteState, 'update' | 'markUnreachable'>,
): ExecuteForRequest {
  const { service, url } = address;
  // In the pool's own queue, which is first in, first out, nothing could be aborted.
  const queue = createCallerQueue({ name: 'operations', ofCaller: 128, ofAll: CONNECTIONS, waiting: 1_000 });
  return async (request, operation, gatewayRequest) => {
    const { query, variables } = request;
    const { planNode } = operation;
    const leave = await queue.enter(gatewayRequest);
    const startMs = gatewayRequest.recorder.elapsedMs();
    const abort = new AbortController();
    const end = gatewayRequest.onCutoff((reason) => abort.abort(reason));
    try {
      if (gatewayRequest.remainingMs() <= 0) throw deadlineExceeded();
      const headers = headersOf(operation, gatewayRequest, address);
      const body = JSON.stringify({ query, variables: variables ?? {} });
      const received = await send(url, { method: 'POST', headers, body, dispatcher, signal: abort.signal });
      state.update(received.headers);
      const { extensions, ...response } = await readResponse(received, address);
      recordCalls(extensions, gatewayRequest, { startMs, planNode });
      const places = extensions.passerelleOmittedPlaces.slice(0, MAX_FIELDS);
      const omitted = { count: extensions.errorsOmitted, places };
      return checkCount(service, request, { ...response, omitted: omitted.count > 0 ? omitted : undefined });
    } catch (error) {
      if (isLost(error)) state.markUnreachable();
      throw translate(error, service, request);
    } finally {
      end();
      leave();
    }
  };
}

function recordCalls(
  { passerelleCalls: calls, passerelleStored: stored, passerelleUncacheable }: z.infer<typeof ANSWER>['extensions'],
  { recorder, allowance }: GatewayRequest,
  { startMs, planNode }: Pick<UpstreamCall, 'startMs' | 'planNode'>,
): void {
  // What does not list all of its calls may be read anew at any time.
  if (calls.includes(null) || passerelleUncacheable !== undefined) recorder.forbidCaching();
  for (const data of stored) if (data !== null) recorder.readStored(data);
  for (const call of calls) {
    if (call === null) continue;
    recorder.record({ ...call, startMs: startMs + call.startMs, planNode });
    allowance?.spend(sentWeight(call));
  }
}

function headersOf(
  { credential, dryRun, planNode, span }: OperationContext,
  { id, callerId, allowance, remainingMs }: GatewayRequest,
  { service, token }: SubgraphAddress,
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

/** Only what callers may see: message, path, and the documented extensions. */
const PATH = z
  .array(z.union([z.string(), z.number()]))
  .optional()
  .catch(undefined);
const DETAILS = z.object({
  code: z.unknown().optional(),
  service: z.enum(SERVICES).optional().catch(undefined),
  argument: PATH,
  retryAfterSeconds: z.number().nonnegative().optional().catch(undefined),
});
const ERROR = z.object({
  message: z.string().catch(INTERNAL_MESSAGE),
  path: PATH,
  extensions: z.optional(DETAILS).catch(undefined),
}) as z.ZodType<unknown> as z.ZodType<GraphQLFormattedError>;

/** What totals, limits and headers are made of. The rest of a call is for the trace, as the subgraph says it. */
const CALL = z.looseObject({
  service: z.enum(SERVICES),
  startMs: z.number(),
  cache: z.enum(['HIT', 'STALE', 'MISS', 'COALESCED', 'BYPASS']),
  freshMs: z.number().max(LONGEST_FRESH_MS).optional(),
  sent: z.number().nonnegative().optional(),
  weight: z.number().nonnegative().optional(),
  stale: z
    .object({
      reason: z.enum(['REVALIDATING', 'SLOW', 'OUTAGE', 'QUOTA']),
      ageSeconds: z.number(),
      staleSeconds: z.number(),
    })
    .optional(),
}) as z.ZodType<unknown> as z.ZodType<UpstreamCall>;

const STORED = z.object({ service: z.enum(SERVICES), asOf: z.string().refine((text) => readDate(text) !== null) });

/** A list with null in the place of each item that cannot be read, as from another version. */
const listOf = <T>(item: z.ZodType<T>) => z.array(item.nullable().catch(null));

const ANSWER = z
  .object({
    data: z.custom<Record<string, unknown>>(isRecord).nullish(),
    errors: z.array(ERROR).nullish(),
    extensions: z.preprocess(
      (value) => (isRecord(value) ? value : {}),
      z.object({
        passerelleCalls: listOf(CALL).catch([null]),
        passerelleStored: listOf(STORED).catch([]),
        passerelleUncacheable: z.unknown().optional(),
        errorsOmitted: z.int().positive().catch(0),
        passerelleOmittedPlaces: z.array(z.array(z.string())).catch([]),
      }),
    ),
  })
  // Next to data, some servers list errors even if there are none.
  .refine(({ data, errors }) => errors?.length || (data === null ? errors === undefined : data))
  .transform(({ errors, ...answer }) => ({ ...answer, errors: errors?.length ? errors : undefined }));

async function readResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { service, token }: SubgraphAddress,
): Promise<z.infer<typeof ANSWER>> {
  const json = Buffer.from(await body.arrayBuffer());
  const refused = `The subgraph ${service} refuses the token of the gateway.`;
  if (refusesToken({ statusCode, headers }, token)) throw new CodedError('UPSTREAM_UNAVAILABLE', refused, { service });
  // 401 is about the token, whether the gateway has one or not.
  const { data: answer } = ANSWER.safeParse(statusCode === 401 ? null : await readJson(json));
  if (answer === undefined) throw new NoAnswer(`${service} responded with status ${statusCode}.`);
  return answer;
}

/** A response that is not GraphQL. */
class NoAnswer extends Error {}

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

/** Whether the connection broke, or was never made. */
function isLost(error: unknown): boolean {
  const isAnswer = error instanceof NoAnswer || error instanceof errors.ResponseExceededMaxSizeError;
  return !isAnswer && !(error instanceof CodedError);
}

/** What an operation failed with: as it was read, as its request was cut off, or as the connection broke. */
function translate(error: unknown, service: ServiceName, { query }: SubgraphRequest): CodedError {
  const isCutOff = error instanceof CodedError && error.code === 'DEADLINE_EXCEEDED';
  if (error instanceof CodedError && !isCutOff) return error;
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return responseTooLarge(`The response of the subgraph ${service} is too large.`);
  const why = isLost(error) ? 'cannot be reached' : 'did not respond with GraphQL';
  // A mutation that was sent may have been executed, whatever happened to the response.
  const wasSent = !NOT_SENT.test(String((error as { readonly code?: unknown }).code));
  const isInDoubt = wasSent && /^\s*mutation\b/.test(query);
  const doubt = `The subgraph ${service} did not confirm this write, which may have been done: check before you repeat it.`;
  const message = isCutOff ? error.message : `The subgraph ${service} ${why}.`;
  const code = isCutOff ? 'DEADLINE_EXCEEDED' : 'UPSTREAM_UNAVAILABLE';
  return new CodedError(code, isInDoubt ? doubt : message, { service, cause: error });
}

/** Codes of connections that were never made: nothing has left this process. */
const NOT_SENT = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;
