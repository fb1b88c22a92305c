import { formatBytes, formatCount, formatMs } from '../elements/format.js';
import type { QueryResult } from '../responses/query-result.js';
import { activeTab, notice } from '../state/page-state.js';
import { useStore } from '../state/store.js';

/** Status, time, size and upstream calls of the current response. */
export function StatusLine({ result, isFetching }: { result: QueryResult | undefined; isFetching: boolean }) {
  const shown = useStore(notice);
  const tab = useStore(activeTab);
  const words = result === undefined ? [] : facts(result);
  if (shown !== null && shown.tab === tab && shown.result === result && shown.text !== '') words.push(shown.text);
  return (
    <p className="pa-status" role="status">
      {isFetching ? 'Running …' : words.join(' · ')}
    </p>
  );
}

function facts({ status, ms, bytes, trace }: QueryResult): string[] {
  const words = [`HTTP ${status}`, formatMs(ms), formatBytes(bytes)];
  if (trace === null) return words;
  const { callsMade, savedByCache, savedBySharing } = trace.totals;
  const saved = savedByCache + savedBySharing;
  return [...words, `${formatCount(callsMade, 'upstream call')}${saved === 0 ? '' : `, ${saved} saved`}`];
}
