import { useEffect, useMemo, useState } from 'react';
import type { PagedQuery } from '../../rows/page-query.js';
import type { Asked } from '../answers/asked.js';
import { type Quota, readSources, type SourceReport } from '../asking/state-of-sources.js';
import { sayAge, sayCount } from '../elements/say.js';
import { ServiceName } from '../elements/service-name.js';
import { forecast } from './forecast.js';

/** What following the pages will cost each service, beside what its quota leaves. */
export function PageCost({ asked, paged, cap }: { asked: Asked; paged: PagedQuery; cap: number }) {
  const { pages, callsPerPage } = useMemo(() => forecast(asked, paged, cap), [asked, paged, cap]);
  const sources = useSources();
  return (
    <>
      <p>
        {pages === null
          ? 'The source does not report how many rows there are. Each page costs at most about:'
          : `${sayCount(pages, 'more page')}. They cost at most about:`}
      </p>
      <ul>
        {callsPerPage.map(({ service, calls }) => {
          const all = calls * (pages ?? 1);
          const quota = sources?.find(({ name }) => name === service)?.quotas[0];
          return (
            <li key={service}>
              <ServiceName name={service} /> {sayCount(all, 'call')}; {sources === null ? '…' : sayLeft(quota, all)}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** The sources as they are now; empty when unknown, null while loading. */
function useSources(): readonly SourceReport[] | null {
  const [sources, setSources] = useState<readonly SourceReport[] | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    readSources(stop.signal).then(setSources, () => stop.signal.aborted || setSources([]));
    return () => stop.abort();
  }, []);
  return sources;
}

function sayLeft(quota: Quota | undefined, needed: number): string {
  if (quota === undefined) return 'its quota is unknown.';
  const { limit, remaining, resetSeconds } = quota;
  const left = `${remaining.toLocaleString('en')} of ${limit.toLocaleString('en')} are left; resets in ${sayAge(resetSeconds)}.`;
  return needed > remaining ? `${left} It waits for the reset when they are spent.` : left;
}
