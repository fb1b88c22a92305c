import type { QuotaLeft } from '../../../schema/trace.js';
import { type Ask, GUARD_MS, type Landing, mostInFlight, type Taken } from './book.js';
import type { WindowScope } from './scope.js';

interface Spend {
  /** Until then it counts. */
  untilMs: number;
  /** Until then it is in flight; 0 before it is sent and after it has landed. */
  flyingUntilMs: number;
  landed: boolean;
}

/** How the account of a window stands. Times are of whatever clock the caller uses, always the same one. */
export interface WindowAccount {
  take(ask: Ask, nowMs: number): Taken;
  land(landing: Landing, nowMs: number): void;
  drop(ids: readonly string[]): void;
}

/** What the headers of the running window said last. */
interface Told {
  remaining: number;
  endsMs: number;
}

/** Windows whose ends differ by less are the same one: services round to seconds. */
const SAME_WINDOW_MS = 2000;
/** As good as no limit, for a service that tells none. */
const UNLIMITED = 1_000_000;

/**
 * The account of one window: our own log of spends, and what the headers said. What is free is the smaller of the two,
 * so that neither a first burst (no header yet) nor a stranger on the key (not in our log) runs into a refusal.
 */
export function createWindowAccount(scope: WindowScope): WindowAccount {
  const spends = new Map<string, Spend>();
  let limit = scope.limit;
  let told: Told | null = null;
  let blockedUntilMs = 0;

  const countsMs = scope.windowMs + GUARD_MS;

  function expire(nowMs: number): void {
    for (const [id, spend] of spends) if (spend.untilMs <= nowMs) spends.delete(id);
    if (told !== null && told.endsMs <= nowMs) told = null;
  }

  /** Spends of calls that the headers cannot know yet. */
  const pending = () => [...spends.values()].filter(({ landed }) => !landed).length;
  const inFlight = (nowMs: number) => [...spends.values()].filter(({ flyingUntilMs }) => flyingUntilMs > nowMs).length;
  const freeByLog = () => (limit ?? 1) - spends.size;
  const freeByHeaders = () => (told === null ? UNLIMITED : told.remaining - pending());

  function take({ ids, leaseMs, headroom }: Ask, nowMs: number): Taken {
    expire(nowMs);
    const blocked = nowMs < blockedUntilMs;
    const kept = Math.ceil((limit ?? 0) * headroom);
    let free = blocked ? 0 : Math.min(freeByLog(), freeByHeaders()) - kept;
    let slots = blocked ? 0 : mostInFlight(limit ?? 1) - inFlight(nowMs);
    const counts = { flying: 0, reserved: 0 };
    for (const id of ids) {
      const known = spends.get(id);
      if (known === undefined && free <= 0) break;
      if (known === undefined) free -= 1;
      const flies = slots > 0 && counts.reserved === 0;
      if (flies) slots -= 1;
      const untilMs = nowMs + leaseMs + (flies ? countsMs : 0);
      spends.set(id, { untilMs, flyingUntilMs: flies ? nowMs + leaseMs : 0, landed: false });
      counts[flies ? 'flying' : 'reserved'] += 1;
    }
    return { ...counts, ...outlook(nowMs, kept) };
  }

  /** When whoever waits behind can start: `kept` places further back than it stands. */
  function outlook(nowMs: number, kept: number): Omit<Taken, 'flying' | 'reserved'> {
    const perWindow = limit ?? UNLIMITED;
    const byLog = freeByLog();
    const byHeaders = freeByHeaders();
    const ends = [...spends.values()].map((spend) => endOf(spend, nowMs)).sort((a, b) => a - b);
    const headersMs = told === null ? 0 : told.endsMs - nowMs;
    const blockedMs = Math.max(0, blockedUntilMs - nowMs);
    // The slot of a position: one that is free now, or the one whose spend ends next; then the same a window later.
    const byLogMs = (position: number) => {
      const slot = (position % perWindow) - byLog;
      const laterMs = Math.floor(position / perWindow) * countsMs;
      return slot < 0 ? laterMs : (ends[slot] ?? nowMs) - nowMs + laterMs;
    };
    const startsInMs = (position: number) => {
      const place = position + kept;
      return Math.max(0, blockedMs, byLogMs(place), place < byHeaders ? 0 : headersMs);
    };
    const left = Math.max(0, Math.min(byLog, byHeaders)) / perWindow;
    return { startsInMs, blockedMs, retryInMs: Math.max(0, startsInMs(0) - GUARD_MS), left, perWindow };
  }

  /** When a spend stops counting, guessing that what is on the wire lands now. */
  function endOf(spend: Spend, nowMs: number): number {
    return spend.landed ? spend.untilMs : nowMs + countsMs;
  }

  function land({ id, quota, blockMs }: Landing, nowMs: number): void {
    spends.set(id, { untilMs: nowMs + countsMs, flyingUntilMs: 0, landed: true });
    if (blockMs > 0) blockedUntilMs = Math.max(blockedUntilMs, nowMs + blockMs);
    if (quota !== null) believe(quota, nowMs);
    else if (limit === null) limit = UNLIMITED;
  }

  /** The lowest rest of the running window counts: answers overtake each other. */
  function believe(quota: QuotaLeft, nowMs: number): void {
    limit = Math.max(1, quota.limit);
    const endsMs = nowMs + quota.resetSeconds * 1000 + GUARD_MS;
    if (told === null || endsMs > told.endsMs + SAME_WINDOW_MS) told = { remaining: quota.remaining, endsMs };
    else told.remaining = Math.min(told.remaining, quota.remaining);
  }

  return {
    take,
    land,
    drop(ids) {
      for (const id of ids) if (spends.get(id)?.landed === false) spends.delete(id);
    },
  };
}
