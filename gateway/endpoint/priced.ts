import type { FastifyReply, FastifyRequest } from 'fastify';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { CodedError } from '../../schema/errors.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import type { LimitHeaders } from '../callers/limit-headers.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { DryRequest } from '../price/dry-run.js';
import { isDryRun, type Pricing } from '../price/pricing.js';
import type { ResolvedOperation } from '../request/context.js';
import type { CallerCredentials } from '../request/credentials.js';
import type { GatewayRequest } from '../request/request.js';
import { mayTrace, type TracePolicy } from '../request/trace.js';
import type { CallsOfCaller } from '../web/export/page-cost.js';
import type { PagePlan } from '../web/export/row-plan.js';
import { isGet } from './operation-reader.js';
import type { RequestMetrics } from './request-report.js';
import type { HttpResponse } from './send-response.js';

/** What pricing needs of the endpoint. */
export interface PricedOptions {
  /** Null where the prices of the subgraphs are not known. */
  readonly pricing: Pricing | null;
  readonly callerLimits: CallerLimits;
  readonly trace: TracePolicy;
  readonly metrics: Pick<RequestMetrics, 'calls'> | null;
}

/** One request of a client. */
export interface IncomingRequest {
  readonly request: FastifyRequest;
  readonly parameters: GraphqlParameters;
  readonly gatewayRequest: GatewayRequest;
  readonly credentials: CallerCredentials;
}

/** What a dry run is answered with. */
interface DryRunResponse extends Omit<HttpResponse, 'type'> {
  /** Of the error that it ended with. */
  readonly code?: string;
}

/** The one place where prices meet requests. */
export interface PricedRequests {
  /**
   * Whether a request is executed for its price or its calls. Throws for a dry run that this caller may not ask for, or
   * that is not possible here: then nothing runs either.
   */
  isPriced(request: FastifyRequest): boolean;
  /** Whether only the price is wanted. */
  isDryRun(request: FastifyRequest): boolean;
  /** The response that has the price and the plan, of all pages where they are planned; or why there is none. */
  dryRun(incoming: IncomingRequest, pages: PagePlan | null): Promise<DryRunResponse>;
  /** Prices a request that is about to run. Null where prices are not known. */
  before(incoming: IncomingRequest): Promise<PricedRequest | null>;
}

/** An operation whose calls are set aside before it runs. */
interface PricedOperation {
  /** Refuses an operation that would make too many calls. */
  resolved(operation: ResolvedOperation): Promise<void>;
}

/** A request that was priced. */
export interface PricedRequest extends PricedOperation {
  /**
   * Its calls were made: compares them with the estimate, in headers where the client wants them, and counts them. What
   * it needed is known if all of it came.
   */
  report(reply: FastifyReply, isWhole: boolean): void;
  /** From which the calls of its further pages are set aside; null where the caller has no limit. */
  readonly callsOfCaller: CallsOfCaller | null;
  /** Prices a further page, which is a request of its own. */
  page(parameters: GraphqlParameters, gatewayRequest: GatewayRequest): PricedPage;
  /** No further page follows: gives back what was set aside for them. */
  end(): void;
  /** Headers that say what the caller has left. */
  limits(): LimitHeaders;
}

/** A further page of a request. */
export interface PricedPage extends PricedOperation {
  /** These calls were made. What it needed is known if all of it came. */
  report(made: number, isWhole: boolean): void;
}

const DRY_RUN = 'x-passerelle-dry-run';
const CALLS = 'x-passerelle-calls';

/** Whether a request asks for its price or its calls: then it is executed, and not answered from the cache. */
export function wantsPrice(headers: RequestHeaders): boolean {
  return headers[DRY_RUN] !== undefined || headers[CALLS] !== undefined;
}

