import type { FastifyReply } from 'fastify';
import { GraphQLError } from 'graphql';
import { CodedError, ERRORS } from '../../kernel/errors.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import type { CallBudget } from '../callers/caller-limits.js';
import type { LimitHeaders } from '../callers/rate-limit.js';
import type { CallsOfCaller } from '../files/further-pages.js';
import type { PagePlan } from '../files/row-plan.js';
import type { GraphqlResponse } from '../graph/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import { type DryRequest, type DryRun, runDry, runPagesDry } from '../price/dry-run.js';
import { type EstimateBasis, FieldPrices, type Needs } from '../price/estimates.js';
import { type GatewayRequest, mayTrace, type ResolvedOperation, type TracePolicy } from '../request/request.js';
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

/** The price and the plan of an operation, for all pages if pages are planned; or why there is none. */
export async function answerDryRun(endpoint: Endpoint, running: RunningOperation): Promise<DryRunResponse> {
  const result = await dryRun(endpoint, dryRequest(running), running.plan?.pages ?? null);
  if (!isDryRun(result)) {
    const { status, data, errors } = result;
    const code = errors?.[0]?.extensions?.['code'];
    return { status, body: { data, errors }, ...(typeof code === 'string' && { code }) };
  }
  const { price, dearest, plan } = result;
  const passerelle = { requestId: running.gatewayRequest.id, price: { ...price, dearest }, plan };
  return { status: 200, body: { data: null, extensions: { passerelle } } };
}

/** A request that was priced. */
export interface PricedRequest {
  /** Sets aside the calls of the operation before it runs. Refuses one that would make too many. */
  resolved(operation: ResolvedOperation): Promise<void>;
  /**
   * Call it once the calls are made: counts them and compares them with the estimate, in headers if the client wants
   * them. If the response is whole, also learns what the operation needed.
   */
  report(reply: FastifyReply, isWhole: boolean): void;
  /** Sets aside the calls of further pages; null if the caller has no limit. */
  readonly callsOfCaller: CallsOfCaller | null;
  /** Prices a further page, which is a request of its own. Its report takes what the calls that were made count as. */
  page(
    parameters: GraphqlParameters,
    gatewayRequest: GatewayRequest,
  ): Pick<PricedRequest, 'resolved'> & { report(made: number, isWhole: boolean): void };
  /** Call it when no further page follows: returns what was set aside for them. */
  end(): void;
  /** Headers that report what the caller has left. */
  limits(): LimitHeaders;
}

/** Prices a request that is about to run. */
export async function priceRequest(endpoint: Endpoint, running: RunningOperation): Promise<PricedRequest> {
  const { callerLimits, metrics } = endpoint;
  const { request, gatewayRequest, caller } = running;
  const budget = callerLimits.budget(request.raw, caller);
  const admission = new Admission(endpoint, dryRequest(running), budget);
  const priced = oneHeader(request.headers, CALLS) === '1' ? await dryRun(endpoint, dryRequest(running), null) : null;
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
      callerLimits.confirm(caller.credentials, gatewayRequest.recorder.tookKeyOf);
      budget?.settle(gatewayRequest.recorder.weight);
      const exact = priced !== null && isDryRun(priced) ? priced.price.total : null;
      const estimate = exact === null ? admission.estimated : { basis: 'dry-run' as const, calls: exact };
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
      const ofPage = new Admission(endpoint, { method: 'POST', parameters, gatewayRequest: page }, budget);
      return {
        resolved: (operation) => ofPage.resolved(operation),
        report(made, isWhole) {
          if (isWhole) ofPage.executed();
          forPages = Math.max(0, forPages - made);
          budget?.settle(made, forPages);
        },
      };
    },
    end: () => budget?.settle(0),
    limits: () => budget?.headers() ?? {},
  };
}

function dryRequest({ request, parameters, gatewayRequest }: RunningOperation): DryRequest {
  return { parameters, gatewayRequest, method: methodOf(request) };
}

