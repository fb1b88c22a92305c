import { createLru } from '../../../runtime/stores/lru.js';
import type { ScopeQuota } from '../../../schema/source-figures.js';
import type { QuotaLeft } from '../../../schema/trace.js';
import type { Clock } from '../ports/clock.js';
import type { WindowScope } from '../quota/scope.js';
import { believe, type Reported } from '../quota/window-account.js';

/** What a service last said of its quotas, for people to read. Spending is decided elsewhere, by the quota's book. */
export interface QuotaBoard {
  /** An answer to a call with this key told where the scope stands. */
  heard(scope: WindowScope, fingerprint: string, quota: QuotaLeft): void;
  /**
   * All that was told to this key, and of counters that no key belongs to. A window that is over is whole again: its
   * `remaining` is the limit and its `resetSeconds` are 0.
   */
  of(fingerprint: string | null): readonly ScopeQuota[];
}

interface Told extends Reported {
  readonly limit: number;
}

/** As many keys as the quota's book remembers. */
const MAX_KEYS = 10_000;
/** Stands for nobody's key. */
const EVERYBODY = '';

/** An empty board, which keeps the 10,000 keys that were used last. */
export function createQuotaBoard(clock: Clock): QuotaBoard {
  const byKey = createLru<Map<string, Told>>(MAX_KEYS);

  return {
    heard(scope, fingerprint, { limit, remaining, resetSeconds }) {
      const holder = scope.name.includes(fingerprint) ? fingerprint : EVERYBODY;
      const label = scope.name.replaceAll(fingerprint, '').trim();
      const board = byKey.get(holder) ?? new Map<string, Told>();
      byKey.set(holder, board);
      const endsMs = clock.monotonicMs() + resetSeconds * 1000;
      board.set(label, { limit, ...believe(board.get(label) ?? null, { remaining, endsMs }) });
    },
    of(fingerprint) {
      const nowMs = clock.monotonicMs();
      const holders = fingerprint === null ? [EVERYBODY] : [fingerprint, EVERYBODY];
      return holders
        .flatMap((holder) => [...(byKey.get(holder) ?? [])])
        .map(([scope, told]) => now(scope, told, nowMs));
    },
  };
}

function now(scope: string, { limit, remaining, endsMs }: Told, nowMs: number): ScopeQuota {
  if (nowMs >= endsMs) return { scope, limit, remaining: limit, resetSeconds: 0 };
  return { scope, limit, remaining, resetSeconds: Math.ceil((endsMs - nowMs) / 1000) };
}
