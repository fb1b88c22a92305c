import { type Ask, type Landing, SAME_WINDOW_MS, UNLIMITED } from '../../subgraphs/rest/quota/book.js';
import { createPaceAccount, type Drawn, type PaceAccount } from '../../subgraphs/rest/quota/pace-account.js';
import type { AccountMemory, RemoteTaken } from '../../subgraphs/rest/quota/remote-quota.js';
import type { PaceScope, WindowScope } from '../../subgraphs/rest/quota/scope.js';

/** A replica that was silent for so long is gone: subgraphs/rest/quota/redis-quota.ts. */
const SILENT_MS = 6_000;

/** Three sorted sets and a hash, as Redis holds them: what the scripts in subgraphs/rest/quota work on. */
interface Account {
  epoch: string | null;
  limit: number | null;
  remaining: number;
  ends: number;
  blocked: number;
  readonly spends: Map<string, number>;
  readonly open: Map<string, number>;
  readonly flying: Map<string, number>;
}

/** The shared accounts, with each script of `subgraphs/rest/quota/*.lua` as a function. */
export interface StoreAccounts {
  takeWindow(scope: WindowScope, ask: Ask, epoch: string | null): RemoteTaken | 'lost';
  landWindow(scope: WindowScope, landing: Landing): void;
  dropWindow(scope: WindowScope, ids: readonly string[]): void;
  remind(scope: WindowScope, memory: AccountMemory): void;
  takePace(scope: PaceScope, ask: Ask): Drawn;
  slowPace(scope: PaceScope): void;
  beat(service: string, replica: string): number;
  /** Spends that are in flight or reserved at this moment. */
  unlanded(): number;
  clear(): void;
}

export interface StoreAccountsOptions {
  /** The store's own clock. */
  readonly now: () => number;
  readonly newEpoch: () => string;
  /** Beyond every end of a window: the toolkit sends it along. */
  readonly guardMs: number;
}

export function createStoreAccounts({ now, newEpoch, guardMs }: StoreAccountsOptions): StoreAccounts {
  const countsMs = ({ windowMs }: WindowScope) => windowMs + guardMs;
  const accounts = new Map<string, Account>();
  const paces = new Map<string, { account: PaceAccount }>();
  const beats = new Map<string, number>();

  function accountOf({ name }: WindowScope): Account {
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const empty = { epoch: null, limit: null, remaining: 0, ends: 0, blocked: 0 };
    const account = { ...empty, spends: new Map(), open: new Map(), flying: new Map() };
    accounts.set(name, account);
    return account;
  }

  function paceOf(scope: PaceScope): PaceAccount {
    const known = paces.get(scope.name) ?? { account: createPaceAccount(scope) };
    paces.set(scope.name, known);
    return known.account;
  }

  return {
    takeWindow(scope, { ids, leaseMs, headroom }, epoch) {
      const account = accountOf(scope);
      const at = now();
      if (epoch !== null && account.epoch !== epoch) return 'lost';
      account.epoch ??= newEpoch();
      for (const set of [account.spends, account.open, account.flying]) expire(set, at);
      const limit = account.limit ?? scope.limit;
      const told = account.ends > at;
      let free = 0;
      let slots = 0;
      if (account.blocked <= at) {
        const most = limit ?? 1;
        free = most - account.spends.size;
        if (told) free = Math.min(free, account.remaining - account.open.size);
        free -= Math.ceil(most * headroom);
        slots = Math.min(8, Math.max(1, Math.floor(most / 10))) - account.flying.size;
      }
      const counts = { flying: 0, reserved: 0 };
      for (const id of ids) {
        if (!account.spends.has(id)) {
          if (free <= 0) break;
          free -= 1;
        }
        const leaseEnds = at + Math.ceil(leaseMs);
        const flies = slots > 0 && counts.reserved === 0;
        if (flies) {
          slots -= 1;
          account.flying.set(id, leaseEnds);
        }
        counts[flies ? 'flying' : 'reserved'] += 1;
        const until = leaseEnds + (flies ? countsMs(scope) : 0);
        account.spends.set(id, until);
        account.open.set(id, until);
      }
      return { ...counts, epoch: account.epoch, state: stateOf(account, { limit, told, at }) };
    },
    landWindow(scope, { id, quota, blockMs }) {
      const account = accountOf(scope);
      const at = now();
      account.spends.set(id, at + countsMs(scope));
      account.open.delete(id);
      account.flying.delete(id);
      if (blockMs > 0) account.blocked = Math.max(account.blocked, at + blockMs);
      if (quota === null) {
        if (scope.limit === null) account.limit ??= UNLIMITED;
        return;
      }
      const ends = at + quota.resetSeconds * 1000 + guardMs;
      const same = account.ends > at && ends <= account.ends + SAME_WINDOW_MS;
      account.limit = Math.max(1, quota.limit);
      account.remaining = same ? Math.min(quota.remaining, account.remaining) : quota.remaining;
      account.ends = same ? account.ends : ends;
    },
    dropWindow(scope, ids) {
      const account = accountOf(scope);
      for (const id of ids) {
        if (!account.open.delete(id)) continue;
        account.spends.delete(id);
        account.flying.delete(id);
      }
    },
    remind(scope, { own, seen }) {
      const account = accountOf(scope);
      const at = now();
      account.epoch ??= newEpoch();
      if (seen !== null && seen.limit !== null) account.limit ??= seen.limit;
      if (seen?.told != null && account.ends <= at) {
        account.remaining = seen.told.remaining;
        account.ends = at + Math.ceil(seen.told.endsInMs);
      }
      account.blocked = Math.max(account.blocked, at + Math.ceil(seen?.blockedMs ?? 0));
      const others = (seen?.spends ?? []).filter(({ id }) => !account.spends.has(id));
      for (const { id, untilInMs, flyingInMs, landed } of [...others, ...own]) {
        const until = at + Math.ceil(untilInMs);
        account.spends.set(id, until);
        if (landed) {
          account.open.delete(id);
          account.flying.delete(id);
        } else {
          account.open.set(id, until);
          if (flyingInMs > 0) account.flying.set(id, at + Math.ceil(flyingInMs));
        }
      }
    },
    takePace: (scope, ask) => paceOf(scope).take(ask, now()),
    slowPace: (scope) => paceOf(scope).slow(now()),
    beat(service, replica) {
      beats.set(`${service} ${replica}`, now());
      for (const [key, atMs] of beats) if (atMs <= now() - SILENT_MS) beats.delete(key);
      return beats.size;
    },
    unlanded() {
      let sum = 0;
      for (const { open } of accounts.values()) for (const until of open.values()) if (until > now()) sum += 1;
      return sum;
    },
    clear() {
      accounts.clear();
      paces.clear();
      beats.clear();
    },
  };
}

function stateOf(account: Account, { limit, told, at }: { limit: number | null; told: boolean; at: number }) {
  return {
    limit,
    told: told ? { remaining: account.remaining, endsInMs: account.ends - at } : null,
    blockedMs: Math.max(0, account.blocked - at),
    spends: [...account.spends].map(([id, until]) => ({
      id,
      untilInMs: until - at,
      flyingInMs: (account.flying.get(id) ?? at) - at,
      landed: !account.open.has(id),
    })),
  };
}

function expire(set: Map<string, number>, at: number): void {
  for (const [id, until] of set) if (until <= at) set.delete(id);
}
