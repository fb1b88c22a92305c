import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { type FastifyInstance, type FastifyRequest, fastify, type HTTPMethods } from 'fastify';
import { CodedError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import { refuseUnreadable, releaseConnections } from '../../runtime/http/connections.js';
import { oneHeader, requestIdOf } from '../../runtime/http/request-headers.js';
import { ARRIVAL, NO_SCHEMAS, secureResponse } from '../../runtime/http/server-options.js';
import { boundResponses } from '../../runtime/http/unread-responses.js';
import type { Phase } from '../../runtime/process/lifecycle.js';
import type { ServerGuard } from '../callers/connection-guard.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { createBodyReader, incomplete, parseJsonBody } from '../http/json-body.js';
import { RequestError } from '../http/request-error.js';
import type { FastPath } from './fast-path.js';
import type { GraphqlEndpoint } from './graphql-endpoint.js';
import { handoverOf } from './handover.js';

/** Longer than the idle timeout of common proxies, so that the proxy closes idle connections first. */
const KEEP_ALIVE_MS = 65_000;

/** What the HTTP server is created from. */
export interface HttpServerOptions {
  /** Milliseconds for one request. A client that reads none of its response for that long is disconnected. */
  readonly requestDeadlineMs: number;
  /** Runs before the routes; null for none. */
  readonly fastPath: FastPath | null;
  /** Runs before the fast path; null if callers are not limited. */
  readonly guard?: ServerGuard | null;
  readonly log: Log;
  /** The phase of the process. */
  phase(): Phase;
}

/** The HTTP server of the gateway, without routes. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { requestDeadlineMs, log, phase } = options;
  const server: FastifyInstance = fastify({
    serverFactory: (router) => openServer(options, router),
    requestTimeout: ARRIVAL.requestTimeout,
    schemaController: NO_SCHEMAS,
    logger: false,
    requestIdHeader: false,
    genReqId: (raw) => handoverOf(raw)?.id ?? requestIdOf(raw.headers),
    // A URL that cannot be decoded matches no route, but gets the same error response as everything else.
    frameworkErrors: (error, request, reply) => server.errorHandler(error, request, reply),
    clientErrorHandler: refuseUnreadable(log),
  });
  releaseConnections(server, () => phase() === 'draining');
  boundResponses(server, requestDeadlineMs, log);
  // Without a logger, fastify measures `reply.elapsedTime` only if there is an `onResponse` hook.
  server.addHook('onResponse', async () => {});
  server.addHook('preClose', async () => options.fastPath?.close());
  server.removeAllContentTypeParsers();
  const readBody = createBodyReader();
  server.addContentTypeParser('application/json', async ({ headers, raw }: FastifyRequest, payload: Readable) => {
    const handover = handoverOf(raw);
    if (handover === undefined) return readBody(headers, payload);
    if (handover.body === null) throw incomplete();
    return parseJsonBody(headers, handover.body);
  });
  return server;
}

/** Node's own server, with the fast path before the router. */
function openServer({ fastPath, guard = null }: HttpServerOptions, router: RequestListener): Server {
  const secured: RequestListener = (request, response) => {
    secureResponse(response);
    router(request, response);
  };
  const settings = { ...ARRIVAL, keepAliveTimeout: KEEP_ALIVE_MS };
  const listener = fastPath?.before(secured) ?? secured;
  const server = createServer(settings, guard?.before(listener) ?? listener);
  guard?.watch(server);
  return server;
}

/** Serves GraphQL at `/graphql`, and errors for everything that no route serves. */
export function serveGraphql(
  server: FastifyInstance,
  endpoint: GraphqlEndpoint,
  crossOrigin: CrossOrigin,
  log: Log,
): void {
  const methodsAt = rememberMethods(server);
  const methods: HTTPMethods[] = ['GET', 'HEAD', 'POST'];
  server.route({ method: methods, url: '/graphql', exposeHeadRoute: false, handler: endpoint.handle });
  server.options('/graphql', (request, reply) =>
    reply
      .code(204)
      .headers(crossOrigin.preflightHeadersFor(oneHeader(request.headers, 'origin')))
      .send(),
  );
  server.route({
    method: ['PUT', 'PATCH', 'DELETE'],
    url: '/graphql',
    handler: (request, reply) => endpoint.refuse(methodNotAllowed(), request, reply),
  });
  server.setNotFoundHandler((request, reply) =>
    endpoint.refuse(notServed(methodsAt(request.url.replace(/\?.*$/s, ''))), request, reply),
  );
  server.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) =>
    endpoint.refuseUnread(toKnownError(error, request, log), request, reply),
  );
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
  const name = UNSPECIFIED[host] ?? host;
  return { url: `http://${name.includes(':') ? `[${name}]` : name}:${listening}`, port: listening };
}

/** The methods of the routes that are added from now on, by their path. */
function rememberMethods(server: FastifyInstance): (path: string) => readonly string[] {
  const known = new Map<string, string[]>();
  server.addHook('onRoute', ({ url, method }) => {
    known.set(url, [...(known.get(url) ?? []), ...[method].flat()]);
  });
  return (path) => known.get(path) ?? [];
}

function notServed(methods: readonly string[]): RequestError {
  if (methods.length === 0) return new RequestError(404, 'Not found.');
  const allow = [...new Set(methods)].sort().join(', ');
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
    case 400:
      return new RequestError(400, 'The request cannot be read.');
    default:
      log.error({ requestId: request.id, err: error }, 'request failed');
      return new CodedError('INTERNAL', INTERNAL_MESSAGE);
  }
}
