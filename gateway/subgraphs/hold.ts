/** Bounds how late a change that no call reports is seen: a new daily export, or a replaced program. */
const MAX_HOLD_MS = 60_000;

/** When a stored response may be served, in milliseconds since 1970. */
export interface Hold {
  readonly storedAtMs: number;
  readonly goodUntilMs: number;
}

/** Starts now and ends with the freshness of the calls behind the response (null if none), after a minute at most. */
export function holdUntil(freshUntilMs: number | null): Hold {
  const storedAtMs = Date.now();
  return { storedAtMs, goodUntilMs: Math.min(freshUntilMs ?? Number.POSITIVE_INFINITY, storedAtMs + MAX_HOLD_MS) };
}

/** False before the hold began, as when the clock was set back. */
export function isHeld({ storedAtMs, goodUntilMs }: Hold, nowMs: number): boolean {
  return storedAtMs <= nowMs && nowMs < goodUntilMs;
}
