import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { GraphQLError } from 'graphql';
import { z } from 'zod';
import type { WatchCache } from '../kernel/caches.js';
import { CodedError, ERRORS } from '../kernel/errors.js';
import type { Log, Tracing } from '../kernel/log.js';
import { createCallAllowance, type OperationContext, type Subgraph } from '../kernel/operation.js';
import { isRecord } from '../kernel/text.js';
import type { StoredData, UpstreamCall } from '../kernel/trace.js';
import { isLoopback } from './configuration/configuration.js';
import { VERSION } from './configuration/role.js';
import { type MintCredential, readCredential, readToken, TOKEN_CHALLENGE } from './credentials/credentials.js';
import type { Secret } from './credentials/secret.js';
import { INTERNAL_MESSAGE, type OmittedErrors } from './errors.js';
import { checkDocument, DOCUMENT_BOUNDS, PLANNED_BOUNDS, parseJsonBody } from './http/request-body.js';
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
import { createSubgraphExecution } from './subgraph-execution.js';

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
  readonly subgraphTokens: readonly Secret[];
  readonly mintCredential: MintCredential;
  /** Longest time that one operation may take, in milliseconds, whatever its caller requests. */
  readonly requestDeadlineMs: number;
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
  /** Stops accepting operations; resolves when those in flight have ended. */
  close(): Promise<void>;
}

/** Representations are small, but an application contains its attachment: 6 MB, and JSON around it. */
const BODY_BYTES = 16 * 1024 * 1024;

/** Documents, and values and keys of bodies: the gateway sends up to 10,000 representations of some keys each. */
const OF_GATEWAY = { document: PLANNED_BOUNDS, values: 2_000_000 };
/** Other callers may send a large page of them. */
const OF_ANYONE = { document: DOCUMENT_BOUNDS, values: 100_000 };

const REQUEST = z.object({
  query: z.string(),
  variables: z.custom<Record<string, unknown>>(isRecord).nullish(),
  operationName: z.string().min(1).nullish().catch(null),
});

/**
 * Serves one subgraph over HTTP, for a gateway in another process or another engine (architecture 2). Rejects if it
 * would listen beyond loopback without a token.
 */
