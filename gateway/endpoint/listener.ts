import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { CodedError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { ownValue } from '../../kernel/text.js';
import { VERSION } from '../../runtime/configuration/role.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import { createBodyReader, incomplete } from '../../runtime/http/parameters.js';
import { parseJsonBody } from '../../runtime/http/request-body.js';
import { RequestError } from '../../runtime/http/request-error.js';
import { type RequestHeaders, requestIdOf } from '../../runtime/http/request-headers.js';
import {
  ARRIVAL,
  boundResponses,
  LAST_ARRIVAL_MS,
  openResponses,
  releaseConnections,
  SECURITY_HEADERS,
  serverSettings,
} from '../../runtime/http/server.js';
import type { Phase } from '../../runtime/process/lifecycle.js';
import { ALIVE, admittedOf, pathOf, READY, type ServerGuard } from '../callers/connection-guard.js';
import type { Subgraphs } from '../remote/subgraphs.js';
import type { Endpoint } from './endpoint.js';
import { type FastPath, receivedBody } from './fast-path.js';
import { answerRequest, refuse } from './graphql-endpoint.js';
import { entityTag, isKnown } from './send-response.js';

/** What the HTTP server is created from. */
export interface HttpServerOptions {
  /** Milliseconds for one request. A client that reads none of its response for that long is disconnected. */
  readonly requestDeadlineMs: number;
  /** Milliseconds for which an idle connection stays open; Node's own time if omitted. */
  readonly keepAliveMs?: number | undefined;
  /** Runs before the routes; null for none. */
  readonly fastPath: FastPath | null;
  /** Runs before the fast path; if omitted, nothing does. */
  readonly guard?: ServerGuard;
  readonly log: Log;
  /** The phase of the process. */
  phase(): Phase;
}

/** The HTTP server of the gateway, without routes. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { requestDeadlineMs, log, phase } = options;
  const server: FastifyInstance = fastify({
    ...serverSettings(log),
    serverFactory: (router) => openServer(options, router),
    requestIdHeader: false,
    genReqId: (raw) => admittedOf(raw)?.id ?? requestIdOf(raw.headers),
    // A URL that cannot be decoded matches no route, but gets the same error response as everything else.
    frameworkErrors: (error, request, reply) => server.errorHandler(error, request, reply.headers(SECURITY_HEADERS)),
  });
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    done();
  });
  releaseConnections(server, () => phase() === 'draining');
  boundResponses(server, requestDeadlineMs, log);
  // Without a logger, fastify measures `reply.elapsedTime` only if there is an `onResponse` hook.
  server.addHook('onResponse', (_request, _reply, done) => done());
  server.addHook('preClose', async () => options.fastPath?.close());
  server.removeAllContentTypeParsers();
  const readBody = createBodyReader();
  server.addContentTypeParser('application/json', async ({ headers, raw }: FastifyRequest, payload: Readable) => {
    const received = receivedBody(raw);
    if (received === undefined) return readBody(headers, payload);
    if (received === null) throw incomplete();
    return parseJsonBody(headers, received);
  });
  return server;
}

/** Node's own server, with the fast path before the router. */
function openServer({ fastPath, guard, keepAliveMs }: HttpServerOptions, router: RequestListener): Server {
  const settings = { ...ARRIVAL, ...(keepAliveMs !== undefined && { keepAliveTimeout: keepAliveMs }) };
  const before = fastPath?.before(router) ?? router;
  const listener: RequestListener = (request, response) => {
    // Clients that put addresses together end ours with a slash.
    if (request.url?.startsWith('/graphql/')) request.url = request.url.replace(/^\/graphql\/(?=\?|$)/, '/graphql');
    before(request, response);
  };
  const guarded = guard?.before(listener) ?? listener;
  // Node itself would answer 417, which nothing bounds, counts or logs: expectations are there to be ignored.
  const server = createServer(settings, guarded).on('checkExpectation', guarded);
  guard?.watch(server);
  return server;
}

const UNSPECIFIED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Opens the port; returns the URL at which this machine reaches it. */
export async function listen(
  server: FastifyInstance,
  host: string,
  port: number,
): Promise<{ url: string; port: number }> {
  await server.listen({ host, port });
  const { port: listening } = server.server.address() as AddressInfo;
  // Browsers reject the unspecified address, so loopback is used instead.
  const name = ownValue(UNSPECIFIED, host) ?? host;
  return { url: `http://${name.includes(':') ? `[${name}]` : name}:${listening}`, port: listening };
}

/**
 * Resolves once all requests that are now in flight at a server have ended; later ones do not delay it. A request that
 * has still not arrived completely after a moment does not count: its client may never send the rest.
 */
export async function requestsEnded({ server }: FastifyInstance): Promise<void> {
  const inFlight = openResponses(server).map((response) => ({
    request: response.req,
    ended: new Promise((resolve) => response.once('close', resolve)),
  }));
  const all = Promise.all(inFlight.map(({ ended }) => ended));
  await Promise.race([all, setTimeout(LAST_ARRIVAL_MS, null, { ref: false })]);
  await Promise.all(inFlight.filter(({ request }) => request.complete).map(({ ended }) => ended));
}

/** Serves GraphQL at `/graphql`, and errors for everything that no route serves. */
export function serveGraphql(server: FastifyInstance, endpoint: Endpoint, fastPath: FastPath): void {
  const { crossOrigin, log } = endpoint;
  server.route({
    method: ['GET', 'HEAD', 'POST'],
    url: '/graphql',
    exposeHeadRoute: false,
    handler: (_request, reply) => answerRequest(endpoint, fastPath, reply),
  });
  server.options('/graphql', ({ headers }, reply) =>
    reply.code(204).headers(crossOrigin.answerPreflight(headers)).send(),
  );
  server.route({
    method: ['PUT', 'PATCH', 'DELETE'],
    url: '/graphql',
    handler: (_request, reply) => refuse(endpoint, reply, methodNotAllowed()),
  });
  server.setNotFoundHandler((request, reply) =>
    refuse(
      endpoint,
      reply,
      notServed(METHODS.filter((method) => server.hasRoute({ method, url: pathOf(request.raw) }))),
    ),
  );
  handleErrors(server, log, (reply, error) => refuse(endpoint, reply, error));
}

/** Lets `answer` send what handlers throw, as an error that callers may see. */
export function handleErrors(
  server: FastifyInstance,
  log: Log,
  answer: (reply: FastifyReply, error: RequestError | CodedError) => unknown,
): void {
  server.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) =>
    // A client that leaves ends the stream of its response, which is no error; one whose request has no end is refused.
    reply.raw.destroyed && reply.raw.headersSent ? reply.hijack() : answer(reply, toKnownError(error, request, log)),
  );
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** `methods` are those that the path supports. */
function notServed(methods: readonly string[]): RequestError {
  if (methods.length === 0) return new RequestError(404, 'Not found.');
  const allow = methods.toSorted().join(', ');
  return new RequestError(405, `This path only supports ${allow}.`, { headers: { allow } });
}

