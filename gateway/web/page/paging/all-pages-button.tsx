import { useId, useMemo, useState } from 'react';
import type { PagedQuery } from '../../rows/page-query.js';
import type { Asked } from '../answers/asked.js';
import { sayAge, sayCount } from '../elements/say.js';
import { activeTab } from '../state/page-state.js';
import { useStore } from '../state/store.js';
import { type Follow, follow, startFollowing } from './follow.js';
import { PageCost } from './page-cost.js';
import { pagingOf } from './paging.js';

/** Rows to stop at unless one says otherwise, and at most. */
const CAP = 10_000;
const MOST = 100_000;

/** Follows the pages of the list in front; says first what that will cost, or why it cannot. */
export function AllPages({ asked, path }: { asked: Asked; path: string }) {
  const paging = useMemo(() => pagingOf(asked, path), [asked, path]);
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
          <Start asked={asked} paged={paging.paged} isBusy={running !== null} onStart={() => setOpen(false)} />
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
        {rows === 0 ? 'Loading …' : `${sayCount(rows, 'row')}, ${sayCount(calls, 'call')}`}
        {waiting && `. ${waiting.service} allows no more calls for ${sayAge(waiting.seconds)}: continues then.`}
      </span>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </span>
  );
}

interface StartProps {
  asked: Asked;
  paged: PagedQuery;
  /** Whether pages of another tab are being followed. */
  isBusy: boolean;
  onStart(): void;
}

function Start({ asked, paged, isBusy, onStart }: StartProps) {
  const [cap, setCap] = useState(CAP);
  const start = (): void => {
    onStart();
    void startFollowing(asked, paged, cap);
  };
  return (
    <>
      <PageCost asked={asked} paged={paged} cap={cap} />
      <label>
        at most{' '}
        <input
          type="number"
          min={1}
          max={MOST}
          value={cap}
          onChange={({ target }) => setCap(Math.min(MOST, Math.max(1, target.valueAsNumber || 1)))}
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
