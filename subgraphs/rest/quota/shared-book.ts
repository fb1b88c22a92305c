import { createLru } from '../lru.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaBook } from './book.js';
import type { RemoteQuota } from './remote-quota.js';
import { watchReplicas } from './replicas.js';
import type { PaceScope, WindowScope } from './scope.js';
import { createSharedPace, type SharedPace } from './shared-pace.js';
import { createSharedWindow, type SharedWindow } from './shared-window.js';

const MAX_SCOPES = 10_000;

export interface SharedBookOptions {
  readonly remote: RemoteQuota;
  readonly clock: Clock;
  /** Mark of the service and its address: replicas that ask another one are none of ours. */
  readonly service: string;
  /** Another one for each process. */
  readonly replica: string;
}

/** Counts spends together with all other replicas. */
export function createSharedBook({ remote, clock, service, replica }: SharedBookOptions): QuotaBook {
  const windows = createLru<SharedWindow>(MAX_SCOPES);
  const paces = createLru<SharedPace>(MAX_SCOPES);
  const accounts = () => [...windows.values(), ...paces.values()];
  const isAlone = () => accounts().some(({ alone }) => alone);
  const replicas = watchReplicas({
    remote,
    clock,
    service,
    id: replica,
    async report() {
      await Promise.all(accounts().map((account) => account.report()));
      return { alone: isAlone() };
    },
  });
  const common = { remote, clock, replicas };

  function windowOf(scope: WindowScope): SharedWindow {
    const known = windows.get(scope.name);
    if (known !== undefined) return known;
    const window = createSharedWindow({ scope, replica, ...common });
    windows.set(scope.name, window);
    return window;
  }

  function paceOf(scope: PaceScope): SharedPace {
    const known = paces.get(scope.name);
    if (known !== undefined) return known;
    const pace = createSharedPace({ scope, ...common });
    paces.set(scope.name, pace);
    return pace;
  }

  return {
    shared: true,
    take: (scope, ask) => (scope.kind === 'window' ? windowOf(scope).take(ask) : paceOf(scope).take(ask)),
    async land(scope, landing) {
      if (scope.kind === 'window') await windowOf(scope).land(landing);
      else if (landing.blockMs > 0) await paceOf(scope).slow();
    },
    // What a pace has let go is not given back: the next call comes a moment later.
    drop: async (scope, ids) => (scope.kind === 'window' ? windowOf(scope).drop(ids) : undefined),
    get alone() {
      return isAlone();
    },
    close: () => replicas.close(),
  };
}
