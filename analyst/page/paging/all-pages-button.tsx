import { useCallback, useId, useMemo, useState } from 'react';
import { MAX_ROWS, type PagedQuery, readPage } from '../../../rows/page-query.js';
import { Button, Overlay } from '../elements/controls.js';
import { useAwaited } from '../elements/effects.js';
import { fetchPrice } from '../request/price.js';
import { keyHeaders } from '../request/send-query.js';
import { PriceLine } from '../results/price-line.js';
import { editors } from '../state/code.js';
import { useTexts } from '../state/language.js';
import { type Following, usePage } from '../state/page-state.js';
import type { QueryResult } from '../state/query-result.js';
import { furtherPages, nextPageOf, PAGING_TEXTS, pagingOf, startFollowing } from './follow-pages.js';

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
  // With the `pageInfo` that is missing in the query.
  const mended = paging.kind === 'cannot' ? paging.mended : undefined;
  return (
    <>
      <Button aria-expanded={isOpen} aria-controls={panel} onClick={() => setOpen(!isOpen)}>
        {texts.allPages}
      </Button>
      <Overlay id={panel} isOpen={isOpen} onClose={() => setOpen(false)}>
        {paging.kind === 'cannot' && (
          <p>
            {paging.why} {mended && <Button onClick={() => editors.get()?.rerun(mended)}>{texts.addPageInfo}</Button>}
          </p>
        )}
        {paging.kind === 'can' && (
          <Start result={result} paged={paging.paged} isBusy={running !== null} onStart={() => setOpen(false)} />
        )}
      </Overlay>
    </>
  );
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

/** How many further pages there are, and what each costs at most. */
function PageCost({ result, paged, cap }: { result: QueryResult; paged: PagedQuery; cap: number }) {
  const texts = useTexts(PAGING_TEXTS);
  const keys = usePage((state) => state.keys);
  const load = useCallback(
    (signal: AbortSignal) => {
      const after = readPage(result.response.data, paged)?.endCursor ?? '';
      return fetchPrice(nextPageOf(result, paged, after), { ...result.headers, ...keyHeaders(keys) }, signal);
    },
    [result, paged, keys],
  );
  const price = useAwaited(load) ?? null;
  const pages = furtherPages(result, paged, cap);
  return (
    <>
      <p>{pages === null ? texts.pagesUnknown : texts.pages(pages)}</p>
      <PriceLine price={price} />
    </>
  );
}