export async function listenSubgraph(options: SubgraphListenerOptions): Promise<SubgraphListener> {
  const { subgraph, host, port, subgraphTokens: tokens, requestDeadlineMs, log, phase } = options;
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
  boundResponses(server, requestDeadlineMs, log);
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
    async ({ headers }: FastifyRequest, body: Buffer) =>
      parseJsonBody(headers, body, (trusted ? OF_GATEWAY : OF_ANYONE).values),
  );
  serveOperations(server, options);
  serveHealth(server, options);
  server.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'Not found.'));
  server.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    if (reply.raw.destroyed) return hasLeft(reply, log);
    const requestId = reply.getHeader('x-request-id');
    const [status, message, extensions] = explain(error);
    if (extensions['code'] === 'INTERNAL') log.error({ requestId, err: error }, 'a subgraph request failed');
    return refuse(reply, status, message, { ...extensions, requestId });
  });
  await server.listen({ host, port });
  const { port: listening } = server.server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${listening}/graphql`, close: () => server.close() };
}

function serveOperations(server: FastifyInstance, options: SubgraphListenerOptions): void {
  const { subgraph, subgraphTokens: tokens, log, watchCache } = options;
  const trusted = tokens.length > 0;
  const bounds = (trusted ? OF_GATEWAY : OF_ANYONE).document;
  const execute = createSubgraphExecution(subgraph, log, watchCache, bounds);
  // Before the body is read: a stranger's is not worth reading.
  const onRequest = tokenHook((sent) => !trusted || sent === 'right', tokens);
  server.post('/graphql', { onRequest }, async ({ headers, body }, reply) => {
    const { data: request } = REQUEST.safeParse(body);
    if (request === undefined) return refuse(reply, 400, 'The body must be a JSON object with a `query`.');
    checkDocument(request.query, bounds);
    const operation = startSubgraphOperation(headers, options);
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
      const told = errors?.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } }));
      // JSON leaves out what is undefined.
      return reply.send({ data, errors: told, extensions: operation.extensions(omitted) });
    } finally {
      operation.finish();
    }
  });
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

/** Status, message and extensions of a request that is refused, or failed as a whole. */
function explain(error: Error & { readonly statusCode?: number }): [status: number, message: string, Extensions] {
  const { message, statusCode = 500 } = error;
  if (error instanceof RequestError) return [error.status, message, { code: error.code }];
  if (error instanceof CodedError) return [ERRORS[error.code].httpStatus, message, error.extensions];
  // Only the parser throws an uncoded GraphQLError: resolvers' errors are in the response.
  if (error instanceof GraphQLError) return [400, message, { code: 'GRAPHQL_PARSE_FAILED' }];
  if (statusCode >= 500) return [statusCode, INTERNAL_MESSAGE, { code: 'INTERNAL' }];
  return [statusCode, 'The request is not a GraphQL request in JSON and UTF-8.', { code: 'BAD_REQUEST' }];
}

type Extensions = Readonly<Record<string, unknown>>;

function refuse(
  reply: FastifyReply,
  status: number,
  message: string,
  extensions: Extensions = { code: 'BAD_REQUEST' },
): FastifyReply {
  return reply.code(status).send({ errors: [{ message, extensions }] });
}

/** Balancers send no token. A gateway sends its own, and learns here if it is not this subgraph's. */
function serveHealth(server: FastifyInstance, { subgraph, phase, subgraphTokens }: SubgraphListenerOptions): void {
  const onRequest = tokenHook((sent) => sent !== 'wrong', subgraphTokens);
  server.get('/healthz', () => ({ status: 'ok', version: VERSION }));
  server.get('/readyz', { onRequest }, (_request, reply) => {
    const { name } = subgraph;
    const status = phase();
    // A process that is still starting answers nothing: the listener opens last.
    reply.code(status === 'draining' ? 503 : 200);
    return { status, version: VERSION, sources: [{ name, ...subgraph.status(), ...subgraph.figures(null) }] };
  });
}

/** Starts an operation from its headers: request id, milliseconds left, place in the plan (architecture 2). */
export function startSubgraphOperation(
  headers: RequestHeaders,
  { subgraph, subgraphTokens, mintCredential, requestDeadlineMs, tracing }: SubgraphListenerOptions,
) {
  // With a token, nobody else gets here: only then may it select internal fields and name its caller.
  const trusted = subgraphTokens.length > 0;
  const span = tracing?.start('subgraph', readTraceContext(headers));
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const allowedMs = Math.min(numberIn(oneHeader(headers, 'x-passerelle-deadline-ms')), requestDeadlineMs);
  const callsLeft = numberIn(oneHeader(headers, 'x-passerelle-calls-left'));
  const caller = trusted ? oneHeader(headers, 'x-passerelle-caller') : undefined;
  const controller = new AbortController();
  // Every call of the operation listens; Node would report more than ten listeners as a leak.
  setMaxListeners(0, controller.signal);
  const end = (why: string) => controller.abort(new CodedError('DEADLINE_EXCEEDED', why));
  const timer = setTimeout(end, allowedMs, 'The deadline of the request was exceeded.');
  const calls: UpstreamCall[] = [];
  const stored: StoredData[] = [];
  let isUncacheable: true | undefined;
  const context: OperationContext = {
    requestId: requestIdOf(headers),
    request: {},
    ...(caller !== undefined && { caller }),
    deadline: { remainingMs: () => Math.max(0, allowedMs - elapsedMs()) },
    signal: controller.signal,
    credential: readCredential(subgraph.name, headers, mintCredential),
    internal: trusted,
    planNode: oneHeader(headers, 'x-passerelle-fetch') ?? '',
    ...(span !== undefined && { span }),
    recorder: {
      elapsedMs,
      record: (call) => calls.push(call),
      readStored: (data) => stored.push(data),
      forbidCaching() {
        isUncacheable = true;
      },
    },
    ...(Number.isFinite(callsLeft) && { allowance: createCallAllowance(callsLeft) }),
    ...(oneHeader(headers, 'x-passerelle-dry-run') === '1' && { dryRun: true }),
  };
  return {
    context,
    /** What its response says beside data and errors: of a trusted caller's operation, also its calls so far. */
    extensions(omitted: OmittedErrors | undefined): object | undefined {
      const omissions = omitted && { errorsOmitted: omitted.count };
      if (!trusted) return omissions;
      const ofCalls = { passerelleCalls: calls, passerelleUncacheable: isUncacheable };
      const passerelleStored = stored.length > 0 ? stored : undefined;
      return { ...omissions, ...ofCalls, passerelleStored, passerelleOmittedPlaces: omitted?.places };
    },
    /** Cancels the calls of a caller who has disconnected. */
    cancel: () => end('The client disconnected.'),
    finish() {
      clearTimeout(timer);
      span?.end();
    },
  };
}

/** The whole number in a header; infinite if it cannot be read. */
function numberIn(text = ''): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}
