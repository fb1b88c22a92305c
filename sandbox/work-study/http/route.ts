import type { ParsedUrlQuery } from 'node:querystring';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callOf, paramsOf, queryOf } from '../../server/call.js';
import type { Era } from '../../server/types.js';
import type { Issue } from '../values/issues.js';
import { authenticate, type Caller, type Permission } from './callers.js';
import { sendApiError, sendApiValidationError } from './errors.js';
import { callsPerMinute, rateHeaders, sendRateLimitError, spendCall } from './rate-limit.js';

/** A request whose key was accepted. */
export interface KeyedRequest {
  readonly caller: Caller;
  readonly era: Era;
  /** The service's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly query: ParsedUrlQuery;
  readonly params: Readonly<Record<string, string>>;
  /** Address that it was sent to, as `host:port`. */
  readonly host: string;
  /** The parsed body. */
  readonly body: unknown;
  /** Takes status and headers of the reply. */
  readonly reply: FastifyReply;
}

/** A route with its permission, limits and checks. */
export interface RouteDefinition<T> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path below `/api`. */
  readonly path: string;
  /** The only era that has this route. */
  readonly era?: Era;
  readonly permission?: Permission;
  /** Largest body, in bytes; 1 MiB if omitted. */
  readonly bodyLimit?: number;
  /** Checks the input of an API-owned route. That of a forwarded route is checked by the backend, in `handle`. */
  readonly read: (request: KeyedRequest) => { readonly value: T } | { readonly issues: readonly Issue[] };
  /** Returns the body of the reply. */
  readonly handle: (value: T, request: KeyedRequest) => unknown;
}

/**
 * Adds a route that needs a key, in the service's order: authentication, permission, body, validation, limiter, handler
 * (work-study 3). In the seed's era each endpoint is limited before all that, and every reply has the limiter's headers
 * (work-study 12.8).
 */
export function keyedRoute<T>(app: FastifyInstance, definition: RouteDefinition<T>): void {
  const { method, path, bodyLimit } = definition;
  app.route({
    method,
    url: `/api${path}`,
    ...(bodyLimit !== undefined && { bodyLimit }),
    onRequest: (request, reply, done) => admit(definition, request, reply, done),
    handler: (request, reply) => execute(definition, request, reply),
  });
}

/** Name of the request's decorator that holds the caller. */
export const CALLER = 'caller';

/** What precedes the body. */
function admit<T>(
  { method, path, era, permission }: RouteDefinition<T>,
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  const { era: current } = callOf(request);
  if (era !== undefined && era !== current) {
    reply.callNotFound();
    return;
  }
  if (current === 'seed' && limit(request, reply, { method, path }) !== undefined) return;
  const caller = authenticate(request.headers);
  if (typeof caller === 'string') sendApiError(reply, 401, caller);
  else if (permission !== undefined && !caller.permissions.includes(permission))
    sendApiError(reply, 403, "Vous n'êtes pas autorisé à accéder à cette ressource");
  else {
    request.setDecorator(CALLER, caller);
    done();
  }
}

function execute<T>(definition: RouteDefinition<T>, request: FastifyRequest, reply: FastifyReply): unknown {
  const { era, now } = callOf(request);
  const keyed: KeyedRequest = {
    ...{ caller: request.getDecorator<Caller>(CALLER), era, now, reply },
    ...{ query: queryOf(request), params: paramsOf(request), host: request.host, body: request.body },
  };
  const read = definition.read(keyed);
  if ('issues' in read) return sendApiValidationError(reply, read.issues);
  const refusal = era === 'today' ? limit(request, reply, definition) : undefined;
  return refusal ?? definition.handle(read.value, keyed);
}

/** Counts the call, if the route is limited: sets the limiter's headers, or refuses it. */
function limit(
  request: FastifyRequest,
  reply: FastifyReply,
  { method, path }: Pick<RouteDefinition<unknown>, 'method' | 'path'>,
): FastifyReply | undefined {
  const perMinute = callsPerMinute(callOf(request).era, method, path);
  if (perMinute === undefined) return undefined;
  const taken = spendCall(request, path, perMinute);
  if (taken.exceeded) return sendRateLimitError(request, reply, taken);
  reply.headers(rateHeaders(taken));
  return undefined;
}

/** For routes without input, or whose input the backend checks. */
export function takesAnything(): { readonly value: undefined } {
  return { value: undefined };
}
