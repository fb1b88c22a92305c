import { createLru } from '../../../runtime/stores/lru.js';
import { unwatched, type WatchCache } from '../../../schema/caches.js';
import type { ScopeQuota } from '../../../schema/source-figures.js';
import type { QuotaLeft } from '../../../schema/trace.js';
import type { Clock } from '../ports/clock.js';
import { mergeReports, type Reported, reportOf } from '../quota/account-rules.js';
import { isOfKey, type WindowScope } from '../quota/scope.js';

/** What a service last reported about its quotas, for people to read. The quota ledger decides about spending. */
export interface QuotaBoard {
  /** Records what a response to a call with this key reported about a scope. */
  note(scope: WindowScope, fingerprint: string, quota: QuotaLeft): void;
  /**
   * Everything reported to this key, and about counters that belong to no key. A window that has ended is whole again:
   * its `remaining` is the limit, its `resetSeconds` 0.
   */
  of(fingerprint: string | null): readonly ScopeQuota[];
}

interface Quota extends Reported {
  readonly limit: number;
}

/** As many keys as the quota ledger has accounts. */
const MAX_KEYS = 10_000;
/** Bytes of heap for the counters of one key. */
const KEY_BYTES = 1000;
/** The holder of counters that belong to no key. */
const EVERYBODY = '';

/** An empty board, which holds the 10,000 most recently used keys. */
export function createQuotaBoard(clock: Clock, watchCache: WatchCache = unwatched): QuotaBoard {
  const byKey = createLru<Map<string, Quota>>(MAX_KEYS);
  watchCache('reported-quotas', () => KEY_BYTES * byKey.size);

  return {
    note(scope, fingerprint, quota) {
      const holder = isOfKey(scope, fingerprint) ? fingerprint : EVERYBODY;
      const label = scope.name.replaceAll(fingerprint, '').trim();
      const board = byKey.get(holder) ?? new Map<string, Quota>();
      byKey.set(holder, board);
      const report = mergeReports(board.get(label) ?? null, reportOf(quota, clock.monotonicMs()));
      board.set(label, { limit: quota.limit, ...report });
    },
    of(fingerprint) {
      const nowMs = clock.monotonicMs();
      const holders = fingerprint === null ? [EVERYBODY] : [fingerprint, EVERYBODY];
      return holders
        .flatMap((holder) => [...(byKey.get(holder) ?? [])])
        .map(([scope, quota]) => now(scope, quota, nowMs));
    },
  };
}

function now(scope: string, { limit, remaining, endsMs }: Quota, nowMs: number): ScopeQuota {
  if (nowMs >= endsMs) return { scope, limit, remaining: limit, resetSeconds: 0 };
  return { scope, limit, remaining, resetSeconds: Math.ceil((endsMs - nowMs) / 1000) };
}
