import { useEffect, useMemo, useState } from 'react';
import type { PagedQuery } from '../../rows/page-query.js';
import { formatCount, formatDuration } from '../elements/format.js';
import { ServiceName } from '../elements/service-name.js';
import { type Quota, readSources, type SourceReport } from '../requests/read-sources.js';
import type { QueryResult } from '../responses/query-result.js';
import { forecast } from './forecast.js';

/** What following the pages will cost for each service, and what is left of its quota. */
export function PageCost({ result, paged, cap }: { result: QueryResult; paged: PagedQuery; cap: number }) {
  const { pages, callsPerPage } = useMemo(() => forecast(result, paged, cap), [result, paged, cap]);
  const sources = useSources();
  return (
    <>
      <p>
        {pages === null
          ? 'The source does not report how many rows there are. Each page costs at most about:'
          : `${formatCount(pages, 'more page')}. They cost at most about:`}
      </p>
      <ul>
        {callsPerPage.map(({ service, calls }) => {
          const all = calls * (pages ?? 1);
          const quota = sources?.find(({ name }) => name === service)?.quotas[0];
          return (
            <li key={service}>
              <ServiceName name={service} /> {formatCount(all, 'call')};{' '}
              {sources === null ? '…' : describeQuota(quota, all)}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** The current state of the sources; empty if unknown, null while loading. */
function useSources(): readonly SourceReport[] | null {
  const [sources, setSources] = useState<readonly SourceReport[] | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    readSources(stop.signal).then(setSources, () => stop.signal.aborted || setSources([]));
    return () => stop.abort();
  }, []);
  return sources;
}

function describeQuota(quota: Quota | undefined, needed: number): string {
  if (quota === undefined) return 'its quota is unknown.';
  const { limit, remaining, resetSeconds } = quota;
  const left = `${remaining.toLocaleString('en')} of ${limit.toLocaleString('en')} are left; resets in ${formatDuration(resetSeconds)}.`;
  return needed > remaining ? `${left} When they are spent, it waits for the reset.` : left;
}
