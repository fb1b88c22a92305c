import { createLru } from '../lru.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaBook } from './book.js';
import { createPaceAccount, type PaceAccount, takenOf } from './pace-account.js';
import type { PaceScope, WindowScope } from './scope.js';
import { createWindowAccount, type WindowAccount } from './window-account.js';

/** Scopes are of keys, and strangers may send as many keys as they like: the least recently used is forgotten. */
const MAX_SCOPES = 10_000;

/** Counts spends in this process. */
export function createMemoryBook(clock: Clock): QuotaBook {
  const windows = createLru<WindowAccount>(MAX_SCOPES);
  const paces = createLru<PaceAccount>(MAX_SCOPES);

  function windowOf(scope: WindowScope): WindowAccount {
    const account = windows.get(scope.name) ?? createWindowAccount(scope);
    windows.set(scope.name, account);
    return account;
  }

  function paceOf(scope: PaceScope): PaceAccount {
    const account = paces.get(scope.name) ?? createPaceAccount(scope);
    paces.set(scope.name, account);
    return account;
  }

  return {
    shared: false,
    alone: false,
    async take(scope, ask) {
      if (scope.kind === 'window') return windowOf(scope).take(ask, clock.monotonicMs());
      return takenOf(paceOf(scope).take(ask, clock.monotonicMs()), scope.burst * ask.headroom);
    },
    async land(scope, landing) {
      if (scope.kind === 'window') windowOf(scope).land(landing, clock.monotonicMs());
      else if (landing.blockMs > 0) paceOf(scope).slow(clock.monotonicMs());
    },
    async drop(scope, ids) {
      if (scope.kind === 'window') windowOf(scope).drop(ids);
      else paceOf(scope).giveBack(ids.length);
    },
    close: () => {},
  };
}