function methodNotAllowed(): RequestError {
  return new RequestError(405, 'GraphQL accepts GET, HEAD or POST.', { headers: { allow: 'GET, HEAD, POST' } });
}

/** The framework's own refusals, with our messages; anything else is an internal error. */
function toKnownError(
  error: Error & { readonly statusCode?: number },
  request: FastifyRequest,
  log: Log,
): RequestError | CodedError {
  if (error instanceof RequestError || error instanceof CodedError) return error;
  switch (error.statusCode) {
    case 415:
      return new RequestError(415, 'The body must be application/json.');
    case 413:
      return new RequestError(413, 'The body is too large.');
    case 400:
      return new RequestError(400, 'The request cannot be read.');
    default:
      log.error({ requestId: request.id, err: error }, 'request failed');
      return new CodedError('INTERNAL', INTERNAL_MESSAGE);
  }
}

/**
 * Serves `/healthz`, 200 while the process is alive, and `/readyz`, 200 while queries are answered, whatever the state
 * of the sources, and 503 while starting or draining. `Age` says how old the states are. `mayReadFigures` says who may
 * read more than the state of each source.
 */
export function serveHealth(
  server: FastifyInstance,
  subgraphs: Subgraphs,
  phase: () => Phase,
  mayReadFigures: (headers: RequestHeaders) => boolean,
): void {
  const head = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  server.get(ALIVE, (_request, reply) => reply.headers(head).send(JSON.stringify({ status: 'ok', version: VERSION })));
  server.get(READY, async ({ headers }, reply) => {
    const { sources, ageMs } = await subgraphs.fetchReports();
    const upstreams = subgraphs.upstreams();
    const status = phase();
    const told = mayReadFigures(headers) ? sources : sources.map(({ name, state }) => ({ name, state }));
    return reply
      .code(status === 'ready' ? 200 : 503)
      .headers({ ...head, age: Math.floor(ageMs / 1_000), 'x-passerelle-upstreams': upstreams })
      .send(JSON.stringify({ status, upstreams, sources: told }));
  });
}

/**
 * Serves the graph at `GET /schema.graphql`, for code generators. It also marks the fields that are null only with an
 * error. Not called if introspection is off.
 */
export function serveSchemaFile(server: FastifyInstance, api: string): void {
  const tag = entityTag(Buffer.from(api));
  server.get('/schema.graphql', ({ headers }, reply) => {
    reply.headers({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-cache',
      etag: tag,
      'x-passerelle-version': VERSION,
    });
    return isKnown(tag, headers) ? reply.code(304).removeHeader('content-type').send() : reply.send(api);
  });
}
