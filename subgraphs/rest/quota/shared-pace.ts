import type { Clock } from '../ports/clock.js';
import type { Ask, Taken } from './book.js';
import { createPaceAccount, type PaceAccount, takenOf } from './pace-account.js';
import type { RemoteQuota } from './remote-quota.js';
import type { Replicas } from './replicas.js';
import type { PaceScope } from './scope.js';

/** One pace that all replicas share. While it cannot be reached, each keeps to its part of it. */
export interface SharedPace {
  take(ask: Ask): Promise<Taken>;
  slow(): Promise<void>;
  /** Looks whether the account is back. */
  report(): Promise<void>;
  readonly alone: boolean;
}

export interface SharedPaceOptions {
  readonly scope: PaceScope;
  readonly remote: RemoteQuota;
  readonly clock: Clock;
  readonly replicas: Replicas;
}

export function createSharedPace({ scope, remote, clock, replicas }: SharedPaceOptions): SharedPace {
  let alone: PaceAccount | null = null;

  function goAlone(): PaceAccount {
    const burst = scope.burst / replicas.count();
    const account = createPaceAccount({ ...scope, perSecond: scope.perSecond / replicas.count(), burst });
    // What the others have just sent is not known, so it begins with an empty bucket.
    account.giveBack(-burst);
    return account;
  }

  return {
    get alone() {
      return alone !== null;
    },
    async take(ask) {
      const kept = (burst: number) => burst * ask.headroom;
      try {
        const drawn = await remote.takePace(scope, ask);
        alone = null;
        return takenOf(drawn, kept(scope.burst));
      } catch {
        alone ??= goAlone();
        return takenOf(alone.take(ask, clock.monotonicMs()), kept(scope.burst / replicas.count()));
      }
    },
    async report() {
      if (alone === null) return;
      await remote.takePace(scope, { ids: [], leaseMs: 0, headroom: 0 });
      alone = null;
    },
    async slow() {
      alone?.slow(clock.monotonicMs());
      await remote.slowPace(scope).catch(() => {});
    },
  };
}
