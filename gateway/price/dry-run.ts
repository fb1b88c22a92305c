import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Price, PricedCalls } from '../../kernel/price.js';
import type { PlanNode, UpstreamCall } from '../../kernel/trace.js';
import { MAX_ROWS, readPage } from '../../rows/page-query.js';
import type { JsonObject } from '../../rows/path.js';
import { createOmissions } from '../../runtime/errors.js';
import type { CachedPages } from '../files/further-pages.js';
import type { PagePlan } from '../files/row-plan.js';
import type { GraphqlResponse, GraphqlServer } from '../graph/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import {
  type GatewayRequest,
  PlanRecorder,
  quotasLeft,
  type ResolvedOperation,
  type SourceQuota,
} from '../request/request.js';
import {
  callsOfFurther,
  type FieldCalls,
  FieldPrices,
  fitToNeeds,
  type KnownNeeds,
  type Needs,
  type PriceList,
  type ScopeLookups,
} from './estimates.js';

/** The result of a dry run. */
export interface DryRun {
  readonly price: Price;
  readonly dearest: readonly FieldCalls[];
  readonly plan: PlanNode | null;
  /** The part of the response that is cached. */
  readonly data: JsonObject | null;
}

/** What operations are priced with, in upstream calls, before they run. */
export interface Pricing {
  readonly server: GraphqlServer;
  readonly prices: PriceList;
  readonly known: KnownNeeds;
}

/** One request of a client, as far as a dry run needs it. */
export interface DryRequest {
  readonly method: 'GET' | 'POST';
  readonly parameters: GraphqlParameters;
  /** The request that waits for the price; provides its credentials and what is left of its time. */
  readonly gatewayRequest: GatewayRequest;
}

/**
 * Runs an operation without making a call: values come from cached responses, and the calls that it would make are
 * counted. What lies below a value that is not cached is priced by what the operation needed before, or else as
 * declared. Returns the response of an operation that cannot run.
 */
export async function runDry(
  { server, prices, known }: Pricing,
  { method, parameters, gatewayRequest }: DryRequest,
): Promise<DryRun | GraphqlResponse> {
  const tally = new Tally();
  const dry = gatewayRequest.dryRun((call) => tally.record(call));
  const recorder = new PlanRecorder(dry);
  const omissions = createOmissions();
  let resolved: ResolvedOperation | null = null;
  let errors: readonly GraphQLError[] = [];
  const response = await server.run(method, parameters, {
    gatewayRequest: dry,
    recorder,
    omissions,
    resolved: (operation) => {
      resolved = operation;
    },
    onErrors: (listed) => {
      errors = listed;
    },
  });
  dry.finish();
  if (resolved === null || response.data === undefined || response.data === null) {
    if (!response.errors?.every(isNotCached)) return response;
  }
  if (resolved !== null) {
    const share = errors.length === 0 ? 1 : 1 + (omissions.read()?.count ?? 0) / errors.length;
    const below = belowMissing(errors, { fields: new FieldPrices(resolved, prices), share });
    const needs = below.length === 0 ? null : known.of(resolved, gatewayRequest);
    tally.addBelow(below, needs);
  }
  const { stored } = dry.recorder;
  return {
    price: { ...tally.price(await quotasLeft(server, gatewayRequest)), ...(stored.length > 0 && { stored }) },
    dearest: tally.dearest(),
    plan: recorder.plan,
    // The data of a response is JSON.
    data: (response.data ?? null) as JsonObject | null,
  };
}

function isNotCached({ extensions }: Pick<GraphQLFormattedError, 'extensions'>): boolean {
  return extensions?.['code'] === 'NOT_CACHED';
}

/** Values that are missing at one path. */
interface Missing {
  readonly path: readonly string[];
  /** Whether the missing value is needed before the field's own calls, so that those are still to come too. */
  readonly ownCallsFollow: boolean;
  times: number;
}

