import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports/clock.js';
import type { QuotaBook } from './book.js';
import { createPaceAccount, type PaceAccount } from './pace-account.js';
import type { QuotaScope } from './scope.js';
import { createWindowAccount, type WindowAccount } from './window-account.js';

/** Scopes are of keys, and strangers may send as many keys as they like: the least recently used is forgotten. */
const MAX_SCOPES = 10_000;

/** Counts spends in this process. */
export function createMemoryBook(clock: Clock): QuotaBook {
  const accounts = new LRUCache<string, WindowAccount | PaceAccount>({ max: MAX_SCOPES });
  const accountOf = (scope: QuotaScope) => {
    const known = accounts.get(scope.name);
    if (known !== undefined) return known;
    const account = scope.kind === 'window' ? createWindowAccount(scope) : createPaceAccount(scope);
    accounts.set(scope.name, account);
    return account;
  };
  return {
    shared: false,
    alone: false,
    take: async (scope, ask) => accountOf(scope).take(ask, clock.monotonicMs()),
    land: async (scope, landing) => accountOf(scope).land(landing, clock.monotonicMs()),
    drop: async (scope, ids) => accountOf(scope).drop(ids),
    close: () => {},
  };
}
