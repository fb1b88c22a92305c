/** A service's clock: the machine's, which can be moved forward. */
export interface Clock {
  now(): number;
  advance(ms: number): void;
}

/** Creates a clock. `base` returns milliseconds since 1970. */
export function createClock(base: () => number = Date.now): Clock {
  let movedMs = 0;
  return {
    now: () => base() + movedMs,
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError('a clock only moves forward');
      movedMs += ms;
    },
  };
}

/** The state of a window after one call. */
export interface QuotaTaken {
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, in milliseconds since 1970. */
  readonly resetAt: number;
  /** Milliseconds until then. */
  readonly resetMs: number;
  /** Whether this call is over the limit. */
  readonly exceeded: boolean;
}

/** The call windows of one service. */
export interface QuotaWindows {
  /** Counts one call in the window of a scope, such as a key, address or route. */
  take(scope: string, limit: number, windowMs: number): QuotaTaken;
  clear(): void;
}

/**
 * Creates fixed windows, like the limiters of all three services: a window starts with the first call of its scope,
 * and refused calls do not extend it (work-study 4.1).
 */
export function createQuotaWindows(now: () => number): QuotaWindows {
  const windows = new Map<string, { used: number; resetAt: number }>();
  return {
    take(scope, limit, windowMs) {
      const at = now();
      let window = windows.get(scope);
      if (window === undefined || window.resetAt <= at) {
        window = { used: 0, resetAt: at + windowMs };
        windows.set(scope, window);
      }
      window.used += 1;
      const { resetAt, used } = window;
      return {
        limit,
        remaining: Math.max(0, limit - used),
        resetAt,
        resetMs: resetAt - at,
        exceeded: used > limit,
      };
    },
    clear: () => windows.clear(),
  };
}