/** The declared calls below each missing value. `share`: how many errors each listed one stands for. */
function belowMissing(
  errors: readonly GraphQLError[],
  { fields, share }: { readonly fields: FieldPrices; readonly share: number },
): FieldCalls[] {
  const missing = new Map<string, Missing>();
  for (const error of errors) {
    if (!isNotCached(error)) continue;
    const path = (error.path ?? []).filter((step) => typeof step === 'string');
    const ownCallsFollow = error.extensions['ownCallsFollow'] === true;
    const key = `${path.join('.')} ${ownCallsFollow}`;
    const known = missing.get(key) ?? { path, ownCallsFollow, times: 0 };
    known.times += 1;
    missing.set(key, known);
  }
  return [...missing.values()].flatMap(({ path, ownCallsFollow, times }) =>
    fields.below(path, Math.ceil(times * share), ownCallsFollow),
  );
}

/** Pages that are dry-run one by one, since cached ones save calls; the rest is priced like the last of them. */
const MOST_PAGES = 50;

/** What dry runs of pages need of their plan. */
type DryPages = Pick<PagePlan, 'paged' | 'parametersAfter' | 'field'>;

const NOTHING: Price = { calls: [], total: 0, certain: 0 };

/** Dry-runs the pages after a cursor, at most so many, until one is not cached. */
export async function runCachedDry(
  pricing: Pricing,
  request: DryRequest,
  { paged, parametersAfter }: Omit<DryPages, 'field'>,
  { after, pages }: { readonly after: string; readonly pages: number },
): Promise<CachedPages> {
  let sum = NOTHING;
  let next: string | null = after;
  let cached = 0;
  while (next !== null && cached < pages) {
    const run: DryRun | GraphqlResponse = await runDry(pricing, { ...request, parameters: parametersAfter(next) });
    const page = 'price' in run ? readPage(run.data, paged) : null;
    if (!('price' in run) || page === null) return { pages: cached, calls: sum.calls, next };
    cached += 1;
    if (cached === MOST_PAGES) return { pages, calls: plus(sum, run.price, 1 + pages - cached).calls, next: null };
    sum = plus(sum, run.price, 1);
    next = page.endCursor === next ? null : page.endCursor;
  }
  return { pages: cached, calls: sum.calls, next: null };
}

/**
 * Dry-runs the pages of a list: those that are cached, and the first that is not. The rest, as many as the list
 * reports, are priced the same. Returns the response of an operation that cannot run.
 */
export async function runPagesDry(
  pricing: Pricing,
  request: DryRequest,
  { paged, parametersAfter, field }: DryPages,
): Promise<DryRun | GraphqlResponse> {
  let sum = NOTHING;
  let first: DryRun | null = null;
  let [cursor, rows, size, left]: [string | null, number, number, number | null] = [null, 0, 0, null];
  for (let pages = 1; ; pages += 1) {
    const run = await runDry(pricing, { ...request, parameters: parametersAfter(cursor) });
    if (!('price' in run)) return run;
    first ??= run;
    const page = readPage(run.data, paged);
    const isLast = page !== null && (page.endCursor === null || page.endCursor === cursor);
    if (page !== null) {
      rows += page.rows.length;
      size = Math.max(size, page.rows.length);
      left = page.totalCount === null ? null : Math.min(page.totalCount, MAX_ROWS) - rows;
    }
    if (page !== null && !isLast && pages < MOST_PAGES) {
      sum = plus(sum, run.price, 1);
      cursor = page.endCursor;
      continue;
    }
    // This page, and those after it.
    const further = isLast ? 0 : left === null || size === 0 ? null : Math.ceil(left / size) - (page === null ? 1 : 0);
    const all = plus(sum, run.price, 1 + (further ?? 0));
    // Each of these pages was priced with a call for its list, but they share some.
    const shared =
      page !== null || left === null
        ? 0
        : 1 + (further ?? 0) - callsOfFurther(pricing.prices, field, { size, rows: left });
    const price = shared > 0 ? without(all, pricing.prices(field.type, field.name), shared) : all;
    return { ...first, price: { ...first.price, ...price, pages: further === null ? null : pages + further } };
  }
}

