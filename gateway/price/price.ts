import type { GraphQLFormattedError } from 'graphql';
import type { Price, PricedCalls } from '../../kernel/price.js';
import type { PlanNode, UpstreamCall } from '../../kernel/trace.js';
import { MAX_ROWS, readPage } from '../../rows/page-query.js';
import type { JsonObject } from '../../rows/path.js';
import { createOmissions } from '../../runtime/errors.js';
import type { GraphqlParameters } from '../../runtime/http/parameters.js';
import type { PagePlan } from '../files/row-plan.js';
import type { GraphqlResponse, GraphqlServer } from '../graph/graphql-server.js';
import { type GatewayRequest, quotasLeft, type ResolvedOperation, type SourceQuota } from '../request/request.js';
import { callsOfFurther, createFieldPrices, type FieldCalls, type PriceList } from './field-prices.js';

/*
 * The price of an operation, in upstream calls, given what is cached now.
 *
 * The operation is executed as always, but with a stage of `rest` that makes no call: what is cached is served, what is
 * not is counted, and its field has no value. What is selected below such a field is priced as its fields declare, for
 * as many rows as they declare. So a price is exact where all lists are cached, and an upper bound elsewhere.
 */

/** What an operation would cost. */
export interface Priced {
  readonly price: Price;
  /** The fields and routes that cost most, the dearest first. */
  readonly dearest: readonly FieldCalls[];
  readonly plan: PlanNode | null;
  /** The part of the response that is cached. */
  readonly data: JsonObject | null;
}

/** What operations are priced with. */
export interface Pricing {
  readonly server: GraphqlServer;
  readonly prices: PriceList;
}

/** One request of a client, as far as its price needs it. */
export interface PricedRequest {
  readonly method: 'GET' | 'POST';
  readonly parameters: GraphqlParameters;
  /** The request that waits for the price; provides its credentials and what is left of its time. */
  readonly gatewayRequest: GatewayRequest;
}

/** Prices an operation without making a call. Returns the response of one that cannot run. */
export async function priceOf(
  { server, prices }: Pricing,
  { method, parameters, gatewayRequest }: PricedRequest,
): Promise<Priced | GraphqlResponse> {
  const tally = new Tally();
  const dry = gatewayRequest.dryRun((call) => tally.record(call));
  const omissions = createOmissions();
  let resolved: ResolvedOperation | null = null;
  const response = await server.run(method, parameters, {
    gatewayRequest: dry,
    traced: true,
    omissions,
    resolved: (operation) => {
      resolved = operation;
    },
  });
  dry.finish();
  const { data = null, errors = [] } = response;
  if (resolved === null || (data === null && !errors.every(isNotCached))) return response;
  // How many errors each listed one stands for.
  const share = errors.length === 0 ? 1 : 1 + (omissions.read()?.count ?? 0) / errors.length;
  const priceMissing = createFieldPrices(resolved, prices);
  for (const [path, times] of missing(errors))
    for (const calls of priceMissing(path.split('.'), Math.ceil(times * share))) tally.add(calls);
  const { stored, plan } = dry.recorder;
  const quotas = await quotasLeft(server, gatewayRequest);
  return {
    price: { ...tally.price(quotas), ...(stored.length > 0 && { stored }) },
    dearest: tally.dearest(),
    plan,
    // The data of a response is JSON.
    data: data as JsonObject | null,
  };
}

/** Whether an operation was priced, not refused. */
export function isPriced(result: Priced | GraphqlResponse): result is Priced {
  return 'price' in result;
}

function isNotCached({ extensions }: GraphQLFormattedError): boolean {
  return extensions?.['code'] === 'NOT_CACHED';
}

/** How many values are missing at each path. */
function missing(errors: readonly GraphQLFormattedError[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const error of errors.filter(isNotCached)) {
    const path = (error.path ?? []).filter((step) => typeof step === 'string').join('.');
    times.set(path, 1 + (times.get(path) ?? 0));
  }
  return times;
}

/** Pages that are priced one by one, since cached ones save calls; the rest is priced like the last of them. */
const MOST_PAGES = 50;

