import { GUARD_MS, SAME_WINDOW_MS, UNLIMITED } from '../../../subgraphs/rest/quota/book.js';
import { handOut } from '../../../subgraphs/rest/quota/hand-out.js';
import { createPaceAccount, type PaceAccount } from '../../../subgraphs/rest/quota/pace-account.js';
import type {
  AccountMemory,
  AccountState,
  RemoteQuota,
  RemoteSpend,
} from '../../../subgraphs/rest/quota/remote-quota.js';
import type { PaceScope, WindowScope } from '../../../subgraphs/rest/quota/scope.js';
import { enterSpends, type Spend } from '../../../subgraphs/rest/quota/spend.js';

/** What the scripts do in Redis, without Redis. A test compares the two. */
export interface VirtualAccounts extends RemoteQuota {
  /** Forgets everything, as a flush or an empty restart does. */
  flush(): void;
  /** Spends, reserved and flying ones included, of all accounts. */
  readonly size: number;
}

interface Account {
  readonly epoch: string;
  readonly spends: Map<string, Spend>;
  limit: number | null;
  told: { remaining: number; endsMs: number } | null;
  blockedUntilMs: number;
}

const SILENT_MS = 6_000;

/** `now` is the clock of the place where the accounts lie. */
export function createVirtualAccounts(now: () => number): VirtualAccounts {
  const windows = new Map<string, Account>();
  const paces = new Map<string, PaceAccount>();
  const beats = new Map<string, number>();
  let epochs = 0;

  function open(scope: WindowScope): Account {
    const known = windows.get(scope.name);
    if (known !== undefined) return known;
    epochs += 1;
    const account = { epoch: `epoch ${epochs}`, spends: new Map(), limit: scope.limit, told: null, blockedUntilMs: 0 };
    windows.set(scope.name, account);
    return account;
  }

  function expire({ spends }: Account): void {
    for (const [id, { untilMs }] of spends) if (untilMs <= now()) spends.delete(id);
  }

  function paceOf(scope: PaceScope): PaceAccount {
    const account = paces.get(scope.name) ?? createPaceAccount(scope);
    paces.set(scope.name, account);
    return account;
  }

  return {
    async takeWindow(scope, { ids, leaseMs, headroom }, epoch) {
      if (epoch !== null && windows.get(scope.name)?.epoch !== epoch) return 'lost';
      const account = open(scope);
      expire(account);
      const { spends, limit } = account;
      const held = ids.filter((id) => spends.has(id));
      // Whoever asks for it is not sending it.
      for (const id of held) spends.set(id, { untilMs: 0, flyingUntilMs: 0, landed: false });
      const unlanded = [...spends.values()].filter(({ landed }) => !landed);
      const told = account.told !== null && account.told.endsMs > now() ? account.told.remaining : UNLIMITED;
      const { flying, reserved } = handOut(
        { held: held.length, fresh: ids.length - held.length, kept: Math.ceil((limit ?? 1) * headroom) },
        {
          limit: limit ?? 1,
          spent: spends.size,
          reserved: unlanded.filter(({ flyingUntilMs }) => flyingUntilMs === 0).length,
          inFlight: unlanded.filter(({ flyingUntilMs }) => flyingUntilMs > now()).length,
          remaining: told,
          freeByHeaders: told - unlanded.length,
          blocked: account.blockedUntilMs > now(),
        },
      );
      const granted = { flying, reserved, nowMs: now(), countsMs: scope.windowMs + GUARD_MS };
      enterSpends(spends, { ids, leaseMs: Math.ceil(leaseMs), headroom }, granted);
      return { flying, reserved, epoch: account.epoch, state: stateOf(account, now()) };
    },
    async landWindow(scope, { id, quota, blockMs }) {
      const account = open(scope);
      account.spends.set(id, { untilMs: now() + scope.windowMs + GUARD_MS, flyingUntilMs: 0, landed: true });
      if (blockMs > 0) account.blockedUntilMs = Math.max(account.blockedUntilMs, now() + blockMs);
      if (quota === null) {
        account.limit ??= UNLIMITED;
        return;
      }
      account.limit = Math.max(1, quota.limit);
      const endsMs = now() + quota.resetSeconds * 1000 + GUARD_MS;
      const known = account.told;
      const same = known !== null && known.endsMs > now() && endsMs <= known.endsMs + SAME_WINDOW_MS;
      account.told = same
        ? { remaining: Math.min(quota.remaining, known.remaining), endsMs: Math.min(known.endsMs, endsMs) }
        : { remaining: quota.remaining, endsMs };
    },
    async dropWindow(scope, ids) {
      const spends = windows.get(scope.name)?.spends;
      for (const id of ids) if (spends?.get(id)?.landed === false) spends.delete(id);
    },
    async remind(scope, memory) {
      fill(open(scope), memory, now());
    },
    takePace: async (scope, ask) => paceOf(scope).take(ask, now()),
    slowPace: async (scope) => paceOf(scope).slow(now()),
    async beat(service, replica) {
      beats.set(`${service} ${replica}`, now());
      for (const [name, atMs] of beats) if (atMs <= now() - SILENT_MS) beats.delete(name);
      return [...beats].filter(([name]) => name.startsWith(`${service} `)).map(([, atMs]) => now() - atMs);
    },
    flush() {
      windows.clear();
      paces.clear();
      beats.clear();
    },
    get size() {
      return [...windows.values()].reduce((sum, { spends }) => sum + spends.size, 0);
    },
  };
}

function fill(account: Account, { own, seen }: AccountMemory, nowMs: number): void {
  account.limit = seen?.limit ?? account.limit;
  if (seen?.told != null && (account.told === null || account.told.endsMs <= nowMs)) {
    account.told = { remaining: seen.told.remaining, endsMs: nowMs + seen.told.endsInMs };
  }
  account.blockedUntilMs = Math.max(account.blockedUntilMs, nowMs + (seen?.blockedMs ?? 0));
  for (const spend of seen?.spends ?? [])
    if (!account.spends.has(spend.id)) account.spends.set(spend.id, at(spend, nowMs));
  for (const spend of own) account.spends.set(spend.id, at(spend, nowMs));
}

function at({ untilInMs, flyingInMs, landed }: RemoteSpend, nowMs: number): Spend {
  return { untilMs: nowMs + untilInMs, flyingUntilMs: flyingInMs > 0 ? nowMs + flyingInMs : 0, landed };
}

function stateOf({ limit, told, blockedUntilMs, spends }: Account, nowMs: number): AccountState {
  return {
    limit,
    told: told === null || told.endsMs <= nowMs ? null : { remaining: told.remaining, endsInMs: told.endsMs - nowMs },
    blockedMs: Math.max(0, blockedUntilMs - nowMs),
    spends: [...spends].map(([id, { untilMs, flyingUntilMs, landed }]) => ({
      id,
      untilInMs: untilMs - nowMs,
      flyingInMs: Math.max(0, flyingUntilMs - nowMs),
      landed,
    })),
  };
}
