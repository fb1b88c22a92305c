import type { Asked } from '../answers/asked.js';
import { sayBytes, sayCount, sayMs } from '../elements/say.js';
import { activeTab, notice } from '../state/page-state.js';
import { useStore } from '../state/store.js';

/** Status, time, size and upstream calls of the answer in front. */
export function StatusLine({ asked, isFetching }: { asked: Asked | undefined; isFetching: boolean }) {
  const told = useStore(notice);
  const tab = useStore(activeTab);
  const words = asked === undefined ? [] : facts(asked);
  if (told !== null && told.tab === tab && told.asked === asked && told.text !== '') words.push(told.text);
  return (
    <p className="pa-status" role="status">
      {isFetching ? 'Running …' : words.join(' · ')}
    </p>
  );
}

function facts({ status, ms, bytes, trace }: Asked): string[] {
  const words = [`HTTP ${status}`, sayMs(ms), sayBytes(bytes)];
  if (trace === null) return words;
  const { callsMade, savedByCache, savedBySharing } = trace.totals;
  const saved = savedByCache + savedBySharing;
  return [...words, `${sayCount(callsMade, 'upstream call')}${saved === 0 ? '' : `, ${saved} saved`}`];
}
