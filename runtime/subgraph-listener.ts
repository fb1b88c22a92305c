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
import { isLoopback } from './configuration/configuration.js';
import { VERSION } from './configuration/role.js';
import { type MintCredential, readCredential, readToken, TOKEN_CHALLENGE } from './credentials/credentials.js';
import type { Secret } from './credentials/secret.js';
import { INTERNAL_MESSAGE, type OmittedErrors } from './errors.js';
import {
  checkDocument,
  DOCUMENT_BOUNDS,
  type DocumentBounds,
  PLANNED_BOUNDS,
  parseJsonBody,
} from './http/request-body.js';
import { RequestError } from './http/request-error.js';
import {
  excessHeaders,
  oneHeader,
  overlongHeader,
  publicNameIn,
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
  /**
   * Shared with the gateway, which sends one of them: nobody else is served. Without any, anyone on this machine is, but
   * no caller sees recorded calls or may select an internal field.
   */
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

/** What one operation may be made of. */
interface OperationBounds {
  readonly document: DocumentBounds;
  /** Values and keys of the body. */
  readonly values: number;
}

/** The gateway sends up to 10,000 representations of some keys each. */
const OF_GATEWAY: OperationBounds = { document: PLANNED_BOUNDS, values: 2_000_000 };
/** Other callers may send a large page of them. */
const OF_ANYONE: OperationBounds = { document: DOCUMENT_BOUNDS, values: 100_000 };

/**
 * Serves one subgraph over HTTP, for a gateway in another process or another engine (architecture 2). Rejects if it
 * would listen beyond loopback without a token.
 */
export async function listenSubgraph(options: SubgraphListenerOptions): Promise<SubgraphListener> {
  const { subgraph, host, port, tokens, log, phase } = options;
  const trusted = tokens.length > 0;
  if (!trusted && !isLoopback(host)) {
    throw new Error(`The subgraph ${subgraph.name} listens beyond loopback only with SUBGRAPH_TOKEN.`);
  }
  const server = fastify({
    ...serverSettings(log),
    bodyLimit: BODY_BYTES,
    http: ARRIVAL,
    frameworkErrors: (_error, _request, reply) => refuse(reply, 400, 'The request cannot be read.'),
  });
  releaseConnections(server, () => phase() === 'draining');
  secureResponses(server.server);
  boundResponses(server, options.deadlineMs, log);
  const bounds = trusted ? OF_GATEWAY : OF_ANYONE;
  const execute = createSubgraphExecution(subgraph, log, options.watchCache, bounds.document);
  server.addHook('onRequest', async ({ headers, raw }, reply) => {
    const refused = excessHeaders(raw) ?? overlongHeader(headers);
    if (refused !== null) return refuse(reply, 431, refused);
    // Without a token it is the address that protects it: a page of a stranger's name for it gets nothing.
    const isForeign = !trusted && publicNameIn(headers) !== null;
    return isForeign ? refuse(reply, 421, 'Without a token, a subgraph answers to no public name in Host.') : undefined;
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => parseJsonBody(headers, body, bounds.values),
  );
  server.post('/graphql', {
    // Before the body is read: a stranger's is not worth reading.
    onRequest: tokenHook((sent) => !trusted || sent === 'right', tokens),
    handler: (request, reply) => handle(request, reply, { execute, bounds: bounds.document }, options),
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
  { execute, bounds }: { readonly execute: ExecuteSubgraph; readonly bounds: DocumentBounds },
  { subgraph, tokens, mintCredential, deadlineMs: longestMs, tracing = null, log }: SubgraphListenerOptions,
): Promise<FastifyReply> {
  const request = readRequest(body);
  if (request === null) return refuse(reply, 400, 'The body must be a JSON object with a `query`.');
  checkDocument(request.query, bounds);
  const credential = readCredential(subgraph.name, headers, mintCredential);
  // With a token, nobody else gets here.
  const operation = startSubgraphOperation({ headers, credential, trusted: tokens.length > 0, longestMs, tracing });
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
      ...operation.extensions(omitted),
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
  /** Whether it came with the subgraph token: only then may it select internal fields and name its caller. */
  readonly trusted: boolean;
  readonly longestMs: number;
  readonly tracing: Tracing | null;
}

/** Starts an operation from its headers: request id, milliseconds left, plan node (architecture 2). */
export function startSubgraphOperation(options: SubgraphOperationOptions) {
  const { headers, credential, trusted, longestMs } = options;
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
  const caller = trusted ? oneHeader(headers, 'x-passerelle-caller') : undefined;
  const callsLeft = numberIn(oneHeader(headers, 'x-passerelle-calls-left'));
  const context: OperationContext = {
    requestId: requestIdOf(headers),
    request: {},
    ...(caller !== undefined && { caller }),
    deadline: { remainingMs: () => Math.max(0, allowedMs - elapsedMs()) },
    signal: controller.signal,
    credential,
    internal: trusted,
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
    /** What its response says beside data and errors: of a trusted caller's operation, also its calls so far. */
    extensions(omitted: OmittedErrors | undefined): object {
      const omissions = omitted && { errorsOmitted: omitted.count };
      if (!trusted) return omissions ? { extensions: omissions } : {};
      return {
        extensions: {
          ...omissions,
          passerelleCalls: calls,
          ...(stored.length > 0 && { passerelleStored: stored }),
          ...(!isCacheable && { passerelleUncacheable: true }),
          ...(omitted && { passerelleOmittedPlaces: omitted.places }),
        },
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
