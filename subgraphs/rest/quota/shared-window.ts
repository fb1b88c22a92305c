import type { Clock } from '../ports/clock.js';
import { type Ask, GUARD_MS, type Landing, type Taken, UNLIMITED } from './book.js';
import { outlook } from './outlook.js';
import type { AccountState, RemoteQuota, RemoteSpend } from './remote-quota.js';
import type { WindowScope } from './scope.js';
import { createWindowAccount, type Spend, type WindowAccount } from './window-account.js';

/**
 * One window's account that all replicas share, and what this replica does while it cannot be reached: it keeps in mind
 * what was spent when it last looked, takes its part of the rest, and tells it all when the account is there again.
 */
export interface SharedWindow {
  take(ask: Ask): Promise<Taken>;
  land(landing: Landing): Promise<void>;
  drop(ids: readonly string[]): Promise<void>;
  /** Looks at the account, if it was used lately: so that little is unknown when it is lost. */
  look(): Promise<void>;
  /** Whether this replica counts alone at the moment. */
  readonly alone: boolean;
}

export interface SharedWindowOptions {
  /** Mark of this replica: its ids begin with it and a dot. */
  readonly replica: string;
  readonly scope: WindowScope;
  readonly remote: RemoteQuota;
  readonly clock: Clock;
  readonly replicas: () => number;
}

/** What was seen of the account, on the clock of this replica. */
interface Seen {
  readonly epoch: string;
  readonly state: AccountState;
  readonly atMs: number;
}

