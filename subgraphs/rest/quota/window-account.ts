import type { QuotaLeft } from '../../../schema/trace.js';
import { type Ask, GUARD_MS, type Landing, SAME_WINDOW_MS, type Taken, UNLIMITED } from './book.js';
import { handOut } from './hand-out.js';
import { outlook } from './outlook.js';
import type { AccountState } from './remote-quota.js';
import type { WindowScope } from './scope.js';
import { enterSpends, type Spend } from './spend.js';

/** How the account of a window stands. Times are of whatever clock the caller uses, always the same one. */
export interface WindowAccount {
  take(ask: Ask, nowMs: number): Taken;
  land(landing: Landing, nowMs: number): void;
  drop(ids: readonly string[]): void;
  /** What it counts at this moment. */
  spends(nowMs: number): ReadonlyMap<string, Spend>;
  /** What the service said of the running window, and for how long it refuses every call. */
  heard(nowMs: number): Pick<AccountState, 'told' | 'blockedMs'>;
}

/** What an account begins with, and how much of the limit is its own. */
export interface WindowPart {
  readonly limit: number | null;
  /** What the headers of the running window said last. */
  readonly told: Told | null;
  readonly blockedUntilMs: number;
  /** Spends that it holds from the start. */
  readonly held: ReadonlyMap<string, Spend>;
  /** Its part of the limit, of which it holds so many calls from the start; whole calls. */
  ofLimit(limit: number, held: number, nowMs: number): number;
  /** The same of what the headers leave, and of those that have not landed. */
  ofRest(remaining: number, held: number, nowMs: number): number;
}

export interface Told {
  readonly remaining: number;
  readonly endsMs: number;
}

/**
 * The account of one window: our own log of spends, and what the headers said. What is free is the smaller of the two,
 * so that neither a first burst (no header yet) nor a stranger on the key (not in our log) runs into a refusal.
 */
export function createWindowAccount(scope: WindowScope, part: Partial<WindowPart> = {}): WindowAccount {
  const { ofLimit = (limit) => limit, ofRest = (remaining) => remaining } = part;
  const countsMs = scope.windowMs + GUARD_MS;
  const spends = new Map(part.held);
  let limit = part.limit ?? scope.limit;
  let told = part.told ?? null;
  let blockedUntilMs = part.blockedUntilMs ?? 0;

  function expire(nowMs: number): void {
    for (const [id, spend] of spends) if (spend.untilMs <= nowMs) spends.delete(id);
    if (told !== null && told.endsMs <= nowMs) told = null;
  }

  function snapshotAt(nowMs: number) {
    let pending = 0;
    let reserved = 0;
    let inFlight = 0;
    let held = 0;
    let heldPending = 0;
    for (const [id, { landed, flyingUntilMs }] of spends) {
      const isHeld = part.held?.has(id) === true;
      if (isHeld) held += 1;
      if (landed) continue;
      pending += 1;
      if (isHeld) heldPending += 1;
      if (flyingUntilMs === 0) reserved += 1;
      else if (flyingUntilMs > nowMs) inFlight += 1;
    }
    const blockedMs = Math.max(0, blockedUntilMs - nowMs);
    return {
      // Without a documented limit one call finds out.
      limit: limit === null ? 1 : ofLimit(limit, held, nowMs),
      countsMs,
      spent: spends.size,
      reserved,
      inFlight,
      endsInMs: () => [...spends.values()].map(({ landed, untilMs }) => (landed ? untilMs - nowMs : countsMs)),
      remaining: told === null ? UNLIMITED : told.remaining,
      freeByHeaders: told === null ? UNLIMITED : ofRest(told.remaining, heldPending, nowMs) - pending,
      headersEndInMs: told === null ? 0 : told.endsMs - nowMs,
      blocked: blockedMs > 0,
      blockedMs,
    };
  }

  function take(ask: Ask, nowMs: number): Taken {
    const { ids, headroom } = ask;
    expire(nowMs);
    const before = snapshotAt(nowMs);
    const kept = Math.ceil(before.limit * headroom);
    const held = ids.filter((id) => spends.has(id)).length;
    const { flying, reserved } = handOut({ held, fresh: ids.length - held, kept }, before);
    enterSpends(spends, ask, { flying, reserved, nowMs, countsMs });
    return { flying, reserved, ...outlook(snapshotAt(nowMs), kept) };
  }

  function land({ id, quota, blockMs }: Landing, nowMs: number): void {
    spends.set(id, { untilMs: nowMs + countsMs, flyingUntilMs: 0, landed: true });
    if (blockMs > 0) blockedUntilMs = Math.max(blockedUntilMs, nowMs + blockMs);
    if (quota !== null) believe(quota, nowMs);
    else if (limit === null) limit = UNLIMITED;
  }

  /**
   * The lowest remaining of the running window counts: answers overtake each other. So does its earliest end: an answer
   * that was late names one that is later than the truth, never an earlier one.
   */
  function believe(quota: QuotaLeft, nowMs: number): void {
    limit = Math.max(1, quota.limit);
    const endsMs = nowMs + quota.resetSeconds * 1000 + GUARD_MS;
    const sameWindow = told !== null && endsMs <= told.endsMs + SAME_WINDOW_MS;
    told =
      sameWindow && told !== null
        ? { remaining: Math.min(told.remaining, quota.remaining), endsMs: Math.min(told.endsMs, endsMs) }
        : { remaining: quota.remaining, endsMs };
  }

  return {
    take,
    land,
    drop(ids) {
      for (const id of ids) if (spends.get(id)?.landed === false) spends.delete(id);
    },
    spends(nowMs) {
      expire(nowMs);
      return spends;
    },
    heard(nowMs) {
      expire(nowMs);
      return {
        told: told === null ? null : { remaining: told.remaining, endsInMs: told.endsMs - nowMs },
        blockedMs: Math.max(0, blockedUntilMs - nowMs),
      };
    },
  };
}