/**
 * The price of an operation, or of all pages of its list, given what is cached; or the response of an operation that
 * cannot run. Makes no call.
 */
function dryRun(endpoint: Endpoint, request: DryRequest, pages: PagePlan | null): Promise<DryRun | GraphqlResponse> {
  return pages === null ? runDry(endpoint, request) : runPagesDry(endpoint, request, pages);
}

/** One operation passing the limit. */
class Admission {
  /** The calls that were estimated; null before the operation was resolved. */
  estimated: { readonly basis: EstimateBasis; readonly calls: number } | null = null;
  /** Call it when it was executed without an error: what it needed is its price from now on. */
  executed = () => {};
  readonly #endpoint: Endpoint;
  readonly #request: DryRequest;
  readonly #budget: CallBudget | null;

  /** `budget` is what the caller has left; null without a limit. */
  constructor(endpoint: Endpoint, request: DryRequest, budget: CallBudget | null) {
    this.#endpoint = endpoint;
    this.#request = request;
    this.#budget = budget;
  }

  /**
   * Prices the operation before it is planned. It is refused if it is certain to make more calls than one request may
   * (`COST_EXCEEDED`) or than the caller has left (`TOO_MANY_REQUESTS`); if it only might, it is cut off there. Most
   * are admitted by their declared cost or by what they needed before; only the others are dry-run.
   */
  async resolved(operation: ResolvedOperation): Promise<void> {
    const { prices, known, maxCallsPerRequest: maxCalls } = this.#endpoint;
    const { gatewayRequest } = this.#request;
    const budget = this.#budget;
    const declared = new FieldPrices(operation, prices).ofOperation().reduce((sum, one) => sum + one.calls, 0);
    const needs = declared > 1 ? known.of(operation, gatewayRequest) : null;
    const calls = needs === null ? declared : sumOf(needs, 'lookups');
    const weight = needs === null ? calls : sumOf(needs, 'weight');
    this.estimated = { basis: needs === null ? 'declared' : 'known', calls };
    // An operation that makes at most one call has no other price.
    if (declared > 1) this.executed = known.watch(operation, gatewayRequest);
    if (weight <= maxCalls && (budget === null || (await budget.reserve(weight)))) return;
    const priced = await runDry(this.#endpoint, this.#request);
    // An operation that cannot run reports that itself when it is executed.
    if (!isDryRun(priced)) return;
    const { total, certain } = priced.price;
    this.estimated = { basis: 'dry-run', calls: total };
    if (certain > maxCalls) throw costExceeded(priced, maxCalls);
    if (budget === null) return;
    const left = await budget.reserveUpTo(Math.min(total, maxCalls), certain);
    if (left === null) throw spent(budget);
    gatewayRequest.allowance?.lowerTo(left);
  }
}

function sumOf({ routes }: Needs, of: 'lookups' | 'weight'): number {
  return [...routes.values()].reduce((sum, needs) => sum + needs[of], 0);
}

/** Whether an operation was priced, not refused. */
function isDryRun(result: DryRun | GraphqlResponse): result is DryRun {
  return 'price' in result;
}

function spent({ limit }: CallBudget): GraphQLError {
  const code = 'TOO_MANY_REQUESTS';
  const message = `A caller may make ${limit} upstream calls a minute, and this operation would take more than are left.`;
  return new GraphQLError(message, { extensions: { code, http: { status: ERRORS[code].httpStatus } } });
}

function costExceeded({ price: { total, certain }, dearest }: DryRun, maxCalls: number): GraphQLError {
  const causes = dearest.map(({ cause, service, calls }) => `${cause}: ${calls} of ${service}`).join('; ');
  const { code, message } = new CodedError(
    'COST_EXCEEDED',
    `This operation would make ${certain === total ? total : `${certain} to ${total}`} upstream calls; one request may make ${maxCalls}. Most are for ${causes}. Request fewer items with \`first\`, or fewer joined fields.`,
  );
  return new GraphQLError(message, { extensions: { code, http: { status: ERRORS[code].httpStatus } } });
}
