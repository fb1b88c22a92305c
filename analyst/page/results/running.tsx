import { useEffect, useState } from 'react';
import { useTexts } from '../language/texts.js';
import { type Quota, readSources } from '../requests/read-sources.js';
import { ERROR_TEXTS } from './error-texts.js';
import { RESULT_TEXTS } from './texts.js';

/** Seconds before the page shows how long a query has been running, and what it waits for. */
const SHOWN_AFTER = 2;

/** The wait is shown in steps of this many seconds. */
const STEP = 5;

/** Seconds between looks at the quotas, which make no upstream call. */
const LOOK_EVERY = 5;

/** Shows that a query is running, how long it has been, and which quota it waits for. */
export function Running() {
  const texts = { ...useTexts(RESULT_TEXTS), ...useTexts(ERROR_TEXTS) };
  const [seconds, setSeconds] = useState(0);
  const [spent, setSpent] = useState<{ readonly service: string; readonly until: number } | null>(null);
  useEffect(() => {
    const timer = window.setInterval(() => setSeconds((passed) => passed + 1), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const look = seconds >= SHOWN_AFTER ? Math.floor((seconds - SHOWN_AFTER) / LOOK_EVERY) : null;
  useEffect(() => {
    if (look === null) return;
    const stop = new AbortController();
    readSources(stop.signal).then(
      (sources) => {
        const found = sources.flatMap(({ name, quotas }) =>
          quotas.filter(isSpent).map((quota) => ({ name, quota })),
        )[0];
        const now = SHOWN_AFTER + look * LOOK_EVERY;
        setSpent(found ? { service: found.name, until: now + found.quota.resetSeconds } : null);
      },
      () => {},
    );
    return () => stop.abort();
  }, [look]);
  if (seconds < SHOWN_AFTER) return texts.running;
  // In steps, so that screen readers do not read it out every second.
  const left = spent === null ? 0 : Math.ceil((spent.until - seconds) / STEP) * STEP;
  const wait = spent === null || left <= 0 ? '' : ` · ${texts.waiting(spent.service, left)}`;
  return (
    <>
      {texts.running} <span aria-hidden="true">{texts.elapsed(seconds)}</span>
      {wait}
    </>
  );
}

function isSpent({ limit, remaining, resetSeconds }: Quota): boolean {
  return limit > 0 && remaining === 0 && resetSeconds > 0;
}
