import type { Clock } from '../ports/clock.js';
import { createAloneAccount } from './alone-account.js';
import { type Ask, GUARD_MS, type Landing, type Taken } from './book.js';
import { insist } from './insist.js';
import type { RemoteQuota } from './remote-quota.js';
import type { Replicas } from './replicas.js';
import type { WindowScope } from './scope.js';
import { aged, asRemote, outlookOf, type Seen } from './seen-account.js';
import { enterSpends, type Spend } from './spend.js';
import type { WindowAccount } from './window-account.js';

/**
 * One window's account that all replicas share, and what this replica does when the account cannot be reached or has
 * lost its memory: it keeps what it holds, takes its part of the rest as far as it was seen, and counts alone until
 * every replica has told the account what it spent meanwhile.
 */
export interface SharedWindow {
  take(ask: Ask): Promise<Taken>;
  land(landing: Landing): Promise<void>;
  drop(ids: readonly string[]): Promise<void>;
  /** Looks at the account if it was used lately, so that little is unknown when it is lost; tells it what it misses. */
  report(): Promise<void>;
  /** Whether this replica counts alone at the moment. */
  readonly alone: boolean;
}

export interface SharedWindowOptions {
  /** Mark of this replica: its ids begin with it and a dot. */
  readonly replica: string;
  readonly scope: WindowScope;
  readonly remote: RemoteQuota;
  readonly clock: Clock;
  readonly replicas: Replicas;
}

/** Takes nothing, and sees how the account stands. */
const LOOK: Ask = { ids: [], leaseMs: 0, headroom: 0 };

/** Counting without the others. */
interface Alone {
  readonly account: WindowAccount;
  /** When the account knew again what this replica spent; null while it does not. */
  toldAtMs: number | null;
}

export function createSharedWindow({ replica, scope, remote, clock, replicas }: SharedWindowOptions): SharedWindow {
  const countsMs = scope.windowMs + GUARD_MS;
  const own = new Map<string, Spend>();
  /** Perhaps given out there, and not used here: asked for without an answer, or given back without one. */
  const doubtful = new Set<string>();
  let seen: Seen | null = null;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  let alone: Alone | null = null;

  async function take(ask: Ask): Promise<Taken> {
    const nowMs = clock.monotonicMs();
    usedAtMs = nowMs;
    if (alone !== null) return alone.account.take(ask, nowMs);
    const taken = await ofAll(ask);
    if (taken !== null) return taken;
    for (const id of ask.ids) doubtful.add(id);
    return goAlone().take(ask, clock.monotonicMs());
  }

  /** What the shared account gives; null when it cannot be reached or has lost its memory. */
  async function ofAll(ask: Ask): Promise<Taken | null> {
    const taken = await insist(() => remote.takeWindow(scope, ask, seen?.epoch ?? null)).catch(() => 'lost' as const);
    // Whoever went alone while he waited for this has made up his account without it.
    if (taken === 'lost' || alone !== null) return null;
    const { flying, reserved, epoch, state } = taken;
    const nowMs = clock.monotonicMs();
    seen = { epoch, state, atMs: nowMs };
    for (const [id, { untilMs }] of own) if (untilMs <= nowMs) own.delete(id);
    enterSpends(own, ask, { flying, reserved, nowMs, countsMs });
    return { flying, reserved, ...outlookOf(state, { headroom: ask.headroom, countsMs }) };
  }

  function goAlone(): WindowAccount {
    alone ??= { toldAtMs: null, account: createAloneAccount(scope, { replica, own, seen, replicas }) };
    return alone.account;
  }

  async function report(): Promise<void> {
    const isUsed = clock.monotonicMs() - usedAtMs <= 2 * countsMs;
    if (alone === null && isUsed && (await ofAll(LOOK)) === null) goAlone();
    if (alone === null) return;
    const toldAtMs = await tell(alone);
    // Counts with the others again once each of them has told the account what it spent meanwhile, and sees all of that
    // first: an account that is lost a moment later would be taken for a new one.
    const looked = replicas.allSince(toldAtMs) ? await remote.takeWindow(scope, LOOK, null) : 'lost';
    if (looked === 'lost') return;
    seen = { epoch: looked.epoch, state: looked.state, atMs: clock.monotonicMs() };
    alone = null;
  }

  /** Tells the account what this replica spent and heard alone, and remembers of the others; when it first did. */
  async function tell(one: Alone): Promise<number> {
    const nowMs = clock.monotonicMs();
    const spends = one.account.spends(nowMs);
    await remote.remind(scope, {
      own: [...spends].map(([id, spend]) => asRemote(id, spend, nowMs)),
      seen: {
        limit: seen?.state.limit ?? null,
        // With what the service said to this replica meanwhile: a refusal holds for all.
        ...one.account.heard(nowMs),
        spends: seen === null ? [] : aged(seen, nowMs).spends,
      },
    });
    one.toldAtMs ??= nowMs;
    seen = null;
    own.clear();
    for (const [id, spend] of spends) own.set(id, spend);
    const unused = [...doubtful].filter((id) => !spends.has(id));
    if (unused.length > 0) await remote.dropWindow(scope, unused);
    for (const id of unused) doubtful.delete(id);
    return one.toldAtMs;
  }

  return {
    take,
    report,
    get alone() {
      return alone !== null;
    },
    async land(landing) {
      const nowMs = clock.monotonicMs();
      if (alone === null) own.set(landing.id, { untilMs: nowMs + countsMs, flyingUntilMs: 0, landed: true });
      else alone.account.land(landing, nowMs);
      await insist(() => remote.landWindow(scope, landing)).catch(() => {
        if (alone === null) goAlone().land(landing, nowMs);
      });
    },
    async drop(ids) {
      for (const id of ids) if (own.get(id)?.landed === false) own.delete(id);
      alone?.account.drop(ids);
      await insist(() => remote.dropWindow(scope, ids)).catch(() => {
        for (const id of ids) doubtful.add(id);
      });
    },
  };
}