export function createSharedWindow({ replica, scope, remote, clock, replicas }: SharedWindowOptions): SharedWindow {
  const countsMs = scope.windowMs + GUARD_MS;
  let seen: Seen | null = null;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  /** Counts what this replica spends while the account is away. */
  let alone: WindowAccount | null = null;
  /** Asked for without an answer: perhaps given out all the same. */
  const doubtful = new Set<string>();

  async function take(ask: Ask): Promise<Taken> {
    if (ask.ids.length > 0) usedAtMs = clock.monotonicMs();
    try {
      return await takeShared(ask);
    } catch {
      for (const id of ask.ids) doubtful.add(id);
      alone ??= goAlone();
      return alone.take(ask, clock.monotonicMs());
    }
  }

  async function takeShared(ask: Ask): Promise<Taken> {
    if (alone !== null) await remind();
    let taken = await remote.takeWindow(scope, ask, seen?.epoch ?? null);
    if (taken === 'lost') {
      await remind();
      taken = await remote.takeWindow(scope, ask, null);
      if (taken === 'lost') throw new Error('An account that was just told everything cannot be lost.');
    }
    seen = { epoch: taken.epoch, state: taken.state, atMs: clock.monotonicMs() };
    return { flying: taken.flying, reserved: taken.reserved, ...outlookOf(taken.state, ask.headroom) };
  }

  /** Tells the account what this replica remembers, and counts with it again. */
  async function remind(): Promise<void> {
    const nowMs = clock.monotonicMs();
    const own = [...(alone?.spends(nowMs) ?? [])].map(([id, { untilMs, flyingUntilMs, landed }]) => ({
      id,
      untilInMs: untilMs - nowMs,
      flyingInMs: Math.max(0, flyingUntilMs - nowMs),
      landed,
    }));
    const leaving = alone;
    // Calls that land meanwhile are told to the account itself.
    alone = null;
    try {
      await remote.remind(scope, { own, seen: seen === null ? null : aged(seen, nowMs) });
      const unused = [...doubtful].filter((id) => own.every((spend) => spend.id !== id));
      doubtful.clear();
      if (unused.length > 0) await remote.dropWindow(scope, unused);
    } catch (error) {
      for (const id of alone === null ? [] : spendsOf(alone).keys())
        leaving?.land({ id, quota: null, blockMs: 0 }, nowMs);
      alone = leaving;
      throw error;
    }
  }

  /** What it holds it keeps; of the rest, as far as it was seen, it takes its part. */
  function goAlone(): WindowAccount {
    const known = seen;
    const told = known?.state.told ?? null;
    const seenAtMs = known?.atMs ?? 0;
    const others = (nowMs: number) => spendsSeen(known, nowMs).filter((spend) => !isOwn(spend));
    return createWindowAccount(scope, {
      limit: known?.state.limit ?? null,
      told: told === null ? null : { remaining: told.remaining, endsMs: seenAtMs + told.endsInMs },
      blockedUntilMs: seenAtMs + (known?.state.blockedMs ?? 0),
      held: heldOf(known),
      ofLimit: (limit, nowMs) => Math.floor((limit - others(nowMs).length) / replicas()),
      ofRest: (remaining, nowMs) => {
        const pending = others(nowMs).filter(({ landed }) => !landed).length;
        return Math.floor((remaining - pending) / replicas());
      },
    });
  }

  function heldOf(known: Seen | null): Map<string, Spend> {
    const nowMs = clock.monotonicMs();
    const own = spendsSeen(known, nowMs).filter(isOwn);
    return new Map(
      own.map(({ id, untilInMs, flyingInMs, landed }) => [
        id,
        { untilMs: nowMs + untilInMs, flyingUntilMs: flyingInMs > 0 ? nowMs + flyingInMs : 0, landed },
      ]),
    );
  }

  function spendsSeen(known: Seen | null, nowMs: number): readonly RemoteSpend[] {
    return known === null ? [] : aged(known, nowMs).spends;
  }

  function isOwn({ id }: RemoteSpend): boolean {
    return id.startsWith(`${replica}.`);
  }

  function spendsOf(account: WindowAccount) {
    return account.spends(clock.monotonicMs());
  }

  function outlookOf({ limit, told, blockedMs, spends }: AccountState, headroom: number) {
    const pending = spends.filter(({ landed }) => !landed).length;
    const endsInMs = spends.map(({ landed, untilInMs }) => (landed ? untilInMs : countsMs)).sort((a, b) => a - b);
    const snapshot = {
      limit: limit ?? 1,
      countsMs,
      endsInMs,
      freeByHeaders: told === null ? UNLIMITED : told.remaining - pending,
      headersEndInMs: told?.endsInMs ?? 0,
      blockedMs,
    };
    return outlook(snapshot, Math.ceil(snapshot.limit * headroom));
  }

  return {
    take,
    get alone() {
      return alone !== null;
    },
    async land(landing) {
      try {
        if (alone !== null) throw new Error('away');
        await remote.landWindow(scope, landing);
      } catch {
        alone ??= goAlone();
        alone.land(landing, clock.monotonicMs());
      }
    },
    async drop(ids) {
      alone?.drop(ids);
      // Whoever cannot be told now frees them when their lease ends.
      await remote.dropWindow(scope, ids).catch(() => {});
    },
    async look() {
      if (clock.monotonicMs() - usedAtMs < 2 * countsMs) await take({ ids: [], leaseMs: 0, headroom: 0 });
    },
  };
}

/** A state as it stands now if nothing but time has passed. */
function aged({ state, atMs }: Seen, nowMs: number): AccountState {
  const passedMs = nowMs - atMs;
  const spends: RemoteSpend[] = state.spends
    .map((spend) => ({
      ...spend,
      untilInMs: spend.untilInMs - passedMs,
      flyingInMs: Math.max(0, spend.flyingInMs - passedMs),
    }))
    .filter(({ untilInMs }) => untilInMs > 0);
  const told = state.told === null || state.told.endsInMs <= passedMs ? null : state.told;
  return {
    limit: state.limit,
    told: told === null ? null : { remaining: told.remaining, endsInMs: told.endsInMs - passedMs },
    blockedMs: Math.max(0, state.blockedMs - passedMs),
    spends,
  };
}
