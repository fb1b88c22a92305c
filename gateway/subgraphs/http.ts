import { errors, request as send } from 'undici';
import { CodedError } from '../../kernel/errors.js';
import type { OperationContext } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { credentialHeader, refusesToken, tokenHeader } from '../../runtime/credentials/credential-headers.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { readJson } from '../../runtime/event-loop/json.js';
import { HEADER_LENGTHS } from '../../runtime/http/request-headers.js';
import type { SubgraphRequest } from '../../runtime/subgraph-execution.js';
import { type GatewayRequest, responseTooLarge } from '../request/request.js';
import { checkEntities } from './check-entities.js';
import type { Pool } from './http-pool.js';
import { readOwnResponse } from './http-response.js';
import type { RemoteState } from './http-state.js';
import type { SubgraphExecutor } from './source.js';
import type { SizedResponse, SubgraphResponses } from './subgraph-responses.js';

/** How to reach one of our subgraphs over HTTP. */
export interface HttpSubgraphOptions {
  readonly service: ServiceName;
  /** The subgraph's GraphQL endpoint. */
  readonly url: string;
  /** Shared with the subgraph; null if none is configured. */
  readonly token: Secret | null;
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

  async function execute(request: SubgraphRequest, operation: OperationContext, gatewayRequest: GatewayRequest) {
    const text = JSON.stringify(request);
    const isShared = !operation.internal && !operation.dryRun && operation.credential === null && !isMutation(request);
    const stored = isShared ? responses.find(service, text) : null;
    if (stored !== null) {
      recordCalls(stored.calls, gatewayRequest.recorder.elapsedMs(), operation, gatewayRequest);
      return { data: (await readJson(gatewayRequest, stored.data)) as Record<string, unknown> };
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
  ): Promise<SizedResponse> {
    const { credential, dryRun, planNode, span } = operation;
    const { allowance } = gatewayRequest;
    const startMs = gatewayRequest.recorder.elapsedMs();
    const headers = {
      'x-request-id': gatewayRequest.id,
      'x-passerelle-deadline-ms': String(Math.floor(gatewayRequest.remainingMs())),
      // It has the client's aliases, of any length; the calls that come back get the whole.
      'x-passerelle-fetch': planNode.slice(0, HEADER_LENGTHS['x-passerelle-fetch']),
      ...(allowance !== null && { 'x-passerelle-calls-left': String(allowance.left()) }),
      ...(dryRun === true && { 'x-passerelle-dry-run': '1' }),
      ...(span !== undefined && { traceparent: span.traceparent }),
      ...(token !== null && { 'x-passerelle-caller': gatewayRequest.callerId }),
      ...tokenHeader(token),
      ...(credential !== null && credentialHeader(service, credential)),
    };
    const call = { service, url, dispatcher, headers, token, state };
    const own = await post(call, { request, text }, gatewayRequest);
    if (!own.isCacheable) gatewayRequest.recorder.forbidCaching();
    recordCalls(own.calls, startMs, operation, gatewayRequest);
    allowance?.spend(own.calls.reduce((sum, { sent = 0 }) => sum + sent, 0));
    return own;
  }

  return { service, execute };
}

/** Records the calls that a subgraph lists, with times relative to its operation, as calls of the request. */
function recordCalls(
  calls: readonly UpstreamCall[],
  startMs: number,
  { planNode }: OperationContext,
  { recorder }: GatewayRequest,
): void {
  for (const row of calls) recorder.record({ ...row, startMs: startMs + row.startMs, planNode });
}

interface Call extends Omit<HttpSubgraphOptions, 'responses'> {
  readonly headers: Readonly<Record<string, string>>;
}

async function post(
  call: Call,
  { request, text }: { readonly request: SubgraphRequest; readonly text: string },
  gatewayRequest: GatewayRequest,
): Promise<SizedResponse> {
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
  const response = isRefused ? null : readOwnResponse(await readJson(gatewayRequest, body));
  // 401 is about the token, whether the gateway has one or not.
  if (response !== null && status !== 401) return { ...response, bytes: body.length };
  const unread = unlessInDoubt(`The subgraph ${service} did not respond with GraphQL.`, service, request);
  const message = isRefused ? `The subgraph ${service} refuses the token of the gateway.` : unread;
  const cause = new Error(isRefused ? tokenRefused(service) : `${service} responded with status ${status}.`);
  throw new CodedError('UPSTREAM_UNAVAILABLE', message, { service, cause });
}

/** What an operator has to do, for the log. */
export function tokenRefused(name: string): string {
  return `the subgraph ${name} refuses this gateway: give both the same SUBGRAPH_TOKEN`;
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
