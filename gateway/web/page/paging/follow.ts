import type { PagedQuery } from '../../rows/page-query.js';
import type { Asked } from '../answers/asked.js';
import { ask } from '../asking/ask.js';
import { sayCount } from '../elements/say.js';
import { ownKeys } from '../state/own-keys.js';
import { activeTab, captures, tell } from '../state/page-state.js';
import { createStore } from '../state/store.js';
import { type Followed, followPages, type Progress } from './all-pages.js';

/** The list whose pages are being followed, one at a time. */
export interface Follow {
  readonly tab: string;
  readonly progress: Progress;
  cancel(): void;
}

/** It lives here and not in a view, so that it survives a look at another tab. */
export const follow = createStore<Follow | null>(null);

/** Follows the pages of the list of the tab in front, and puts all rows into its answer; a new answer there ends it. */
export async function startFollowing(first: Asked, paged: PagedQuery, cap: number): Promise<void> {
  const tab = activeTab.get();
  const stop = new AbortController();
  const cancel = (): void => stop.abort();
  const progress = (now: Progress): void => follow.set({ tab, progress: now, cancel });
  const isInFront = (): boolean => captures.of(tab) === first;
  const unwatch = captures.watch(() => isInFront() || cancel());
  progress({ rows: 0, of: null, calls: 0 });
  const { signal } = stop;
  const followed = await followPages({
    ...{ first, paged, cap, signal, wait, progress },
    ask: (question) => ask(question, ownKeys.get(), signal),
  });
  unwatch();
  follow.set(null);
  if (!isInFront()) return;
  captures.keep(tab, followed.asked);
  tell(sayEnd(followed), tab);
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

function sayEnd({ rows, end, message }: Followed): string {
  const all = sayCount(rows, 'row');
  switch (end) {
    case 'all':
      return `all ${all}`;
    case 'cap':
      return `stopped at ${all}`;
    case 'cancelled':
      return `cancelled after ${all}`;
    case 'failed':
      return `stopped after ${all}: ${message ?? 'no response'}`;
  }
}