/** The sum of a price and `times` another one. */
function plus(one: Price, other: Price, times: number): Price {
  const calls = new Map<string, PricedCalls>(one.calls.map((call) => [`${call.service} ${call.scope}`, call]));
  for (const call of other.calls) {
    const name = `${call.service} ${call.scope}`;
    const known = calls.get(name) ?? { ...call, estimated: 0, saved: 0, kept: 0 };
    const estimated = known.estimated + times * call.estimated;
    const saved = known.saved + call.saved;
    calls.set(name, { ...call, estimated, saved, kept: saved });
  }
  return {
    calls: [...calls.values()],
    total: one.total + times * other.total,
    certain: one.certain + times * other.certain,
  };
}

/** A price without some of the calls of a field. */
function without({ calls, total, certain }: Price, field: ReturnType<PriceList>, fewer: number): Price {
  const isField = ({ service, scope }: PricedCalls) => service === field?.service && scope === field.scope;
  return {
    calls: calls.map((one) => (isField(one) ? { ...one, estimated: one.estimated - fewer } : one)),
    total: total - fewer,
    certain: certain - fewer,
  };
}

/** How many causes are named to a caller whose operation costs too much. */
const DEAREST = 5;

/** Counts the calls of a dry run; look-ups that would share one call count once. */
class Tally {
  readonly #seen = new Set<string>();
  readonly #scopes = new Map<string, ScopeLookups>();
  readonly #causes = new Map<string, FieldCalls>();
  #certain = 0;
  #missed = 0;

  record({ service, method, path, planNode, cache, priced }: UpstreamCall): void {
    const { scope = '', coalescingKey = null } = priced ?? {};
    if (coalescingKey !== null && this.#seen.has(`${service} ${coalescingKey}`)) return;
    if (coalescingKey !== null) this.#seen.add(`${service} ${coalescingKey}`);
    if (cache === 'HIT') {
      this.#scopeOf(service, scope).saved += 1;
      return;
    }
    this.#certain += 1;
    if (cache === 'MISS') this.#missed += 1;
    this.#add({ cause: [planNode, `${method} ${path}`].filter(Boolean).join(' '), service, scope, calls: 1 });
  }

  /**
   * Adds calls that may follow from those looked up: as declared or, if it is known what the operation needed before,
   * as many as make up for the rest.
   */
  addBelow(below: readonly FieldCalls[], needs: Needs | null): void {
    const lookedUp = { scopes: [...this.#scopes.values()].map((scope) => ({ ...scope })), missed: this.#missed };
    for (const calls of needs === null ? below : fitToNeeds(below, lookedUp, needs, Date.now())) this.#add(calls);
  }

  /** The fields and routes that cost most, the dearest first. */
  dearest(): readonly FieldCalls[] {
    return [...this.#causes.values()].sort((a, b) => b.calls - a.calls).slice(0, DEAREST);
  }

  price(quotas: readonly Pick<SourceQuota, 'service' | 'scope' | 'remaining'>[]): Price {
    const calls = [...this.#scopes.values()].map((one): PricedCalls => {
      const quota = quotas.find(({ service, scope }) => service === one.service && scope === one.scope);
      return { ...one, kept: one.saved, quotaLeft: quota?.remaining ?? null };
    });
    return { calls, total: calls.reduce((sum, { estimated }) => sum + estimated, 0), certain: this.#certain };
  }

  #scopeOf(service: string, scope: string): ScopeLookups {
    const name = `${service} ${scope}`;
    const found = this.#scopes.get(name) ?? { service, scope, estimated: 0, saved: 0 };
    this.#scopes.set(name, found);
    return found;
  }

  #add({ cause, service, scope, calls }: FieldCalls): void {
    this.#scopeOf(service, scope).estimated += calls;
    const name = `${service} ${cause}`;
    this.#causes.set(name, { cause, service, scope, calls: calls + (this.#causes.get(name)?.calls ?? 0) });
  }
}
