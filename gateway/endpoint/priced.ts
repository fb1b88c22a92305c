import type { FastifyReply, FastifyRequest } from 'fastify';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { CodedError } from '../../schema/errors.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import type { GraphqlParameters } from '../http/parameters.js';
import { isDryRun, type Pricing } from '../price/pricing.js';
import type { ResolvedOperation } from '../request/context.js';
import type { CallerCredentials } from '../request/credentials.js';
import type { GatewayRequest } from '../request/request.js';
import { mayTrace, type TracePolicy } from '../request/trace.js';
import type { PagePlan } from '../web/export/row-plan.js';
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
interface IncomingRequest {
  readonly request: FastifyRequest;
  readonly parameters: GraphqlParameters;
  readonly gatewayRequest: GatewayRequest;
  readonly credentials: CallerCredentials;
}

/** The one place where prices meet requests. */
export interface PricedRequests {
  /**
   * Whether a request is executed for its price or its calls. Throws `PERMISSION_DENIED` for a dry run by callers who may not
   * ask for one: then nothing runs either.
   */
  isPriced(request: FastifyRequest): boolean;
  /** Whether only the price is wanted. */
  isDryRun(request: FastifyRequest): boolean;
  /** The response that has the price and the plan, of all pages where they are planned. */
  dryRun(incoming: IncomingRequest, pages: PagePlan | null): Promise<Omit<HttpResponse, 'type'>>;
  /**
   * Prices a request that is about to run, in headers where the client wants them. Null where prices are not known.
   */
  before(incoming: IncomingRequest, reply: FastifyReply): Promise<PricedRequest | null>;
}

/** A request that was priced. */
export interface PricedRequest {
  /** Refuses an operation that would make too many calls. */
  resolved(operation: ResolvedOperation): Promise<void>;
  /** Its calls were made: compares them with the estimate, and counts them. What it needed is known if all of it came. */
  report(isWhole: boolean): void;
  /** These calls were made after its first page. */
  spent(calls: number): void;
}

const DRY_RUN = 'x-passerelle-dry-run';
const CALLS = 'x-passerelle-calls';

/** Whether a request asks for its price or its calls: then it is executed, and not answered from the cache. */
export function wantsPrice(headers: RequestHeaders): boolean {
  return headers[DRY_RUN] !== undefined || headers[CALLS] !== undefined;
}

/** Creates it; without a pricing, nothing is priced. */
export function createPricedRequests({ pricing, callerLimits, trace, metrics }: PricedOptions): PricedRequests {
  const wantsCalls = ({ headers }: FastifyRequest): boolean => headers[CALLS] === '1';
  const dryRequest = ({ request, parameters, gatewayRequest }: IncomingRequest) => ({
    ...{ parameters, gatewayRequest },
    method: request.method === 'GET' ? ('GET' as const) : ('POST' as const),
  });

  function wantsDryRun({ headers }: FastifyRequest): boolean {
    const sent = oneHeader(headers, DRY_RUN);
    if (sent === undefined || sent === '0') return false;
    const isAllowed =
      mayTrace(trace, sent) || (trace !== 'off' && mayTrace(trace, oneHeader(headers, 'x-passerelle-trace')));
    if (isAllowed && pricing !== null) return true;
    throw new CodedError('PERMISSION_DENIED', 'A dry run is for callers who may request a trace. Nothing was run.');
  }

  return {
    isDryRun: wantsDryRun,
    isPriced(request) {
      // Who may not ask hears it before anything is run.
      return wantsDryRun(request) || wantsPrice(request.headers);
    },
    async dryRun(incoming, pages) {
      const result = pricing === null ? null : await pricing.dryRun(dryRequest(incoming), pages);
      incoming.gatewayRequest.finish();
      if (result === null || !isDryRun(result)) {
        const { status = 500, data, errors } = result ?? {};
        return { status, body: { data, errors } };
      }
      const { price, dearest, plan } = result;
      const passerelle = { requestId: incoming.gatewayRequest.id, price: { ...price, dearest }, plan };
      return { status: 200, body: { data: null, extensions: { passerelle } } };
    },
    async before(incoming, reply) {
      if (pricing === null) return null;
      const request = dryRequest(incoming);
      const budget = callerLimits.budget(incoming.request.raw, incoming.credentials);
      const admission = pricing.admit(request, budget);
      const priced = wantsCalls(incoming.request) ? await pricing.dryRun(request) : null;
      return {
        resolved: admission.resolved,
        spent: (calls) => void budget?.settle(calls),
        report(isWhole) {
          if (isWhole) admission.executed();
          const { callsMade: made } = incoming.gatewayRequest.recorder.totals();
          callerLimits.confirm(incoming.credentials, incoming.gatewayRequest.recorder.tookKeyOf);
          if (budget !== null) reply.headers(budget.settle(made));
          const exact = priced !== null && isDryRun(priced) ? priced.price.total : null;
          const estimate = exact === null ? admission.estimated() : { basis: 'dry-run' as const, calls: exact };
          if (estimate !== null) metrics?.calls({ basis: estimate.basis, estimated: estimate.calls, made });
          if (exact !== null) reply.headers({ [`${CALLS}-estimated`]: exact, [`${CALLS}-made`]: made });
        },
      };
    },
  };
}
