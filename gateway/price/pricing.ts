import { GraphQLError } from 'graphql';
import { CodedError, ERRORS } from '../../kernel/errors.js';
import type { CallBudget } from '../callers/caller-limits.js';
import type { PagePlan } from '../files/row-plan.js';
import type { GraphqlResponse } from '../graph/graphql-server.js';
import type { ResolvedOperation } from '../request/request.js';
import { type DryRequest, type DryRun, type DryRunContext, runDry, runPagesDry } from './dry-run.js';
import { FieldPrices, type Needs } from './estimates.js';

/** What operations are priced with, in upstream calls, before they run. */
export interface Pricing extends DryRunContext {
  /** Calls that one request may make. */
  readonly maxCalls: number;
}

/**
 * The price of an operation, or of all pages of its list, given what is cached; or the response of an operation that
 * cannot run. Makes no call.
 */
export function dryRun(
  pricing: Pricing,
  request: DryRequest,
  pages: PagePlan | null,
): Promise<DryRun | GraphqlResponse> {
  return pages === null ? runDry(pricing, request) : runPagesDry(pricing, request, pages);
}

/** What an estimate rests on: all fields if nothing is cached, what the operation needed before, or a dry run. */
export type EstimateBasis = 'declared' | 'known' | 'dry-run';

/** One operation passing the limit. */
export class Admission {
  /** The calls that were estimated; null before the operation was resolved. */
  estimated: { readonly basis: EstimateBasis; readonly calls: number } | null = null;
  readonly #pricing: Pricing;
  readonly #request: DryRequest;
  readonly #budget: CallBudget | null;
  #executed = () => {};

  /** `budget` is what the caller has left; null without a limit. */
  constructor(pricing: Pricing, request: DryRequest, budget: CallBudget | null) {
    this.#pricing = pricing;
    this.#request = request;
    this.#budget = budget;
  }

  /**
   * Prices the operation before it is planned. It is refused if it is certain to make more calls than one request may
   * (`COST_EXCEEDED`) or than the caller has left (`TOO_MANY_REQUESTS`); if it only might, it is cut off there. Most
   * are admitted by their declared cost or by what they needed before; only the others are dry-run.
   */
  async resolved(operation: ResolvedOperation): Promise<void> {
    const { list, known, maxCalls } = this.#pricing;
    const { gatewayRequest } = this.#request;
    const budget = this.#budget;
    const declared = new FieldPrices(operation, list).ofOperation().reduce((sum, one) => sum + one.calls, 0);
    const needs = declared > 1 ? known.of(operation, gatewayRequest) : null;
    const calls = needs === null ? declared : lookupsOf(needs);
    this.estimated = { basis: needs === null ? 'declared' : 'known', calls };
    // An operation that makes at most one call has no other price.
    if (declared > 1) this.#executed = known.watch(operation, gatewayRequest);
    if (calls <= maxCalls && (budget === null || (await budget.reserve(calls)))) return;
    const priced = await runDry(this.#pricing, this.#request);
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

  /** Call it when it was executed without an error: what it needed is its price from now on. */
  executed(): void {
    this.#executed();
  }
}

function lookupsOf({ routes }: Needs): number {
  return [...routes.values()].reduce((sum, { lookups }) => sum + lookups, 0);
}

/** Whether an operation was priced, not refused. */
export function isDryRun(result: DryRun | GraphqlResponse): result is DryRun {
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
