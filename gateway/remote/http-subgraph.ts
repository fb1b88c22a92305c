import type { GraphQLFormattedError } from 'graphql';
import { Agent, type Dispatcher, errors, request as send } from 'undici';
import { z } from 'zod';
import { CodedError, type ErrorCode } from '../../kernel/errors.js';
import { type Log, traceHeaders } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import { SERVICES } from '../../kernel/services.js';
import { isRecord } from '../../kernel/text.js';
import { STORED_DATA, sentWeight, UPSTREAM_CALL } from '../../kernel/trace.js';
import { credentialHeader, refusesToken, tokenHeader } from '../../runtime/credentials/credentials.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import { readJson } from '../../runtime/event-loop/json.js';
import { HEADER_LENGTHS } from '../../runtime/http/request-headers.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { createCallerQueue } from '../limits/caller-queue.js';
import { MAX_FIELDS } from '../limits/operation-limits.js';
import { deadlineExceeded, type GatewayRequest, responseTooLarge } from '../request/request.js';
import { createRemoteState, type SubgraphAddress } from './subgraph-state.js';

/** Connections to one subgraph, which itself makes callers take turns: enough for all that it lets wait of several. */
const CONNECTIONS = 512;

/** Enough for 500 recorded calls and 1,000 errors. */
const MIN_BYTES = 4 * 1024 * 1024;

/** Subgraph responses are larger than what clients see: they have keys, type names, errors and recorded calls. */
export const RESPONSE_FACTOR = 2;

/**
 * A subgraph of ours in another process. `maxResponseBytes` limits one response to a client, in bytes of JSON. The
 * library's own data source for HTTP can neither be cut off nor limited.
 */
export function createHttpSubgraph(
  address: SubgraphAddress,
  { maxResponseBytes, log }: { readonly maxResponseBytes: number; readonly log: Log },
) {
  const { service, url } = address;
  const state = createRemoteState(address, log);
  // Requests have deadlines; undici's default timeouts only end what hangs.
  const dispatcher = new Agent({
    connections: CONNECTIONS,
    connect: { timeout: 3_000 },
    maxResponseSize: Math.max(MIN_BYTES, RESPONSE_FACTOR * maxResponseBytes),
  });
  // In the pool's own queue, which is first in, first out, nothing could be aborted.
  const queue = createCallerQueue({ name: 'operations', ofCaller: 128, ofAll: CONNECTIONS, waiting: 1_000 });

  async function execute(request: SubgraphRequest, operation: OperationContext, gatewayRequest: GatewayRequest) {
    const { query, variables } = request;
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
      const { calls, ...response } = await readResponse(received, address, query);
      recordCalls(calls, gatewayRequest, startMs, operation.planNode);
      return checkCount(service, request, response);
    } catch (error) {
      if (error instanceof errors.ResponseExceededMaxSizeError)
        throw responseTooLarge(`The response of the subgraph ${service} is too large.`);
      if (error instanceof CodedError && error.code !== 'DEADLINE_EXCEEDED') throw error;
      if (error instanceof CodedError)
        throw noResponse(address, query, error.message, { code: error.code, cause: error });
      state.markUnreachable();
      throw noResponse(address, query, `The subgraph ${service} cannot be reached.`, { cause: error });
    } finally {
      end();
      leave();
    }
  }

  return {
    ...state,
    /**
     * Executes with the caller's credential for this service and no other, in the time that its request has left, and
     * records the calls that the subgraph made, and the state that its response tells. Throws a CodedError that says why
     * it failed.
     */
    execute,
    close: () => Promise.all([dispatcher.close(), state.close()]),
  };
}

function recordCalls(told: Answer['calls'], request: GatewayRequest, startMs: number, planNode: string): void {
  const { passerelleCalls: calls, passerelleStored: stored, passerelleUncacheable } = told;
  const { recorder, allowance } = request;
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

/** The value if it can be read, else none, as from another version. */
const ifReadable = <T>(type: z.ZodType<T>) => type.optional().catch(undefined);

/** Only what callers may see: message, path, and the documented extensions. */
const PATH = ifReadable(z.array(z.union([z.string(), z.number()])));
const DETAILS = z.object({
  code: z.unknown().optional(),
  service: ifReadable(z.enum(SERVICES)),
  argument: PATH,
  retryAfterSeconds: ifReadable(z.number().nonnegative()),
});
const ERROR = z.object({
  message: z.string().catch(INTERNAL_MESSAGE),
  path: PATH,
  extensions: ifReadable(DETAILS),
}) as z.ZodType<unknown> as z.ZodType<GraphQLFormattedError>;

/** A list with null in the place of each item that cannot be read. */
const listOf = <T>(item: z.ZodType<T>) => z.array(item.nullable().catch(null));

const EXTENSIONS = z.object({
  passerelleCalls: listOf(UPSTREAM_CALL).catch([null]),
  passerelleStored: listOf(STORED_DATA).catch([]),
  passerelleUncacheable: z.unknown().optional(),
  errorsOmitted: z.int().positive().catch(0),
  passerelleOmittedPlaces: z.array(z.array(z.string())).catch([]),
});

const ANSWER = z
  .object({
    data: z.custom<Record<string, unknown>>(isRecord).nullish(),
    errors: z.array(ERROR).nullish(),
    extensions: z.preprocess((value) => (isRecord(value) ? value : {}), EXTENSIONS),
  })
  // Next to data, some servers list errors even if there are none.
  .refine(({ data, errors }) => errors?.length || (data === null ? errors === undefined : data))
  .transform(({ data, errors, extensions: { errorsOmitted: count, passerelleOmittedPlaces, ...calls } }) => {
    const omitted = count === 0 ? undefined : { count, places: passerelleOmittedPlaces.slice(0, MAX_FIELDS) };
    return { data, errors: errors?.length ? errors : undefined, omitted, calls };
  });

type Answer = z.infer<typeof ANSWER>;

async function readResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  address: SubgraphAddress,
  query: string,
): Promise<Answer> {
  const { service, token } = address;
  const json = Buffer.from(await body.arrayBuffer());
  const refused = `The subgraph ${service} refuses the token of the gateway.`;
  if (refusesToken({ statusCode, headers }, token)) throw new CodedError('UPSTREAM_UNAVAILABLE', refused, { service });
  // 401 is about the token, whether the gateway has one or not.
  const { data: answer } = ANSWER.safeParse(statusCode === 401 ? null : await readJson(json));
  if (answer !== undefined) return answer;
  const cause = new Error(`${service} responded with status ${statusCode}.`);
  throw noResponse(address, query, `The subgraph ${service} did not respond with GraphQL.`, { cause });
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

/** Codes of connections that were never made: nothing has left this process. */
const NOT_SENT = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;

/** The error of an operation without a response. A mutation that was sent may have been done, whatever happened to that. */
function noResponse(
  { service }: SubgraphAddress,
  query: string,
  message: string,
  { code = 'UPSTREAM_UNAVAILABLE', cause }: { readonly code?: ErrorCode; readonly cause: unknown },
): CodedError {
  const wasSent = !NOT_SENT.test(String((cause as { readonly code?: unknown }).code));
  const doubt = `The subgraph ${service} did not confirm this write, which may have been done: check before you repeat it.`;
  return new CodedError(code, wasSent && /^\s*mutation\b/.test(query) ? doubt : message, { service, cause });
}
