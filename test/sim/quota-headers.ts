import { EPOCH_MS } from './epoch.js';
import type { ServiceTraits } from './world.js';

/** The state of a window at the time of a response. */
export interface SourceState {
  readonly used: number;
  readonly endsMs: number;
  readonly nowMs: number;
  readonly silent: boolean;
}

/** Quota headers of a response, rounded and dated as each service does; none if it sends none. */
export function quotaHeaders(
  traits: ServiceTraits,
  { used, endsMs, nowMs, silent }: SourceState,
): Record<string, string> {
  const wallMs = EPOCH_MS + nowMs + traits.skewMs;
  const date = { date: new Date(wallMs).toUTCString(), 'content-type': 'application/json' };
  if (silent || traits.reset === 'none') return date;
  // Until it is swept, a window past its end reports that it is about to end.
  const leftMs = Math.max(0, endsMs - nowMs);
  // A limiter that sweeps late reports the next full second after the end.
  const seconds = Math[traits.slackMs > 0 ? 'ceil' : traits.rounding];
  const reset = traits.reset === 'epoch' ? seconds((wallMs + leftMs) / 1000) : seconds(leftMs / 1000);
  return {
    ...date,
    'x-ratelimit-limit': String(traits.limit),
    'x-ratelimit-remaining': String(Math.max(0, traits.limit - used)),
    'x-ratelimit-reset': String(reset),
    ...(used > traits.limit && { 'retry-after': String(seconds(leftMs / 1000)) }),
  };
}
