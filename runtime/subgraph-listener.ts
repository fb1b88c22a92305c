import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { WatchCache } from '../kernel/caches.js';
import { CodedError, ERRORS } from '../kernel/errors.js';
import type { Log, Tracing } from '../kernel/log.js';
import { type Credential, createCallAllowance, type OperationContext, type Subgraph } from '../kernel/operation.js';
import { isRecord } from '../kernel/text.js';
import type { StoredData, UpstreamCall } from '../kernel/trace.js';
import { VERSION } from './configuration/role.js';
import { type MintCredential, readCredential, readToken, TOKEN_CHALLENGE } from './credentials/credentials.js';
import type { Secret } from './credentials/secret.js';
import { INTERNAL_MESSAGE, type OmittedErrors } from './errors.js';
import { checkDocument, PLANNED_BOUNDS, parseJsonBody } from './http/request-body.js';
import { RequestError } from './http/request-error.js';
import {
  excessHeaders,
  oneHeader,
  overlongHeader,
  type RequestHeaders,
  readTraceContext,
  requestIdOf,
} from './http/request-headers.js';
import { ARRIVAL, boundResponses, releaseConnections, secureResponses, serverSettings } from './http/server.js';
import type { Phase } from './process/lifecycle.js';
import { createSubgraphExecution, type ExecuteSubgraph, type SubgraphRequest } from './subgraph-execution.js';

/** A subgraph, its address, and the credentials and limits of its callers. */
export interface SubgraphListenerOptions {
  readonly subgraph: Subgraph;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Shared with the gateway, which sends one of them: nobody else is served. */
  readonly tokens: readonly Secret[];
  readonly mintCredential: MintCredential;
  /** Longest time that one operation may take, whatever its caller requests. */
  readonly deadlineMs: number;
  readonly log: Log;
  /** Watches the listener's cache for metrics; if omitted, nothing does. */
  readonly watchCache?: WatchCache;
  /** Null or omitted where nothing is traced. */
  readonly tracing?: Tracing | null;
  /** The phase of the process, for `/readyz`. */
  phase(): Phase;
}

/** A subgraph that listens, until it is closed. */
export interface SubgraphListener {
  /** URL of the GraphQL endpoint. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting operations; resolves when those in flight have ended. */
  close(): Promise<void>;
}

/** Representations are small, but an application contains its attachment: 6 MB, and JSON around it. */
const BODY_BYTES = 16 * 1024 * 1024;
/** Values and keys of a body: a gateway sends up to 10,000 representations of some keys each. */
const BODY_VALUES = 2_000_000;

