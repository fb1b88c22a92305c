import type { QuotaLeft } from '../../../../schema/trace.js';
import { formatDuration } from './format.js';

/** What is left of a quota, as a meter and as text. */
export function QuotaMeter({ name, quota: { limit, remaining, resetSeconds } }: { name: string; quota: QuotaLeft }) {
  return (
    <p className="pa-quota">
      <meter min={0} max={limit} low={limit / 5} value={remaining} aria-label={`Quota of ${name}`} /> {name}:{' '}
      {remaining.toLocaleString('en')} of {limit.toLocaleString('en')} left
      {resetSeconds > 0 && `, resets in ${formatDuration(resetSeconds)}`}
    </p>
  );
}