/** Creates it; without a pricing, nothing is priced. */
export function createPricedRequests({ pricing, callerLimits, trace, metrics }: PricedOptions): PricedRequests {
  function wantsDryRun({ headers }: FastifyRequest): boolean {
    const sent = oneHeader(headers, DRY_RUN);
    if (sent === undefined || sent === '0') return false;
    const mayOtherwise = trace !== 'off' && mayTrace(trace, oneHeader(headers, 'x-passerelle-trace'));
    const isAllowed = mayTrace(trace, sent) || (mayOtherwise && sent === '1');
    if (!isAllowed && (mayOtherwise || trace === 'on'))
      throw new CodedError('BAD_USER_INPUT', `${DRY_RUN} is 1, or 0 for none. Nothing was run.`);
    if (!isAllowed) throw notRun('Only callers who may request a trace may request a dry run.');
    if (pricing === null) throw notRun('This graph has no prices, so a dry run is not possible.');
    return true;
  }

  return {
    isDryRun: wantsDryRun,
    isPriced(request) {
      // Who may not ask hears it before anything is run.
      return wantsDryRun(request) || wantsPrice(request.headers);
    },
    async dryRun(incoming, pages) {
      const result = pricing === null ? null : await pricing.dryRun(dryRequest(incoming), pages);
      if (result === null || !isDryRun(result)) {
        const { status = 500, data, errors } = result ?? {};
        const code = errors?.[0]?.extensions?.['code'];
        return { status, body: { data, errors }, ...(typeof code === 'string' && { code }) };
      }
      const { price, dearest, plan } = result;
      const passerelle = { requestId: incoming.gatewayRequest.id, price: { ...price, dearest }, plan };
      return { status: 200, body: { data: null, extensions: { passerelle } } };
    },
    before: async (incoming) => (pricing === null ? null : priceRequest(incoming, { pricing, callerLimits, metrics })),
  };
}

function notRun(why: string): CodedError {
  return new CodedError('PERMISSION_DENIED', `${why} Nothing was run.`);
}

async function priceRequest(
  incoming: IncomingRequest,
  { pricing, callerLimits, metrics }: Omit<PricedOptions, 'trace' | 'pricing'> & { readonly pricing: Pricing },
): Promise<PricedRequest> {
  const { request, gatewayRequest, credentials } = incoming;
  const budget = callerLimits.budget(request.raw, credentials);
  const admission = pricing.admit(dryRequest(incoming), budget);
  const priced = request.headers[CALLS] === '1' ? await pricing.dryRun(dryRequest(incoming)) : null;
  /** Set aside for pages that are still to come. */
  let forPages = 0;
  return {
    resolved: admission.resolved,
    report(reply, isWhole) {
      if (isWhole) admission.executed();
      const { callsMade: made } = gatewayRequest.recorder.totals();
      callerLimits.confirm(credentials, gatewayRequest.recorder.tookKeyOf);
      budget?.settle(made);
      const exact = priced !== null && isDryRun(priced) ? priced.price.total : null;
      const estimate = exact === null ? admission.estimated() : { basis: 'dry-run' as const, calls: exact };
      if (estimate !== null) metrics?.calls({ basis: estimate.basis, estimated: estimate.calls, made });
      if (exact !== null) reply.headers({ [`${CALLS}-estimated`]: exact, [`${CALLS}-made`]: made });
    },
    callsOfCaller: budget && {
      limit: budget.limit,
      async reserve(calls) {
        const isReserved = await budget.reserve(calls);
        if (isReserved) forPages = calls;
        return isReserved;
      },
    },
    page(parameters, page) {
      const { resolved, executed } = pricing.admit({ method: 'POST', parameters, gatewayRequest: page }, budget);
      return {
        resolved,
        report(made, isWhole) {
          if (isWhole) executed();
          forPages = Math.max(0, forPages - made);
          budget?.settle(made, forPages);
        },
      };
    },
    end: () => budget?.settle(0),
    limits: () => budget?.headers() ?? {},
  };
}

function dryRequest({ request, parameters, gatewayRequest }: IncomingRequest): DryRequest {
  return { parameters, gatewayRequest, method: isGet(request) ? 'GET' : 'POST' };
}
