import type { Clock } from '../ports/clock.js';
import type { Ask, Taken } from './book.js';
import { createPaceAccount, type PaceAccount, paceOutlook } from './pace-account.js';
import type { RemoteQuota } from './remote-quota.js';
import type { PaceScope } from './scope.js';

/** One pace that all replicas share. While it cannot be reached, each keeps to its part of it. */
export interface SharedPace {
  take(ask: Ask): Promise<Taken>;
  slow(): Promise<void>;
  readonly alone: boolean;
}

export interface SharedPaceOptions {
  readonly scope: PaceScope;
  readonly remote: RemoteQuota;
  readonly clock: Clock;
  readonly replicas: () => number;
}

export function createSharedPace({ scope, remote, clock, replicas }: SharedPaceOptions): SharedPace {
  let alone: PaceAccount | null = null;

  function goAlone(): PaceAccount {
    const { perSecond, burst } = scope;
    const account = createPaceAccount({ ...scope, perSecond: perSecond / replicas(), burst: burst / replicas() });
    // What the others have just sent is not known: it begins with an empty bucket.
    account.take({ ids: Array.from({ length: burst }, String), leaseMs: 0, headroom: 0 }, clock.monotonicMs());
    return account;
  }

  return {
    get alone() {
      return alone !== null;
    },
    async take(ask) {
      try {
        const { flying, left, perSecond } = await remote.takePace(scope, ask);
        alone = null;
        return { flying, ...paceOutlook({ left, perSecond, kept: scope.burst * ask.headroom }) };
      } catch {
        alone ??= goAlone();
        return alone.take(ask, clock.monotonicMs());
      }
    },
    async slow() {
      alone?.land({ id: '', quota: null, blockMs: 1 }, clock.monotonicMs());
      await remote.slowPace(scope).catch(() => {});
    },
  };
}
