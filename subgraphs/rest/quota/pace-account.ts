import type { AccountRules, Grant, Standing } from './account.js';
import type { PaceScope } from './scope.js';

/** A refusal halves the pace; this much of the full pace comes back each second. */
const REGAINED_PER_SECOND = 0.1;
const SLOWEST = 1 / 32;

/** The account of a pace: a token bucket of calls. */
export interface PaceAccount {
  readonly calls: number;
  /** Fraction of the pace that may be used. */
  readonly throttle: number;
  readonly atMs: number;
}

/**
 * Nothing is reserved in a token bucket: what it grants is sent. In local fallback a replica keeps to an equal part of
 * the pace. While merging it uses all of it: the others stayed within the pace too, and a bucket has no memory.
 */
export function paceRules({ perSecond, burst }: PaceScope): AccountRules<PaceAccount> {
  function refill({ calls, throttle, atMs }: PaceAccount, nowMs: number, parts = 1): PaceAccount {
    const seconds = Math.max(0, nowMs - atMs) / 1000;
    return {
      calls: Math.min((burst / parts) * throttle, calls + (perSecond / parts) * throttle * seconds),
      throttle: Math.min(1, throttle + REGAINED_PER_SECOND * seconds),
      atMs: nowMs,
    };
  }

  return {
    empty: { calls: burst, throttle: 1, atMs: 0 },
    take(account, { ids, headroom }, standing: Standing<PaceAccount>) {
      const { nowMs } = standing;
      const fallback = standing.kind === 'local' ? standing.fallback : null;
      const parts = fallback?.replicas ?? 1;
      // What the others have just sent is unknown, so the bucket starts empty.
      const isOld = fallback !== null && account.atMs <= fallback.sinceMs;
      const from = isOld ? { ...account, calls: 0, atMs: fallback.sinceMs } : account;
      const filled = refill(from, nowMs, parts);
      const free = filled.calls - (burst / parts) * headroom;
      const granted = Math.max(0, Math.min(ids.length, Math.floor(free)));
      const next = { ...filled, calls: filled.calls - granted };
      return [next, grantOf(granted, free - granted, (perSecond / parts) * filled.throttle)];
    },
    land(account, { blockMs }, nowMs) {
      if (blockMs === null) return account;
      return { calls: 0, throttle: Math.max(SLOWEST, refill(account, nowMs).throttle / 2), atMs: nowMs };
    },
    drop: (account, ids) => ({ ...account, calls: Math.min(burst, account.calls + ids.length) }),
    merge: (stored, known) => ({ ...stored, throttle: Math.min(stored.throttle, known.throttle) }),
    matters(account, nowMs) {
      const { calls, throttle } = refill(account, nowMs);
      return calls < burst || throttle < 1;
    },
    write: (account, nowMs) => JSON.stringify([account.calls, account.throttle, Math.round(nowMs - account.atMs)]),
    read(snapshot, nowMs) {
      const [calls, throttle, agoMs]: [number, number, number] = JSON.parse(snapshot);
      return { calls, throttle, atMs: nowMs - agoMs };
    },
  };
}

function grantOf(granted: number, free: number, perSecond: number): Grant {
  const startsInMs = (position: number) => Math.max(0, ((position + 1 - free) / perSecond) * 1000);
  return { granted, reserved: 0, resumesInMs: Infinity, startsInMs, retryInMs: startsInMs, blockedMs: 0, left: 1 };
}
