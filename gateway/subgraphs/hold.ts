/** What no call says is seen after that: a new daily export, or a program that was replaced. */
const MAX_HOLD_MS = 60_000;

/** From when until when a stored response is answered again, in milliseconds since 1970. */
export interface Hold {
  readonly storedAtMs: number;
  readonly goodUntilMs: number;
}

/** Begins now, and ends with the freshness of the calls behind it: null for no call. A minute at most. */
export function holdUntil(freshUntilMs: number | null): Hold {
  const storedAtMs = Date.now();
  return { storedAtMs, goodUntilMs: Math.min(freshUntilMs ?? Number.POSITIVE_INFINITY, storedAtMs + MAX_HOLD_MS) };
}

/** Never before it began, which is where the clock was set back. */
export function isHeld({ storedAtMs, goodUntilMs }: Hold, nowMs: number): boolean {
  return storedAtMs <= nowMs && nowMs < goodUntilMs;
}
