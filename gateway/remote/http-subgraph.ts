import { type GraphQLDataSourceProcessOptions, RemoteGraphQLDataSource } from '@apollo/gateway';
import { type Dispatcher, errors, request as undici } from 'undici';
import { CodedError } from '../../kernel/errors.js';
import { traceHeaders } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import { sentWeight } from '../../kernel/trace.js';
import { credentialHeader, refusesToken, tokenHeader } from '../../runtime/credentials/credentials.js';
import { readJson } from '../../runtime/event-loop/json.js';
import { HEADER_LENGTHS } from '../../runtime/http/request-headers.js';
import type { SubgraphRequest } from '../../runtime/subgraph-execution.js';
import { createCallerSlots } from '../limits/caller-queue.js';
import { deadlineExceeded, type GatewayRequest, responseTooLarge } from '../request/request.js';
import { checkEntities, readAnswer, type SubgraphAnswer } from './subgraph-answer.js';
import { CONNECTIONS, type Pool, type RemoteState, type SubgraphAddress, tokenRefused } from './subgraph-state.js';
import type { ExecuteForRequest } from './subgraphs.js';

/** How to reach one of our subgraphs over HTTP. */
interface HttpSubgraphOptions extends SubgraphAddress {
  /** The connection pool that all subgraphs share. */
  readonly dispatcher: Pool;
  /** Updated from each response, and when there is none. */
  readonly state: RemoteState;
}

/**
 * Executes on one of our subgraphs over HTTP, with the caller's credential for this service and no other, in the time
 * that its request has left, and records the calls that the subgraph made.
 */
export function createHttpExecutor(options: HttpSubgraphOptions): ExecuteForRequest {
  const { service } = options;
  // In the pool's own queue, which is first in, first out, nothing could be aborted.
  const slots = createCallerSlots(CONNECTIONS);

  return async (request, operation, gatewayRequest) => {
    const { recorder, allowance } = gatewayRequest;
    const leave = await slots.enter(gatewayRequest);
    const startMs = recorder.elapsedMs();
    const answer = await send(request, operation, gatewayRequest, options).finally(leave);
    const { calls, stored, isCacheable } = answer;
    if (!isCacheable) recorder.forbidCaching();
    for (const data of stored) recorder.readStored(data);
    for (const row of calls) recorder.record({ ...row, startMs: startMs + row.startMs, planNode: operation.planNode });
    allowance?.spend(calls.reduce((sum, call) => sum + sentWeight(call), 0));
    return checkEntities(service, request, answer.response);
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
  const headers = headersOf(operation, gatewayRequest, options);
  let answer: SubgraphAnswer | null = null;
  const source = new RemoteGraphQLDataSource({
    url,
    willSendRequest({ request: { http } }) {
      for (const [name, value] of Object.entries(headers)) http?.headers.set(name, value);
    },
    async fetcher(target, { body = '', ...init } = {}) {
      const { signal } = abort;
      const response = await undici(target, { ...init, method: 'POST', body, dispatcher, signal });
      const bytes = Buffer.from(await response.body.arrayBuffer());
      answer = await readResponse(response, bytes, options, request);
      // What it reads of a response, whatever its status: that of a refused operation has coded errors, too.
      return {
        ok: true,
        json: async () => ({}),
        headers: new Headers({ 'content-type': 'application/json' }),
      } as never;
    },
    didEncounterError(error) {
      throw error;
    },
  });
  try {
    const { query, variables = {} } = request;
    // No operation of a client comes with it: the library's own context is for its cache control alone.
    const own = { kind: 'loading schema', context: {}, request: { query, variables } };
    await source.process(own as GraphQLDataSourceProcessOptions);
  } catch (error) {
    throw translate(error, options, request);
  } finally {
    end();
  }
  if (answer === null) throw new Error('A response was not read.');
  return answer;
}

async function readResponse(
  { statusCode, headers }: Dispatcher.ResponseData,
  body: Buffer,
  { service, token, state }: HttpSubgraphOptions,
  request: SubgraphRequest,
): Promise<SubgraphAnswer> {
  state.update(headers);
  if (refusesToken({ statusCode, headers }, token)) {
    state.markTokenRefused();
    const cause = new Error(tokenRefused(service));
    throw unavailable(`The subgraph ${service} refuses the token of the gateway.`, service, cause);
  }
  // 401 is about the token, whether the gateway has one or not.
  const answer = statusCode === 401 ? null : readAnswer(await readJson(body));
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
