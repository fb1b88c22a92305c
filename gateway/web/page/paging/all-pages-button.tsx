import { useId, useMemo, useState } from 'react';
import { MAX_ROWS, type PagedQuery } from '../../rows/page-query.js';
import { formatCount, formatDuration } from '../elements/format.js';
import type { QueryResult } from '../responses/query-result.js';
import { activeTab } from '../state/page-state.js';
import { useStore } from '../store/store.js';
import { type Follow, follow, startFollowing } from './follow.js';
import { PageCost } from './page-cost.js';
import { pagingOf } from './paging.js';

/** Default limit of rows. */
const CAP = 10_000;

/** Follows the pages of the current list, after showing what that will cost, or why it is not possible. */
export function AllPages({ result, path }: { result: QueryResult; path: string }) {
  const paging = useMemo(() => pagingOf(result, path), [result, path]);
  const running = useStore(follow);
  const tab = useStore(activeTab);
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  if (running !== null && running.tab === tab) return <Running follow={running} />;
  if (paging === null) return null;
  return (
    <>
      <button type="button" aria-expanded={isOpen} aria-controls={panel} onClick={() => setOpen(!isOpen)}>
        All pages …
      </button>
      <div id={panel} className="pa-paging" hidden={!isOpen}>
        {isOpen && paging.kind === 'cannot' && <p>{paging.why}</p>}
        {isOpen && paging.kind === 'can' && (
          <Start result={result} paged={paging.paged} isBusy={running !== null} onStart={() => setOpen(false)} />
        )}
      </div>
    </>
  );
}

function Running({ follow: { progress, cancel } }: { follow: Follow }) {
  const { rows, of, calls, waiting } = progress;
  return (
    <span className="pa-following">
      <progress aria-label="All pages" {...(of !== null && { value: rows, max: of })} />
      <span role="status">
        {rows === 0 ? 'Loading …' : `${formatCount(rows, 'row')}, ${formatCount(calls, 'call')}`}
        {waiting && `. ${waiting.service} allows no more calls for ${formatDuration(waiting.seconds)}: continues then.`}
      </span>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
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
  const start = (): void => {
    onStart();
    void startFollowing(result, paged, cap);
  };
  return (
    <>
      <PageCost result={result} paged={paged} cap={cap} />
      <label>
        at most{' '}
        <input
          type="number"
          min={1}
          max={MAX_ROWS}
          value={cap}
          onChange={({ target }) => setCap(Math.min(MAX_ROWS, Math.max(1, target.valueAsNumber || 1)))}
        />{' '}
        rows
      </label>{' '}
      <button type="button" disabled={isBusy} onClick={start}>
        Start
      </button>
      {isBusy && ' Pages of another tab are still being followed.'}
    </>
  );
}
