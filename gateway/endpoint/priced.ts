import type { FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../../kernel/errors.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import type { LimitHeaders } from '../callers/rate-limit.js';
import type { CallsOfCaller } from '../files/further-pages.js';
import type { PagePlan } from '../files/row-plan.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { DryRequest } from '../price/dry-run.js';
import { isDryRun, type Pricing } from '../price/pricing.js';
import type { ResolvedOperation } from '../request/context.js';
import type { CallerCredentials, GatewayRequest } from '../request/request.js';
import { mayTrace, type TracePolicy } from '../request/trace.js';
import { isGet } from './operation-reader.js';
import type { RequestMetrics } from './request-report.js';
import type { HttpResponse } from './send-response.js';

/** What pricing needs from the endpoint. */
export interface PricedOptions {
  readonly pricing: Pricing;
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

/** The response to a dry run. */
interface DryRunResponse extends Omit<HttpResponse, 'type'> {
  /** The code of the error that it ended with. */
  readonly code?: string;
}

/** The only place where prices are applied to requests. */
export interface PricedRequests {
  /**
   * Whether a request has to be executed because its client wants the price or the calls. Throws for a dry run that
   * this caller may not request, or that is not possible here; nothing is run then.
   */
  isPriced(request: FastifyRequest): boolean;
  /** Whether only the price is wanted. */
  isDryRun(request: FastifyRequest): boolean;
  /** The response with the price and the plan, for all pages if pages are planned; or why there is none. */
  dryRun(incoming: IncomingRequest, pages: PagePlan | null): Promise<DryRunResponse>;
  /** Prices a request that is about to run. */
  before(incoming: IncomingRequest): Promise<PricedRequest>;
}

/** An operation whose calls are set aside before it runs. */
interface PricedOperation {
  /** Refuses an operation that would make too many calls. */
  resolved(operation: ResolvedOperation): Promise<void>;
}

/** A request that was priced. */
export interface PricedRequest extends PricedOperation {
  /**
   * Call it once the calls are made: counts them and compares them with the estimate, in headers if the client wants
   * them. If the response is whole, also learns what the operation needed.
   */
  report(reply: FastifyReply, isWhole: boolean): void;
  /** Sets aside the calls of further pages; null if the caller has no limit. */
  readonly callsOfCaller: CallsOfCaller | null;
  /** Prices a further page, which is a request of its own. */
  page(parameters: GraphqlParameters, gatewayRequest: GatewayRequest): PricedPage;
  /** Call it when no further page follows: returns what was set aside for them. */
  end(): void;
  /** Headers that report what the caller has left. */
  limits(): LimitHeaders;
}

/** A further page of a request. */
export interface PricedPage extends PricedOperation {
  /** Call it with the calls that were made. If the response is whole, also learns what the page needed. */
  report(made: number, isWhole: boolean): void;
}

const DRY_RUN = 'x-passerelle-dry-run';
const CALLS = 'x-passerelle-calls';

/** Whether a request wants its price or its calls: then it is executed, not answered from the cache. */
export function wantsPrice(headers: RequestHeaders): boolean {
  return oneHeader(headers, DRY_RUN) !== undefined || oneHeader(headers, CALLS) !== undefined;
}

/** Creates it. */
export function createPricedRequests(options: PricedOptions): PricedRequests {
  const { pricing, trace } = options;

  function wantsDryRun({ headers }: FastifyRequest): boolean {
    const sent = oneHeader(headers, DRY_RUN);
    if (sent === undefined || sent === '0') return false;
    const mayOtherwise = trace !== 'off' && mayTrace(trace, oneHeader(headers, 'x-passerelle-trace'));
    const isAllowed = mayTrace(trace, sent) || (mayOtherwise && sent === '1');
    if (!isAllowed && (mayOtherwise || trace === 'on'))
      throw new CodedError('BAD_USER_INPUT', `${DRY_RUN} is 1, or 0 for none. Nothing was run.`);
    if (!isAllowed) {
      const who = 'Only callers who may request a trace may request a dry run.';
      throw new CodedError('PERMISSION_DENIED', `${who} Nothing was run.`);
    }
    return true;
  }

  return {
    isDryRun: wantsDryRun,
    isPriced(request) {
      // A caller who may not request a dry run is refused before anything runs.
      return wantsDryRun(request) || wantsPrice(request.headers);
    },
    async dryRun(incoming, pages) {
      const result = await pricing.dryRun(dryRequest(incoming), pages);
      if (!isDryRun(result)) {
        const { status, data, errors } = result;
        const code = errors?.[0]?.extensions?.['code'];
        return { status, body: { data, errors }, ...(typeof code === 'string' && { code }) };
      }
      const { price, dearest, plan } = result;
      const passerelle = { requestId: incoming.gatewayRequest.id, price: { ...price, dearest }, plan };
      return { status: 200, body: { data: null, extensions: { passerelle } } };
    },
    before: (incoming) => priceRequest(incoming, options),
  };
}

async function priceRequest(
  incoming: IncomingRequest,
  { pricing, callerLimits, metrics }: PricedOptions,
): Promise<PricedRequest> {
  const { request, gatewayRequest, credentials } = incoming;
  const budget = callerLimits.budget(request.raw, credentials);
  const admission = pricing.admit(dryRequest(incoming), budget);
  const priced = oneHeader(request.headers, CALLS) === '1' ? await pricing.dryRun(dryRequest(incoming)) : null;
  let resolution: Promise<void> | null = null;
  /** Set aside for pages that are still to come. */
  let forPages = 0;
  return {
    // Its calls may be made ahead of its execution, but it is priced once.
    resolved(operation) {
      resolution ??= admission.resolved(operation);
      return resolution;
    },
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
