import { useMemo, useRef, useState } from 'react';
import { ask } from '../asking/ask.js';
import type { Asked } from '../asking/asked.js';
import type { Quota } from '../asking/known-quotas.js';
import { ownKeys } from '../asking/own-keys.js';
import { activeTab, captures, knownQuotas, notice } from '../page-state.js';
import { sayCount } from '../results/say.js';
import { type Followed, type Forecast, followPages, forecast } from './all-pages.js';
import { type PagedQuestion, pagedQuestion, readPage } from './page-query.js';

/** Rows to stop at unless one says otherwise. */
const CAP = 10_000;

/** Follows the pages of the list in front; says first what that will cost, and can be cancelled. */
export function AllPages({ asked, path }: { asked: Asked; path: string }) {
  const paged = useMemo(() => pagedAt(asked, path), [asked, path]);
  const [cap, setCap] = useState(CAP);
  const [isOpen, setOpen] = useState(false);
  const [progress, setProgress] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  if (paged === null || readPage(asked.answer.data, paged)?.endCursor == null) return null;

  const start = async (): Promise<void> => {
    const tab = activeTab.get();
    const stop = new AbortController();
    running.current = stop;
    setProgress('Asking …');
    const followed = await followPages({
      first: asked,
      paged,
      cap,
      signal: stop.signal,
      ask: async (question, signal) => {
        const page = await ask(question, ownKeys.get(), signal);
        knownQuotas.learn(page.trace?.calls ?? []);
        return page;
      },
      progress: (rows, calls) => setProgress(`${sayCount(rows, 'row')}, ${sayCount(calls, 'call')} …`),
    });
    setProgress(null);
    setOpen(false);
    notice.set({ tab, text: sayEnd(followed) });
    captures.keep(tab, followed.asked);
  };

  if (progress !== null) {
    return (
      <span className="pa-paging" role="status">
        {progress}{' '}
        <button type="button" onClick={() => running.current?.abort()}>
          Cancel
        </button>
      </span>
    );
  }
  return (
    <span className="pa-paging">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        All pages …
      </button>
      {isOpen && (
        <fieldset>
          <legend>All pages</legend>
          <p>{sayForecast(forecast(asked, paged, cap), knownQuotas.now())}</p>
          <label>
            at most{' '}
            <input
              type="number"
              min={1}
              max={100_000}
              value={cap}
              onChange={({ target }) => setCap(Math.max(1, target.valueAsNumber || 1))}
            />{' '}
            rows
          </label>{' '}
          <button type="button" onClick={() => void start()}>
            Start
          </button>
        </fieldset>
      )}
    </span>
  );
}

function pagedAt({ question }: Asked, path: string): PagedQuestion | null {
  try {
    return pagedQuestion(question.query, question.operationName ?? undefined, path);
  } catch {
    return null;
  }
}

function sayForecast({ pages, callsPerPage }: Forecast, quotas: readonly Quota[]): string {
  const cost =
    pages === null
      ? `The source does not tell how many rows there are; a page costs about ${sayCount(callsPerPage, 'upstream call')}.`
      : `${sayCount(pages, 'more page')}, about ${sayCount(pages * callsPerPage, 'upstream call')}.`;
  const left = quotas.map(
    ({ service, remaining, limit, resetSeconds }) =>
      `${service}: ${remaining} of ${limit} calls left, anew in ${resetSeconds} s.`,
  );
  return [cost, ...(left.length === 0 ? ['No source told its quota.'] : left)].join(' ');
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
      return `stopped after ${all}: ${message ?? 'no answer'}`;
  }
}
