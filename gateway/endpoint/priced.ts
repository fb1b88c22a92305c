import { CodedError } from '../../kernel/errors.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { isPriced, type PricedRequest, priceOf, priceOfPages } from '../price/price.js';
import { mayTrace, type TracePolicy } from '../request/request.js';
import type { Endpoint } from './endpoint.js';
import { methodOf, type RunningOperation } from './operation.js';
import type { HttpResponse } from './send-response.js';

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

/**
 * The calls that an operation would make now, for a client that wants them beside those that it made; null for any other,
 * and for an operation that cannot run.
 */
export async function estimatedCalls(endpoint: Endpoint, running: RunningOperation): Promise<number | null> {
  if (oneHeader(running.request.headers, CALLS) !== '1') return null;
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