/** Serves one subgraph over HTTP, for a gateway in another process or another engine (architecture 2). */
export async function listenSubgraph(options: SubgraphListenerOptions): Promise<SubgraphListener> {
  const { subgraph, host, port, tokens, log, phase } = options;
  const server = fastify({
    ...serverSettings(log),
    bodyLimit: BODY_BYTES,
    http: ARRIVAL,
    frameworkErrors: (_error, _request, reply) => refuse(reply, 400, 'The request cannot be read.'),
  });
  releaseConnections(server, () => phase() === 'draining');
  secureResponses(server.server);
  boundResponses(server, options.deadlineMs, log);
  const execute = createSubgraphExecution(subgraph, log, options.watchCache);
  server.addHook('onRequest', async ({ headers, raw }, reply) => {
    const refused = excessHeaders(raw) ?? overlongHeader(headers);
    return refused === null ? undefined : refuse(reply, 431, refused);
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => parseJsonBody(headers, body, BODY_VALUES),
  );
  server.post('/graphql', {
    // Before the body is read: a stranger's is not worth reading.
    onRequest: tokenHook((sent) => sent === 'right', tokens),
    handler: (request, reply) => handle(request, reply, execute, options),
  });
  serveHealth(server, options);
  server.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'Not found.'));
  server.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    if (reply.raw.destroyed) return hasLeft(reply, log);
    const requestId = reply.getHeader('x-request-id');
    const [status, { message, extensions }] = explain(error);
    if (status >= 500 && !(error instanceof CodedError))
      log.error({ requestId, err: error }, 'a subgraph request failed');
    return reply
      .code(status)
      .send({ errors: [{ message, extensions: { ...extensions, ...(requestId && { requestId }) } }] });
  });
  await server.listen({ host, port });
  const { port: listening } = server.server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening}/graphql`,
    port: listening,
    close: () => server.close(),
  };
}

async function handle(
  { headers, body }: FastifyRequest,
  reply: FastifyReply,
  execute: ExecuteSubgraph,
  { subgraph, mintCredential, deadlineMs: longestMs, tracing = null, log }: SubgraphListenerOptions,
): Promise<FastifyReply> {
  const request = readRequest(body);
  if (request === null) return refuse(reply, 400, 'The body must be a JSON object with a `query`.');
  checkDocument(request.query, PLANNED_BOUNDS);
  const credential = readCredential(subgraph.name, headers, mintCredential);
  const operation = startSubgraphOperation({ headers, credential, longestMs, tracing });
  const { requestId } = operation.context;
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) operation.cancel();
  });
  const { state, upstream } = subgraph.status();
  reply.headers({
    'x-request-id': requestId,
    'x-passerelle-state': state,
    'x-passerelle-upstreams': upstream,
    'cache-control': 'no-store',
  });
  try {
    const { data, errors, omitted } = await execute(request, operation.context);
    if (reply.raw.destroyed) return hasLeft(reply, log);
    return reply.send({
      ...(data !== undefined && { data }),
      ...(errors !== undefined && { errors: errors.map((error) => withRequestId(error, requestId)) }),
      extensions: operation.extensions(omitted),
    });
  } finally {
    operation.finish();
  }
}

/** Nothing is written for a caller that has left, which happens all the time. */
function hasLeft(reply: FastifyReply, log: Log): FastifyReply {
  log.debug({ requestId: reply.getHeader('x-request-id') }, 'a caller left before its response');
  return reply.hijack();
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Refuses requests whose token is not accepted. */
function tokenHook(isAccepted: (sent: ReturnType<typeof readToken>) => boolean, tokens: readonly Secret[]): Hook {
  return async ({ headers }, reply) => {
    if (isAccepted(readToken(headers, tokens))) return undefined;
    reply.headers(TOKEN_CHALLENGE);
    return refuse(reply, 401, 'This subgraph serves only a gateway that sends its token (SUBGRAPH_TOKEN).');
  };
}

function readRequest(body: unknown): SubgraphRequest | null {
  if (!isRecord(body)) return null;
  const { query, variables, operationName } = body as Record<string, unknown>;
  if (typeof query !== 'string') return null;
  if (variables !== undefined && variables !== null && !isRecord(variables)) return null;
  return {
    query,
    ...(isRecord(variables) && { variables }),
    ...(typeof operationName === 'string' && operationName !== '' && { operationName }),
  };
}

/** The status and the error of a request that is refused, or failed as a whole. */
function explain(error: Error & { readonly statusCode?: number }): [status: number, error: GraphQLFormattedError] {
  const { message, statusCode = 500 } = error;
  if (error instanceof RequestError) return [error.status, { message, extensions: { code: error.code } }];
  if (error instanceof CodedError)
    return [ERRORS[error.code].httpStatus, { message, extensions: { ...error.extensions } }];
  // Only the parser throws an uncoded GraphQLError: resolvers' errors are in the response.
  if (error instanceof GraphQLError) return [400, { message, extensions: { code: 'GRAPHQL_PARSE_FAILED' } }];
  if (statusCode >= 500) return [statusCode, { message: INTERNAL_MESSAGE, extensions: { code: 'INTERNAL' } }];
  const unread = 'The request is not a GraphQL request in JSON and UTF-8.';
  return [statusCode, { message: unread, extensions: { code: 'BAD_REQUEST' } }];
}

function withRequestId(error: GraphQLFormattedError, requestId: string): GraphQLFormattedError {
  return { ...error, extensions: { ...error.extensions, requestId } };
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
}

/** Balancers send no token. A gateway sends its own, and learns here if it is not this subgraph's. */
function serveHealth(server: FastifyInstance, { subgraph, phase, tokens }: SubgraphListenerOptions): void {
  const onRequest = tokenHook((sent) => sent !== 'wrong', tokens);
  server.get('/healthz', () => ({ status: 'ok', version: VERSION }));
  server.get('/readyz', { onRequest }, (_request, reply) => {
    const { name } = subgraph;
    const status = phase();
    // A process that is still starting answers nothing: the listener opens last.
    reply.code(status === 'draining' ? 503 : 200);
    return { status, version: VERSION, sources: [{ name, ...subgraph.status(), ...subgraph.figures(null) }] };
  });
}

/** Headers and credential of a request to a subgraph, and the most milliseconds that it may take. */
export interface SubgraphOperationOptions {
  readonly headers: RequestHeaders;
  readonly credential: Credential | null;
  readonly longestMs: number;
  readonly tracing: Tracing | null;
}

/** Starts an operation from its headers: request id, milliseconds left, plan node (architecture 2). */
export function startSubgraphOperation(options: SubgraphOperationOptions) {
  const { headers, credential, longestMs } = options;
  const span = options.tracing?.start('subgraph', readTraceContext(headers));
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const allowedMs = Math.min(numberIn(oneHeader(headers, 'x-passerelle-deadline-ms')) ?? longestMs, longestMs);
  const controller = new AbortController();
  // Every call of the operation listens; Node would report more than ten listeners as a leak.
  setMaxListeners(0, controller.signal);
  const timer = setTimeout(() => {
    controller.abort(new CodedError('DEADLINE_EXCEEDED', 'The deadline of the request was exceeded.'));
  }, allowedMs);
  const calls: UpstreamCall[] = [];
  const stored: StoredData[] = [];
  let isCacheable = true;
  const caller = oneHeader(headers, 'x-passerelle-caller');
  const callsLeft = numberIn(oneHeader(headers, 'x-passerelle-calls-left'));
  const context: OperationContext = {
    requestId: requestIdOf(headers),
    request: {},
    ...(caller !== undefined && { caller }),
    deadline: { remainingMs: () => Math.max(0, allowedMs - elapsedMs()) },
    signal: controller.signal,
    credential,
    planNode: oneHeader(headers, 'x-passerelle-fetch') ?? '',
    ...(span !== undefined && { span }),
    recorder: {
      elapsedMs,
      record: (call) => calls.push(call),
      readStored: (data) => stored.push(data),
      forbidCaching() {
        isCacheable = false;
      },
    },
    ...(callsLeft !== undefined && { allowance: createCallAllowance(callsLeft) }),
    ...(oneHeader(headers, 'x-passerelle-dry-run') === '1' && { dryRun: true }),
  };
  return {
    context,
    /** What its response says beside data and errors, its calls so far among it. */
    extensions(omitted: OmittedErrors | undefined): object {
      return {
        passerelleCalls: calls,
        ...(stored.length > 0 && { passerelleStored: stored }),
        ...(!isCacheable && { passerelleUncacheable: true }),
        ...(omitted && { errorsOmitted: omitted.count, passerelleOmittedPlaces: omitted.places }),
      };
    },
    /** Cancels the calls of a caller who has disconnected. */
    cancel: () => controller.abort(new CodedError('DEADLINE_EXCEEDED', 'The client disconnected.')),
    finish() {
      clearTimeout(timer);
      span?.end();
    },
  };
}

/** The whole number in a header; undefined if it cannot be read. */
function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
