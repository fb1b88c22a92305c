import { createLru } from '../../../runtime/stores/lru.js';
import { unwatched, type WatchCache } from '../../../schema/caches.js';
import type { Clock } from '../ports/clock.js';
import type { Account, AccountRules, Standing } from './account.js';
import { paceRules } from './pace-account.js';
import type { QuotaScope } from './scope.js';
import { windowRules } from './window-account.js';

/** Where calls are counted: in this process, or by all replicas together. */
export interface QuotaBook {
  /** Whether other processes count in it too. */
  readonly shared: boolean;
  /** Whether this process counts apart from them at the moment. */
  readonly apart: boolean;
  /** The account of a scope: the same one for equal names. */
  open(scope: QuotaScope): Account;
  /** Leaves the other processes. */
  close(): void;
}

/** Counts calls in this process. */
export function createMemoryBook(clock: Clock, watchCache?: WatchCache): QuotaBook {
  const accounts = createAccounts((_name, rules) => keep(rules, clock), watchCache);
  return { shared: false, apart: false, open: accounts.open, close: () => {} };
}

/** Scopes are of keys, and strangers may send as many keys as they like: the least recently used is evicted. */
const MAX_SCOPES = 10_000;
/** Bytes of heap for an account of which little is spent, with its gate. */
const ACCOUNT_BYTES = 4000;

/** The accounts that are open, each made when its scope is first used. */
export function createAccounts<T extends Account>(
  create: <A>(name: string, rules: AccountRules<A>) => T,
  watchCache: WatchCache = unwatched,
) {
  const accounts = createLru<T>(MAX_SCOPES);
  watchCache('quota-accounts', () => ACCOUNT_BYTES * accounts.size);
  return {
    open(scope: QuotaScope): T {
      const known = accounts.get(scope.name);
      if (known !== undefined) return known;
      const account =
        scope.kind === 'window' ? create(scope.name, windowRules(scope)) : create(scope.name, paceRules(scope));
      accounts.set(scope.name, account);
      return account;
    },
    all: (): T[] => [...accounts.values()],
  };
}

function keep<A>(rules: AccountRules<A>, clock: Clock): Account {
  let account = rules.empty;
  const standing = (): Standing<A> => ({ kind: 'shared', nowMs: clock.monotonicMs() });
  return {
    async take(reservation) {
      const [next, grant] = rules.take(account, reservation, standing());
      account = next;
      return grant;
    },
    async land(landing) {
      account = rules.land(account, landing, clock.monotonicMs());
    },
    async drop(ids) {
      account = rules.drop(account, ids);
    },
  };
}
