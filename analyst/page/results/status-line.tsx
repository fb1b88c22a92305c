import { formatBytes, formatMs } from '../elements/format.js';
import { useTexts } from '../language/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import { activeTab, notice } from '../state/page-state.js';
import { useStore } from '../store/store.js';
import { Running } from './running.js';
import { RESULT_TEXTS } from './texts.js';

/** Status, time, size and upstream calls of the current response. */
export function StatusLine({ result, isFetching }: { result: QueryResult | undefined; isFetching: boolean }) {
  const shown = useStore(notice);
  const tab = useStore(activeTab);
  const texts = useTexts(RESULT_TEXTS);
  const words = result === undefined ? [] : facts(result, texts.upstreamCalls);
  if (shown !== null && shown.tab === tab && shown.result === result) words.push(shown.say());
  return (
    <p className="pa-status" role="status">
      {isFetching ? <Running /> : words.join(' · ')}
    </p>
  );
}

function facts(
  { status, ms, bytes, trace }: QueryResult,
  upstreamCalls: (calls: number, saved: number) => string,
): string[] {
  const words = [`HTTP ${status}`, formatMs(ms), formatBytes(bytes)];
  if (trace === null) return words;
  const { callsMade, savedByCache, savedBySharing } = trace.totals;
  return [...words, upstreamCalls(callsMade, savedByCache + savedBySharing)];
}
