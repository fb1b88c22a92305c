import type { Price, PricedCalls } from '../../kernel/price.js';
import { MAX_ROWS, readPage } from '../../rows/page-query.js';
import type { PagePlan } from '../export/row-plan.js';
import type { GraphqlResponse } from '../graph/graphql-server.js';
import { type DryRequest, type DryRun, type DryRunOptions, runDry } from './dry-run.js';

/** Pages that are dry-run one by one, since cached ones save calls; the rest is priced like the last of them. */
const MOST_PAGES = 50;

/**
 * Dry-runs the pages of a list: those that are cached, and the first that is not. The rest, as many as the list
 * reports, are priced the same. Returns the response of an operation that cannot run.
 */
export async function runPagesDry(
  options: DryRunOptions,
  request: DryRequest,
  { paged, parametersAfter }: Pick<PagePlan, 'paged' | 'parametersAfter'>,
): Promise<DryRun | GraphqlResponse> {
  let sum: Price = { calls: [], total: 0, certain: 0 };
  let first: DryRun | null = null;
  let [cursor, rows, size, left]: [string | null, number, number, number | null] = [null, 0, 0, null];
  for (let pages = 1; ; pages += 1) {
    const run = await runDry(options, { ...request, parameters: parametersAfter(cursor) });
    if (!('price' in run)) return run;
    first ??= run;
    const page = readPage(run.data, paged);
    const isLast = page !== null && (page.endCursor === null || page.endCursor === cursor);
    if (page !== null) {
      rows += page.rows.length;
      size = Math.max(size, page.rows.length);
      left = page.reach === null ? null : Math.min(page.reach, MAX_ROWS) - rows;
    }
    if (page !== null && !isLast && pages < MOST_PAGES) {
      sum = plus(sum, run.price, 1);
      cursor = page.endCursor;
      continue;
    }
    // This page, and those after it.
    const further = isLast ? 0 : left === null || size === 0 ? null : Math.ceil(left / size) - (page === null ? 1 : 0);
    const price = plus(sum, run.price, 1 + (further ?? 0));
    return { ...first, price: { ...price, pages: further === null ? null : pages + further } };
  }
}

/** The sum of a price and `times` another one. */
function plus(one: Price, other: Price, times: number): Price {
  const calls = new Map<string, PricedCalls>(one.calls.map((call) => [`${call.service} ${call.scope}`, call]));
  for (const call of other.calls) {
    const name = `${call.service} ${call.scope}`;
    const known = calls.get(name) ?? { ...call, estimated: 0, kept: 0 };
    const estimated = known.estimated + times * call.estimated;
    calls.set(name, { ...call, estimated, kept: known.kept + call.kept });
  }
  return {
    calls: [...calls.values()],
    total: one.total + times * other.total,
    certain: one.certain + times * other.certain,
  };
}
