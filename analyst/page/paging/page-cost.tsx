import { useEffect, useMemo, useState } from 'react';
import type { PagedQuery } from '../../../rows/page-query.js';
import { formatDuration, formatNumber } from '../elements/format.js';
import { ServiceName } from '../elements/service-name.js';
import { textsNow, useTexts } from '../language/texts.js';
import { type Quota, readSources, type SourceReport } from '../requests/read-sources.js';
import type { QueryResult } from '../responses/query-result.js';
import { forecast } from './forecast.js';
import { PAGING_TEXTS } from './texts.js';

/** What following the pages will cost for each service, and what is left of its quota. */
export function PageCost({ result, paged, cap }: { result: QueryResult; paged: PagedQuery; cap: number }) {
  const { pages, callsPerPage } = useMemo(() => forecast(result, paged, cap), [result, paged, cap]);
  const sources = useSources();
  const texts = useTexts(PAGING_TEXTS);
  return (
    <>
      <p>{pages === null ? texts.pagesUnknown : texts.pages(pages)}</p>
      <ul>
        {callsPerPage.map(({ service, calls }) => {
          const all = calls * (pages ?? 1);
          const quota = sources?.find(({ name }) => name === service)?.quotas[0];
          return (
            <li key={service}>
              <ServiceName name={service} /> {texts.calls(all)}; {sources === null ? '…' : describeQuota(quota, all)}
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
  const texts = textsNow(PAGING_TEXTS);
  if (quota === undefined) return texts.quotaUnknown;
  const { limit, remaining, resetSeconds } = quota;
  const left = texts.quotaLeft(formatNumber(remaining), formatNumber(limit), formatDuration(resetSeconds));
  return needed > remaining ? `${left} ${texts.quotaShort}` : left;
}
