import { lackOf } from '../../../rows/extent.js';
import type { PagedQuery } from '../../../rows/page-query.js';
import { textsNow } from '../language/texts.js';
import { sendQuery } from '../requests/send-query.js';
import type { QueryResult } from '../responses/query-result.js';
import { ownKeys } from '../state/own-keys.js';
import { activeTab, captures, notify } from '../state/page-state.js';
import { createStore } from '../store/store.js';
import { type Followed, followPages, type Progress } from './all-pages.js';
import { PAGING_TEXTS } from './texts.js';

/** The list whose pages are being followed; there is at most one. */
export interface Follow {
  readonly tab: string;
  readonly progress: Progress;
  cancel(): void;
}

/** The current one. A store, not view state, so that it survives switching tabs. */
export const follow = createStore<Follow | null>(null);

/** Follows the pages of the active tab's list and stores all rows. A new response in the tab cancels it. */
export async function startFollowing(first: QueryResult, paged: PagedQuery, cap: number): Promise<void> {
  const tab = activeTab.get();
  const stop = new AbortController();
  const cancel = (): void => stop.abort();
  const progress = (now: Progress): void => follow.set({ tab, progress: now, cancel });
  const isCurrent = (): boolean => captures.of(tab) === first;
  // Rows are still to be added to it, and meanwhile other tabs may get responses that would evict it.
  const unpin = captures.pin(tab);
  const unwatch = captures.watch(() => isCurrent() || cancel());
  progress({ rows: 0, of: null, calls: 0 });
  const { signal } = stop;
  const followed = await followPages({
    ...{ first, paged, cap, signal, wait, progress },
    send: (request) => sendQuery(request, ownKeys.get(), signal),
  });
  unwatch();
  unpin();
  follow.set(null);
  if (!isCurrent()) return;
  captures.set(tab, followed.result);
  notify(() => describeEnd(followed), tab);
}

function wait(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = window.setTimeout(resolve, seconds * 1000);
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

function describeEnd({ rows, end, list, message, result }: Followed): string {
  const texts = textsNow(PAGING_TEXTS);
  const all = texts.rows(rows);
  switch (end) {
    case 'all':
      return lackOf(result.response.data, list) === null ? texts.all(all) : texts.allGiven(all);
    case 'cap':
      return texts.stoppedAt(all);
    case 'cancelled':
      return texts.cancelledAfter(all);
    case 'failed':
      return texts.stoppedAfter(all, message);
  }
}