/** Prices all pages of a list, as many as it reports. Returns the response of an operation that cannot run. */
export async function priceOfPages(
  pricing: Pricing,
  request: PricedRequest,
  { paged, parametersAfter, field }: Pick<PagePlan, 'paged' | 'parametersAfter' | 'field'>,
): Promise<Priced | GraphqlResponse> {
  let [price, pages, rows, size, total]: [Price, number, number, number, number | null] = [NOTHING, 0, 0, 0, null];
  let next: string | null = null;
  for (;;) {
    const last = await priceOf(pricing, { ...request, parameters: parametersAfter(next) });
    if (!isPriced(last)) return last;
    const page = readPage(last.data, paged);
    if (page !== null) {
      pages += 1;
      price = plus(price, last.price, 1);
      rows += page.rows.length;
      size = Math.max(size, page.rows.length);
      total = page.totalCount;
      const after: string | null = page.endCursor === next ? null : page.endCursor;
      if (after === null) return { ...last, price: { ...last.price, ...price, pages } };
      next = after;
      if (pages < MOST_PAGES) continue;
    }
    if (total === null || size === 0)
      return { ...last, price: { ...last.price, ...plus(price, last.price, 1), pages: null } };
    const left = Math.max(0, Math.min(total, MAX_ROWS) - rows);
    const further = Math.ceil(left / size);
    // Each page that is not cached is priced with a call for its list, but some share one.
    const shared = page === null ? further - callsOfFurther(pricing.prices, field, { size, rows: left }) : 0;
    const all = without(plus(price, last.price, further), pricing.prices(field.type, field.name), shared);
    return { ...last, price: { ...last.price, ...all, pages: pages + further } };
  }
}

const NOTHING: Price = { calls: [], total: 0 };

/** The sum of a price and `times` another one. */
function plus(one: Price, other: Price, times: number): Price {
  const calls = new Map<string, PricedCalls>(one.calls.map((call) => [`${call.service} ${call.scope}`, call]));
  for (const call of other.calls) {
    const name = `${call.service} ${call.scope}`;
    const known = calls.get(name) ?? { ...call, estimated: 0, saved: 0 };
    const estimated = known.estimated + times * call.estimated;
    const saved = known.saved + call.saved;
    calls.set(name, { ...call, estimated, saved });
  }
  return { calls: [...calls.values()], total: one.total + times * other.total };
}

/** A price without some of the calls of a field. */
function without({ calls, total }: Price, field: ReturnType<PriceList>, fewer: number): Price {
  if (field === undefined || fewer <= 0) return { calls, total };
  const isField = ({ service, scope }: PricedCalls) => service === field.service && scope === field.scope;
  const left = calls.map((one) => (isField(one) ? { ...one, estimated: one.estimated - fewer } : one));
  return { calls: left, total: total - fewer };
}

/** How many causes are named of an operation's calls. */
const DEAREST = 5;

/** Counts the calls of a dry run; look-ups that would share one call count once. */
class Tally {
  readonly #seen = new Set<string>();
  readonly #scopes = new Map<string, { service: string; scope: string; estimated: number; saved: number }>();
  readonly #causes = new Map<string, FieldCalls>();

  record({ service, method, path, planNode, cache, priced }: UpstreamCall): void {
    const { scope = '', coalescingKey = null } = priced ?? {};
    if (coalescingKey !== null && this.#seen.has(`${service} ${coalescingKey}`)) return;
    if (coalescingKey !== null) this.#seen.add(`${service} ${coalescingKey}`);
    if (cache === 'HIT') this.#scopeOf(service, scope).saved += 1;
    else this.add({ cause: [planNode, `${method} ${path}`].filter(Boolean).join(' '), service, scope, calls: 1 });
  }

  add({ cause, service, scope, calls }: FieldCalls): void {
    this.#scopeOf(service, scope).estimated += calls;
    const name = `${service} ${cause}`;
    this.#causes.set(name, { cause, service, scope, calls: calls + (this.#causes.get(name)?.calls ?? 0) });
  }

  /** The fields and routes that cost most, the dearest first. */
  dearest(): readonly FieldCalls[] {
    return [...this.#causes.values()].sort((a, b) => b.calls - a.calls).slice(0, DEAREST);
  }

  price(quotas: readonly Pick<SourceQuota, 'service' | 'scope' | 'remaining'>[]): Price {
    const calls = [...this.#scopes.values()].map((one): PricedCalls => {
      const quota = quotas.find(({ service, scope }) => service === one.service && scope === one.scope);
      return { ...one, quotaLeft: quota?.remaining ?? null };
    });
    return { calls, total: calls.reduce((sum, { estimated }) => sum + estimated, 0) };
  }

  #scopeOf(service: string, scope: string) {
    const name = `${service} ${scope}`;
    const found = this.#scopes.get(name) ?? { service, scope, estimated: 0, saved: 0 };
    this.#scopes.set(name, found);
    return found;
  }
}
