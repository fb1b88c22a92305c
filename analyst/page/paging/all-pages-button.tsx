import { useId, useMemo, useState } from 'react';
import { MAX_ROWS, type PagedQuery } from '../../../rows/page-query.js';
import { Button } from '../elements/button.js';
import { Overlay, ServiceName } from '../elements/controls.js';
import { useAwaited } from '../elements/effects.js';
import { formatDuration, formatNumber } from '../elements/format.js';
import { type Quota, readSources, type SourceReport } from '../request/sources.js';
import { editors } from '../state/code.js';
import { textsNow, useTexts } from '../state/language.js';
import { type Following, usePage } from '../state/page-state.js';
import type { QueryResult } from '../state/query-result.js';
import { startFollowing } from './follow-pages.js';
import { forecast, pagingOf } from './paging.js';
import { PAGING_TEXTS } from './texts.js';

/** Default limit of rows. */
const CAP = 10_000;

/** Follows the pages of the current list, after showing what that will cost, or why it is not possible. */
export function AllPages({ result, path }: { result: QueryResult; path: string }) {
  const texts = useTexts(PAGING_TEXTS);
  const schema = usePage((state) => state.schema);
  const paging = useMemo(() => pagingOf(result, path, schema), [result, path, schema]);
  const running = usePage(({ following }) => following);
  const tab = usePage(({ tab }) => tab);
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  if (running !== null && running.tab === tab) return <Running following={running} />;
  if (paging === null) return null;
  return (
    <>
      <Button aria-expanded={isOpen} aria-controls={panel} onClick={() => setOpen(!isOpen)}>
        {texts.allPages}
      </Button>
      <Overlay id={panel} isOpen={isOpen} onClose={() => setOpen(false)}>
        {paging.kind === 'cannot' && (
          <p>
            {paging.why} {paging.mended !== undefined && <AddPageInfo query={paging.mended} />}
          </p>
        )}
        {paging.kind === 'can' && (
          <Start result={result} paged={paging.paged} isBusy={running !== null} onStart={() => setOpen(false)} />
        )}
      </Overlay>
    </>
  );
}

/** Writes the missing `pageInfo` into the query and runs it. */
function AddPageInfo({ query }: { query: string }) {
  const texts = useTexts(PAGING_TEXTS);
  return <Button onClick={() => editors.get()?.rerun(query)}>{texts.addPageInfo}</Button>;
}

function Running({ following: { progress, cancel } }: { following: Following }) {
  const texts = useTexts(PAGING_TEXTS);
  const { rows, of, calls } = progress;
  return (
    <span className="pa-following">
      <progress aria-label={texts.following} {...(of !== null && { value: rows, max: of })} />
      <span role="status">{rows === 0 ? texts.loading : `${texts.rows(rows)}, ${texts.calls(calls)}`}</span>
      <Button onClick={cancel}>{texts.cancel}</Button>
    </span>
  );
}

interface StartProps {
  result: QueryResult;
  paged: PagedQuery;
  /** Whether the pages of another tab are being followed. */
  isBusy: boolean;
  onStart(): void;
}

function Start({ result, paged, isBusy, onStart }: StartProps) {
  const [cap, setCap] = useState(CAP);
  const texts = useTexts(PAGING_TEXTS);
  const start = (): void => {
    onStart();
    void startFollowing(result, paged, cap);
  };
  return (
    <>
      <PageCost result={result} paged={paged} cap={cap} />
      <label>
        {texts.atMost}{' '}
        <input
          type="number"
          min={1}
          max={MAX_ROWS}
          value={cap}
          onChange={({ target }) => setCap(Math.min(MAX_ROWS, Math.max(1, target.valueAsNumber || 1)))}
        />{' '}
        {texts.rowsUnit}
      </label>{' '}
      <Button disabled={isBusy} onClick={start}>
        {texts.start}
      </Button>
      {isBusy && ` ${texts.busy}`}
    </>
  );
}

/** What following the pages will cost for each service, and what is left of its quota. */
function PageCost({ result, paged, cap }: { result: QueryResult; paged: PagedQuery; cap: number }) {
  const { pages, callsPerPage } = useMemo(() => forecast(result, paged, cap), [result, paged, cap]);
  const sources = useAwaited(sourcesIfKnown);
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
              <ServiceName name={service} /> {texts.calls(all)};{' '}
              {sources === undefined ? '…' : describeQuota(quota, all)}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** The current state of the sources; empty if unknown. */
function sourcesIfKnown(signal: AbortSignal): Promise<readonly SourceReport[]> {
  return readSources(signal).catch(() => []);
}

function describeQuota(quota: Quota | undefined, needed: number): string {
  const texts = textsNow(PAGING_TEXTS);
  if (quota === undefined) return texts.quotaUnknown;
  const { limit, remaining, resetSeconds } = quota;
  const left = texts.quotaLeft(formatNumber(remaining), formatNumber(limit), formatDuration(resetSeconds));
  return needed > remaining ? `${left} ${texts.quotaShort}` : left;
}
