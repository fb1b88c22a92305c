import type { Reply } from '../../server/reply.js';
import type { Route, ServiceRequest } from '../../server/routes.js';
import type { Era } from '../../server/types.js';
import type { Issue } from '../values/issues.js';
import { authenticate, type Caller, type Permission } from './callers.js';
import { apiError, apiValidationError } from './errors.js';
import { readJsonBody } from './json-body.js';
import { callsPerMinute, rateLimitError, spendCall, withRateHeaders } from './rate-limit.js';

/** A request whose key was accepted. */
export interface KeyedRequest extends ServiceRequest {
  readonly caller: Caller;
  /** The parsed body of a route with `bodyLimit`. */
  readonly body: unknown;
}

/** A route with its permission, limits and checks. */
export interface RouteDefinition<T> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path below `/api`. */
  readonly path: string;
  readonly era?: Era;
  readonly permission?: Permission;
  /** Largest JSON body that it reads, in bytes. */
  readonly bodyLimit?: number;
  /** Checks the input of an API-owned route. That of a forwarded route is checked by the backend, in `handle`. */
  readonly read: (request: KeyedRequest) => { readonly value: T } | { readonly issues: readonly Issue[] };
  readonly handle: (value: T, request: KeyedRequest) => Reply | Promise<Reply>;
}

/**
 * A route that needs a key, in the service's order: authentication, permission, body, validation, limiter, handler
 * (work-study 3). In the seed's era each endpoint is limited, and every reply has the limiter's headers (work-study
 * 12.8).
 */
export function keyedRoute<T>(definition: RouteDefinition<T>): Route {
  const { method, path, era } = definition;
  return {
    method,
    path: `/api${path}`,
    ...(era !== undefined && { era }),
    handle: (request) => (request.era === 'today' ? todayReply(definition, request) : seedReply(definition, request)),
  };
}

async function todayReply<T>(definition: RouteDefinition<T>, request: ServiceRequest): Promise<Reply> {
  const passed = await pass(definition, request);
  if ('refusal' in passed) return passed.refusal;
  const limit = callsPerMinute('today', definition.method, definition.path);
  if (limit === undefined) return passed.reply();
  const taken = spendCall(request, definition.path, limit);
  if (taken.exceeded) return rateLimitError(request, taken);
  return withRateHeaders(await passed.reply(), taken);
}

async function seedReply<T>(definition: RouteDefinition<T>, request: ServiceRequest): Promise<Reply> {
  const limit = callsPerMinute('seed', definition.method, definition.path) ?? 0;
  const taken = spendCall(request, definition.path, limit);
  if (taken.exceeded) return rateLimitError(request, taken);
  const passed = await pass(definition, request);
  return withRateHeaders('refusal' in passed ? passed.refusal : await passed.reply(), taken);
}

type Passed = { readonly refusal: Reply } | { readonly reply: () => Reply | Promise<Reply> };

/** Does everything before the limiter; returns the rest of the work if the request passes. */
async function pass<T>(definition: RouteDefinition<T>, request: ServiceRequest): Promise<Passed> {
  const caller = authenticate(request.headers);
  if ('refusal' in caller) return caller;
  const { permission, bodyLimit } = definition;
  if (permission !== undefined && !caller.permissions.includes(permission)) {
    return { refusal: apiError(403, "Vous n'êtes pas autorisé à accéder à cette ressource") };
  }
  const body = bodyLimit === undefined ? { value: undefined } : await readJsonBody(request, bodyLimit);
  if ('refusal' in body) return body;
  const keyed: KeyedRequest = { ...request, caller, body: body.value };
  const read = definition.read(keyed);
  if ('issues' in read) return { refusal: apiValidationError(read.issues) };
  return { reply: () => definition.handle(read.value, keyed) };
}

/** For routes without input, or whose input the backend checks. */
export function takesAnything(): { readonly value: undefined } {
  return { value: undefined };
}
