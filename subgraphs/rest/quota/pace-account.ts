import type { AccountRules, Standing, WaitEstimate } from './account.js';
import type { PaceScope } from './scope.js';

/** After a refusal the pace is halved, and this share of it comes back each second. */
const REGAINED_PER_SECOND = 0.1;
const SLOWEST = 1 / 32;

/** The account of a pace: a bucket of calls that refills steadily. */
export interface PaceAccount {
  readonly calls: number;
  /** Share of the pace that may be used. */
  readonly share: number;
  readonly atMs: number;
}

/** Nothing is reserved in a bucket: what it grants is sent. A replica apart keeps to an equal part of the pace. */
export function paceRules({ perSecond, burst }: PaceScope): AccountRules<PaceAccount> {
  function refill({ calls, share, atMs }: PaceAccount, nowMs: number, parts = 1): PaceAccount {
    const seconds = Math.max(0, nowMs - atMs) / 1000;
    return {
      calls: Math.min((burst / parts) * share, calls + (perSecond / parts) * share * seconds),
      share: Math.min(1, share + REGAINED_PER_SECOND * seconds),
      atMs: nowMs,
    };
  }

  return {
    empty: { calls: burst, share: 1, atMs: 0 },
    take(account, { ids, headroom }, standing: Standing<PaceAccount>) {
      const { nowMs } = standing;
      const fallback = standing.kind === 'local' ? standing.fallback : null;
      const parts = fallback?.replicas ?? 1;
      const untouched = (burst / parts) * headroom;
      // What the others have just sent is not known: the bucket of a replica apart starts empty.
      const isOld = fallback !== null && account.atMs <= fallback.sinceMs;
      const from = isOld ? { ...account, calls: 0, atMs: fallback.sinceMs } : account;
      const filled = refill(from, nowMs, parts);
      const granted = Math.max(0, Math.min(ids.length, Math.floor(filled.calls - untouched)));
      const next = { ...filled, calls: filled.calls - granted };
      return [
        next,
        { granted, reserved: 0, ...estimatePaceWait(next.calls - untouched, (perSecond / parts) * filled.share) },
      ];
    },
    land(account, { blockMs }, nowMs) {
      if (blockMs === 0) return account;
      return { calls: 0, share: Math.max(SLOWEST, refill(account, nowMs).share / 2), atMs: nowMs };
    },
    drop: (account, ids) => ({ ...account, calls: Math.min(burst, account.calls + ids.length) }),
    withOwn: (stored) => stored,
    merge: (stored, known) => ({ ...stored, share: Math.min(stored.share, known.share) }),
    matters: () => false,
    write: (account, nowMs) => JSON.stringify([account.calls, account.share, Math.round(nowMs - account.atMs)]),
    read(snapshot, nowMs) {
      const [calls, share, agoMs]: [number, number, number] = JSON.parse(snapshot);
      return { calls, share, atMs: nowMs - agoMs };
    },
  };
}

function estimatePaceWait(free: number, perSecond: number): WaitEstimate {
  return {
    blockedMs: 0,
    resumesInMs: Number.POSITIVE_INFINITY,
    startsInMs: (position) => Math.max(0, ((position + 1 - free) / perSecond) * 1000),
    left: 1,
  };
}
