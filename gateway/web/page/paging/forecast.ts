import { type PagedQuery, readPage } from '../../rows/page-query.js';
import type { Asked } from '../answers/asked.js';

/** What is known before the first further page is asked for. */
export interface Forecast {
  /** Further pages up to the cap; null when the source does not tell how many rows there are. */
  readonly pages: number | null;
  /** Upstream calls that a page cost so far, or would have cost without the cache, by service. */
  readonly callsPerPage: readonly ServiceCalls[];
}

export interface ServiceCalls {
  readonly service: string;
  readonly calls: number;
}

/** What further pages will cost, judged by the page that is there. */
export function forecast(asked: Asked, paged: PagedQuery, cap: number): Forecast {
  const page = readPage(asked.answer.data, paged);
  const size = page?.rows.length ?? 0;
  const left = page?.totalCount == null ? null : Math.min(page.totalCount, cap) - size;
  const calls = new Map<string, number>();
  for (const { service, cache } of asked.trace?.calls ?? []) {
    // A part that shared another's call needs none of its own.
    if (cache !== 'COALESCED') calls.set(service, (calls.get(service) ?? 0) + 1);
  }
  return {
    pages: left === null || size === 0 ? null : Math.max(0, Math.ceil(left / size)),
    callsPerPage: [...calls].map(([service, count]) => ({ service, calls: count })),
  };
}
