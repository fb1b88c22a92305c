import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { Clock } from '../ports/clock.js';
import type { Account, AccountRules, Sharing } from './account.js';
import { paceRules, windowRules } from './account-rules.js';
import type { QuotaScope } from './scope.js';

/** Where calls are counted: in this process alone, or by all replicas together. */
export interface QuotaLedger {
  /** Whether other processes count in the same ledger. */
  readonly isShared: boolean;
  /** Whether this process currently counts without the others. */
  readonly isLocalFallback: boolean;
  /** The account of a scope; equal names share one. */
  open(scope: QuotaScope): Account;
  /** Whether a scope's account is open, or can be without loss: strangers may send any number of keys. */
  hasRoomFor(scope: QuotaScope): boolean;
  /** Stops taking part with the other processes. */
  close(): void;
}

/** A ledger that counts calls in this process. */
export function createMemoryLedger(clock: Clock, watchCache?: WatchCache): QuotaLedger {
  const { open, hasRoomFor } = createAccounts(clock, (_name, rules) => createAccount(rules, clock), watchCache);
  return { isShared: false, isLocalFallback: false, open, hasRoomFor, close: () => {} };
}

/** At this number, accounts in which nothing counts are evicted; if none can be, new keys are refused. */
const MAX_ACCOUNTS = 10_000;
/** Shortest time between two searches for them. */
const SWEEP_MS = 1000;
/** Bytes of heap for an account with few calls, and its gate. */
const ACCOUNT_BYTES = 4000;

/** The open accounts, each created when its scope is first used. */
export function createAccounts<T extends Account>(
  clock: Clock,
  create: <A>(name: string, rules: AccountRules<A>) => T,
  watchCache: WatchCache = unwatched,
) {
  const accounts = new Map<string, T>();
  let sweptAtMs = Number.NEGATIVE_INFINITY;
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
    hasRoomFor({ name }: QuotaScope): boolean {
      const nowMs = clock.monotonicMs();
      if (accounts.size < MAX_ACCOUNTS || accounts.has(name)) return true;
      if (nowMs - sweptAtMs < SWEEP_MS) return false;
      sweptAtMs = nowMs;
      for (const [one, account] of accounts) if (!account.matters()) accounts.delete(one);
      return accounts.size < MAX_ACCOUNTS;
    },
    all: (): T[] => [...accounts.values()],
  };
}

function createAccount<A>(rules: AccountRules<A>, clock: Clock): Account {
  let account = rules.empty;
  const sharing = (): Sharing<A> => ({ kind: 'shared', nowMs: clock.monotonicMs() });
  return {
    async take(request) {
      const [next, grant] = rules.take(account, request, sharing());
      account = next;
      return grant;
    },
    async land(landing) {
      account = rules.land(account, landing, clock.monotonicMs());
    },
    async drop(ids) {
      account = rules.drop(account, ids);
    },
    matters: () => rules.matters(account, clock.monotonicMs()),
  };
}
