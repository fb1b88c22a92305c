import { type PagedQuery, readPage } from '../../../rows/page-query.js';
import type { QueryResult } from '../responses/query-result.js';

/** The estimated cost of further pages. */
export interface Forecast {
  /** Further pages up to the cap; null if the source does not report how many rows there are. */
  readonly pages: number | null;
  /** Upstream calls per page and service, as if nothing were cached. */
  readonly callsPerPage: readonly ServiceCalls[];
}

/** A number of calls to one service. */
export interface ServiceCalls {
  readonly service: string;
  readonly calls: number;
}

/** Estimates the cost of further pages from the current one. */
export function forecast(result: QueryResult, paged: PagedQuery, cap: number): Forecast {
  const page = readPage(result.response.data, paged);
  const size = page?.rows.length ?? 0;
  const left = page?.reach == null ? null : Math.min(page.reach, cap) - size;
  const calls = new Map<string, number>();
  for (const { service, cache } of result.trace?.calls ?? []) {
    // A coalesced part makes no call of its own.
    if (cache !== 'COALESCED') calls.set(service, (calls.get(service) ?? 0) + 1);
  }
  return {
    pages: left === null || size === 0 ? null : Math.max(0, Math.ceil(left / size)),
    callsPerPage: [...calls].map(([service, count]) => ({ service, calls: count })),
  };
}
