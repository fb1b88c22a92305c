import type { FastifyRequest } from 'fastify';
import { SERVICES } from '../../kernel/services.js';
import { ROW_FORMATS } from '../../rows/formats.js';
import { chooseResponseType, type ResponseType } from '../../runtime/http/negotiation.js';
import {
  type GraphqlParameters,
  persistedHashOf,
  readBodyParameters,
  readQueryParameters,
} from '../../runtime/http/parameters.js';
import { RequestError } from '../../runtime/http/request-error.js';
import { oneHeader, type RequestHeaders, readTraceparent } from '../../runtime/http/request-headers.js';
import type { CallerSession } from '../auth/index.js';
import type { Recognised, ReportedBudget } from '../callers/caller-limits.js';
import type { RowPlan } from '../files/row-plan.js';
import { type RowRequest, readRowRequest } from '../files/row-request.js';
import { allowOperation, sha256 } from '../limits/safelist.js';
import type { Memory, MemoryRequest, WhyExecuted } from '../memory/memory.js';
import { type GatewayRequest, mayTrace, readCredentials } from '../request/request.js';
import type { Endpoint } from './endpoint.js';

/** The operation of a request, and the form of its response. */
export interface IncomingOperation {
  readonly parameters: GraphqlParameters;
  readonly type: ResponseType;
  /** Null unless a file of rows is requested. */
  readonly rows: RowRequest | null;
}

/** An operation that is being executed. */
export interface RunningOperation {
  readonly request: FastifyRequest;
  readonly operation: IncomingOperation;
  /** What is executed: the client's parameters, or those of the first page if rows of several are requested. */
  readonly parameters: GraphqlParameters;
  /** Null unless rows are requested. */
  readonly plan: RowPlan | null;
  readonly caller: Caller;
  /** Why it was not answered from memory. */
  readonly reason: WhyExecuted;
  /** The request as memory knows it, and the versions of services before it was executed. */
  readonly repeated: MemoryRequest;
  readonly versions: ReturnType<Memory['versions']>;
  /** What its caller has left of the calls of a minute; null if they are not limited. */
  readonly budget: ReportedBudget | null;
  readonly gatewayRequest: GatewayRequest;
}

/** Reads an operation from URL, headers and body. Throws a RequestError or CodedError if none may be executed. */
export function readOperation(endpoint: Endpoint, request: FastifyRequest): IncomingOperation {
  const { url, headers } = request;
  endpoint.crossOrigin.refuseBlindRequest(headers);
  const from = url.indexOf('?');
  const search = new URLSearchParams(from < 0 ? '' : url.slice(from));
  const rows = readRowRequest(oneHeader(headers, 'accept'), search);
  const type = rows === null ? responseType(request) : 'application/json';
  const parameters = methodOf(request) === 'GET' ? readQueryParameters(search) : readBodyParameters(request.body);
  return { parameters: allowed(endpoint, parameters, request.id), type, rows };
}

/** The method that an operation is executed as: `HEAD` is handled like `GET`, with the operation in the URL. */
export function methodOf({ method }: FastifyRequest): 'GET' | 'POST' {
  return method === 'POST' ? 'POST' : 'GET';
}

/** What may run: the listed text of an operation, which needs no store of persisted ones, or else what was sent. */
function allowed(
  { safelist, log, metrics }: Endpoint,
  parameters: GraphqlParameters,
  requestId: string,
): GraphqlParameters {
  const { query, operationName, variables } = parameters;
  const hash = persistedHashOf(parameters);
  if (safelist !== null) {
    const decision = allowOperation({ name: operationName, query, hash }, safelist);
    metrics?.safelisted(decision.outcome);
    if (decision.outcome === 'refused') throw decision.error;
    if (decision.outcome === 'allowed')
      return { query: decision.text, operationName, variables, extensions: undefined };
    log.warn({ requestId, ...decision.sent }, 'executed an operation that is not on the safelist');
  }
  // Persisted links send the hash of a manifest beside a text of their own layout, which is not stored under that hash.
  const isForeign = query !== undefined && hash !== undefined && sha256(query) !== hash;
  return isForeign ? { query, operationName, variables, extensions: undefined } : parameters;
}

function responseType({ headers }: FastifyRequest): ResponseType {
  const type = chooseResponseType(oneHeader(headers, 'accept'));
  if (type !== null) return type;
  const rows = [...new Set(ROW_FORMATS.map(({ mediaType }) => mediaType))].join(', ');
  throw new RequestError(406, `Responses are application/graphql-response+json or application/json; rows are ${rows}.`);
}

/** Who sent a request, and what they may see. */
export interface Caller extends Recognised {
  readonly traced: boolean;
  /** The session whose token the caller uses; null if none. */
  readonly session: CallerSession | null;
  /** The trace that the request is part of (`traceparent`); undefined if it names none. */
  readonly traceparent: string | undefined;
}

/**
 * Identifies the sender of the request with this id by the keys in its headers, or else by the session in its cookie.
 * Rejects with a RequestError.
 */
export async function identify(
  { identity, mintCredential, trace }: Endpoint,
  headers: RequestHeaders,
  requestId: string,
): Promise<Caller> {
  const traced = mayTrace(trace, oneHeader(headers, 'x-passerelle-trace'));
  const traceparent = readTraceparent(headers);
  const sent = readCredentials(headers, mintCredential);
  // A caller's own token takes precedence over their cookie, which is then ignored.
  const usesSession = sent['waste-identity'] === null && identity?.mayHaveSession(headers) === true;
  if (!usesSession) return { traced, session: null, credentials: sent, user: null, traceparent };
  const session = await identity.sessionOf(headers, requestId);
  const credentials = session === null ? sent : { ...sent, 'waste-identity': session.credential };
  return { traced, session, credentials, user: session?.user ?? null, traceparent };
}

/** Request headers that make a response describe its own execution: such a response is for its caller alone. */
const OF_ONE_CALLER = ['x-passerelle-trace', 'x-passerelle-calls', 'x-passerelle-dry-run'] as const;

/**
 * Until when caches may store a response that is fresh until then; null for one that depends on a credential of its
 * caller, or reveals one.
 */
export function sharedUntil(
  { credentials }: Caller,
  headers: RequestHeaders,
  freshUntilMs: number | null,
): number | null {
  const isForEveryone =
    SERVICES.every((service) => credentials[service] === null) &&
    OF_ONE_CALLER.every((name) => oneHeader(headers, name) === undefined);
  return isForEveryone ? freshUntilMs : null;
}
