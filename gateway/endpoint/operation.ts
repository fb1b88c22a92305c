import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../kernel/errors.js';
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
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import type { Caller } from '../callers/caller.js';
import type { ReportedBudget } from '../callers/caller-limits.js';
import type { RowPlan } from '../files/row-plan.js';
import { type RowRequest, readRowRequest } from '../files/row-request.js';
import { allowOperation, sha256 } from '../limits/safelist.js';
import type { Memory, MemoryRequest, WhyExecuted } from '../memory/memory.js';
import { isPriced, type PricedRequest, priceOf, priceOfPages } from '../price/price.js';
import { type GatewayRequest, mayTrace, type TracePolicy } from '../request/request.js';
import type { Endpoint } from './endpoint.js';
import type { HttpResponse } from './send-response.js';

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
  readonly memoryRequest: MemoryRequest;
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

const DRY_RUN = 'x-passerelle-dry-run';
const CALLS = 'x-passerelle-calls';

/** Whether a request wants its price or its calls. */
export function wantsPrice(headers: RequestHeaders): boolean {
  return oneHeader(headers, DRY_RUN) !== undefined || oneHeader(headers, CALLS) !== undefined;
}

/** Whether only the price is wanted. Throws a CodedError for a caller who may not request it; nothing is run then. */
export function wantsDryRun(trace: TracePolicy, headers: RequestHeaders): boolean {
  const sent = oneHeader(headers, DRY_RUN);
  if (sent === undefined || sent === '0') return false;
  const traces = mayTrace(trace, oneHeader(headers, 'x-passerelle-trace'));
  if (mayTrace(trace, sent) || (traces && sent === '1')) return true;
  if (traces || trace === 'on')
    throw new CodedError('BAD_USER_INPUT', `${DRY_RUN} is 1, or 0 for none. Nothing was run.`);
  const who = 'Only callers who may request a trace may request a dry run.';
  throw new CodedError('PERMISSION_DENIED', `${who} Nothing was run.`);
}

/** The response to a dry run, and the code of the error that it ended with. */
interface DryRunResponse extends Omit<HttpResponse, 'type'> {
  readonly code?: string;
}

/** The price and the plan of an operation, for all pages if pages are planned; or why there is none. Makes no call. */
export async function answerDryRun(endpoint: Endpoint, running: RunningOperation): Promise<DryRunResponse> {
  const pages = running.plan?.pages ?? null;
  const request = pricedRequest(running);
  const result = await (pages === null ? priceOf(endpoint, request) : priceOfPages(endpoint, request, pages));
  if (!isPriced(result)) {
    const { status, data, errors } = result;
    const code = errors?.[0]?.extensions?.['code'];
    return { status, body: { data, errors }, ...(typeof code === 'string' && { code }) };
  }
  const { price, dearest, plan } = result;
  const passerelle = { requestId: running.gatewayRequest.id, price: { ...price, dearest }, plan };
  return { status: 200, body: { data: null, extensions: { passerelle } } };
}

/** Whether its calls are wanted beside those that it will have made. */
export function wantsCalls(headers: RequestHeaders): boolean {
  return oneHeader(headers, CALLS) === '1';
}

/** The calls that an operation would make now; null for one that cannot run. */
export async function estimatedCalls(endpoint: Endpoint, running: RunningOperation): Promise<number | null> {
  const result = await priceOf(endpoint, pricedRequest(running));
  return isPriced(result) ? result.price.total : null;
}

/** The headers of both. */
export function callHeaders(estimated: number, made: number): Record<string, number> {
  return { [`${CALLS}-estimated`]: estimated, [`${CALLS}-made`]: made };
}

function pricedRequest({ request, parameters, gatewayRequest }: RunningOperation): PricedRequest {
  return { parameters, gatewayRequest, method: methodOf(request) };
}
