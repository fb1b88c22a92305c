import { createHash } from 'node:crypto';
import type { QuotaLeft } from '../../../kernel/trace.js';
import {
  type AccountRules,
  type Grant,
  type GrantRequest,
  type Headroom,
  isBulk,
  type Landing,
  type LocalFallback,
  type PaceScope,
  type Sharing,
  type WindowScope,
} from './account.js';

/**
 * The rules of the two kinds of account: of a window (so many calls a minute), and of a pace (so many a second).
 *
 * The arithmetic of a window says how many calls of a request for permits may go now, and when the others can.
 * Quantities are calls, unless a name ends in `Ms` or it is a fraction from 0 to 1 (`headroom`, `left`):
 *
 *     freeByLog      = limit − calls that count              what our own log leaves
 *     remaining      = the lowest in this window's headers   what the service had left after a response
 *     freeByHeaders  = remaining − reserved − in flight      what is left of that for new calls
 *     headroomCalls  = ⌈limit × headroom⌉                    what this class of calls must leave; if bulk,
 *                      ⌈(free without headroom + bulk) / 2⌉    half of what there would be without bulk calls
 *     free           = min(freeByLog, freeByHeaders) − headroomCalls
 *     mostInFlight   = a tenth of the limit, from 1 to 8; more while headers report plenty, up to 32
 *
 * Example: a limit of 60, an unused account, no headers yet, and 100 reads at once. `freeByLog` and so `free` are 60: 60
 * reads get a place, and 40 none. `mostInFlight` is 6: 6 are sent, 54 are reserved. The first of the 40 can go when the
 * first call that is sent stops counting: a window and a second after it has landed, at the earliest in 61 s.
 *
 * A moment later the 6 have landed, and the headers say that 54 remain. All 60 count still: `freeByLog` is 0.
 * `remaining` covers the 54 reserved ones, so that all stay reserved but the next 6, which are sent.
 *
 * A replica that has lost the others must fit its share too, so that a grant may have to fit two such capacities: the
 * whole account, and the share. A share of less than one call, as of 2 calls among 4 replicas, becomes one call in every
 * few windows, at a moment of the replica's own (`turnOf`).
 */

/** The account of one window: our own log of calls, and what the service reported. Times are monotonic milliseconds. */
export interface WindowAccount {
  /** What headers have reported; null if nothing yet. */
  readonly limit: number | null;
  /** Until then a limit below the documented one holds, unless another response confirms it. */
  readonly limitUntilMs: number;
  readonly reported: Reported | null;
  readonly blockedUntilMs: number;
  readonly spends: ReadonlyMap<string, Spend>;
}

/** What is left of the current window according to headers. */
export interface Reported {
  readonly remaining: number;
  readonly endsMs: number;
}

/**
 * One call that has not landed, or those of a replica that landed at the same moment. A reserved call counts until its
 * lease ends; one in flight until a window after that, because its landing may be lost.
 */
export interface Spend {
  readonly state: (typeof STATES)[number];
  readonly untilMs: number;
  readonly calls: number;
}

const STATES = ['reserved', 'inFlight', 'landed'] as const;

/** Effectively no limit, for a service that announces none. */
const UNLIMITED = 1_000_000;

/** Added to every end that a service names, because services round them. */
const GUARD_MS = 1000;
/** Landings in the same quarter of a second share an entry, so that an account stays small whatever its calls. */
const MOMENT_MS = 250;
/** Windows whose ends differ by less are the same, because services round to seconds. */
const SAME_WINDOW_MS = 2000;
/** For so many windows a limit below the documented one holds without a response that confirms it. */
const LIMIT_HOLDS_WINDOWS = 3;

/**
 * What is free is the smaller of what log and headers leave, so that neither a first burst (no headers yet) nor another
 * user of the key (not in the log) leads to a refusal.
 */
export function windowRules(scope: WindowScope): AccountRules<WindowAccount> {
  return {
    empty: { limit: null, limitUntilMs: 0, reported: null, blockedUntilMs: 0, spends: new Map() },
    take: (account, request, sharing) => takeFromWindow(expire(account, sharing.nowMs), request, sharing, scope),
    land: (account, landing, nowMs) => landInWindow(expire(account, nowMs), landing, nowMs, scope),
    drop(account, ids) {
      const spends = new Map(account.spends);
      for (const id of ids) spends.delete(id);
      return { ...account, spends };
    },
    merge,
    matters({ spends, reported, blockedUntilMs }, nowMs) {
      const untilMs = [blockedUntilMs, reported?.endsMs ?? 0, ...[...spends.values()].map((spend) => spend.untilMs)];
      return untilMs.some((ms) => ms > nowMs);
    },
    write: (account, nowMs) => writeWindow(expire(account, nowMs), nowMs),
    read: readWindow,
  };
}

/** How long a call counts after landing, or after its lease if it never lands. */
function countsMsOf({ windowMs }: WindowScope): number {
  return windowMs + GUARD_MS;
}

function takeFromWindow(
  account: WindowAccount,
  { ids, headroom, leaseMs }: GrantRequest,
  sharing: Sharing<WindowAccount>,
  scope: WindowScope,
): readonly [WindowAccount, Grant] {
  const { nowMs } = sharing;
  const countsMs = countsMsOf(scope);
  const reserved = ids.filter((id) => account.spends.has(id)).length;
  const grant = grantFrom(capacitiesOf(account, sharing, scope), {
    reserved,
    fresh: ids.length - reserved,
    headroom,
    countsMs,
    blockedMs: Math.max(0, account.blockedUntilMs - nowMs),
    headersEndInMs: account.reported === null ? 0 : account.reported.endsMs - nowMs,
  });
  const places = grant.granted + grant.reserved;
  const spends = new Map(account.spends);
  for (const [place, id] of ids.entries()) {
    const leaseEndsMs = nowMs + leaseMs;
    if (place < grant.granted) spends.set(id, { state: 'inFlight', untilMs: leaseEndsMs + countsMs, calls: 1 });
    else if (place < places) spends.set(id, { state: 'reserved', untilMs: leaseEndsMs, calls: 1 });
    else spends.delete(id);
  }
  // Returning the same account saves a write when nothing changes.
  const next = reserved + places === 0 ? account : { ...account, spends };
  // A caller who retries exactly when the service allows it waits out the guard second in the queue.
  return [next, { ...grant, retryInMs: (position) => Math.max(0, grant.startsInMs(position) - GUARD_MS) }];
}

function landInWindow(account: WindowAccount, { id, quota, blockMs }: Landing, nowMs: number, scope: WindowScope) {
  // A response without headers shows that the service announces no limit.
  const limitWhenSilent = account.limit ?? (scope.limit === null ? UNLIMITED : null);
  const blockedUntilMs = blockMs === null ? 0 : nowMs + blockMs + GUARD_MS;
  return {
    limit: quota === null ? limitWhenSilent : Math.max(1, quota.limit),
    limitUntilMs: quota === null ? account.limitUntilMs : nowMs + LIMIT_HOLDS_WINDOWS * scope.windowMs,
    reported: quota === null ? account.reported : mergeReports(account.reported, reportOf(quota, nowMs + GUARD_MS)),
    blockedUntilMs: Math.max(account.blockedUntilMs, blockedUntilMs),
    spends: withLanding(account.spends, id, nowMs + countsMsOf(scope)),
  };
}

/** The limit as reported, unless it is lower than documented and no response has confirmed it for some windows. */
function limitOf({ limit, limitUntilMs }: WindowAccount, scope: WindowScope, nowMs: number): number | null {
  const isForgotten = limit !== null && scope.limit !== null && limit < scope.limit && nowMs >= limitUntilMs;
  return isForgotten ? scope.limit : (limit ?? scope.limit);
}

function expire(account: WindowAccount, nowMs: number): WindowAccount {
  const reported = account.reported !== null && account.reported.endsMs <= nowMs ? null : account.reported;
  let expired = 0;
  account.spends.forEach(({ untilMs }) => {
    if (untilMs <= nowMs) expired += 1;
  });
  if (reported === account.reported && expired === 0) return account;
  const spends = new Map([...account.spends].filter(([, { untilMs }]) => untilMs > nowMs));
  return { ...account, reported, spends };
}

/** The log with one more call landed, in the entry of all calls of its replica that landed at this moment. */
function withLanding(spends: WindowAccount['spends'], id: string, untilMs: number): WindowAccount['spends'] {
  const moment = Math.ceil(untilMs / MOMENT_MS);
  const entry = `${replicaOf(id)}.${isBulk(id) ? '~' : ''}@${moment.toString(36)}`;
  const landed = new Map(spends);
  landed.delete(id);
  const calls = 1 + (spends.get(entry)?.calls ?? 0);
  return landed.set(entry, { state: 'landed', untilMs: moment * MOMENT_MS, calls });
}

/** The report of headers read at a moment. */
export function reportOf({ remaining, resetSeconds }: QuotaLeft, readAtMs: number): Reported {
  return { remaining, endsMs: readAtMs + resetSeconds * 1000 };
}

/**
 * What is known about the current window after a response: the lowest `remaining`, because responses overtake each
 * other, and the earliest end, because a late response makes the end seem later, never earlier.
 */
export function mergeReports(known: Reported | null, next: Reported): Reported {
  // An end later by more than rounding belongs to the next window, about which the known figures say nothing.
  if (known === null || next.endsMs > known.endsMs + SAME_WINDOW_MS) return next;
  return { remaining: Math.min(known.remaining, next.remaining), endsMs: Math.min(known.endsMs, next.endsMs) };
}

/** A replica's own record of its calls counts; for others' calls the store's does, plus what the replica remembers. */
function merge(stored: WindowAccount, known: WindowAccount, replica: string): WindowAccount {
  return {
    ...(stored.limit === null
      ? { limit: known.limit, limitUntilMs: known.limitUntilMs }
      : { limit: stored.limit, limitUntilMs: stored.limitUntilMs }),
    reported: known.reported === null ? stored.reported : mergeReports(stored.reported, known.reported),
    blockedUntilMs: Math.max(stored.blockedUntilMs, known.blockedUntilMs),
    spends: new Map([...known.spends, ...[...stored.spends].filter(([id]) => replicaOf(id) !== replica)]),
  };
}

/** What log and headers allow all replicas, or one of them. */
interface Allowed {
  /** Null when unknown. */
  readonly limit: number | null;
  readonly remaining: number;
  /** Milliseconds until it allows a call again, where the limit is zero for now. */
  readonly opensInMs: number;
}

/** The whole account, the share of it that a replica may use locally, or both if neither may be exceeded. */
function capacitiesOf(account: WindowAccount, sharing: Sharing<WindowAccount>, scope: WindowScope) {
  const { nowMs } = sharing;
  const countsMs = countsMsOf(scope);
  const remaining = account.reported?.remaining ?? UNLIMITED;
  const all: Allowed = { limit: limitOf(account, scope, nowMs), remaining, opensInMs: countsMs };
  const capacityOf = (allowed: Allowed, isWanted: (id: string) => boolean): Capacity => {
    const { spent, reserved, inFlight, pending, bulk } = tally(account, isWanted, nowMs + countsMs);
    // An undocumented limit is discovered with a single call.
    const limit = allowed.limit ?? 1;
    return {
      limit,
      freeByLog: limit - spent,
      reserved,
      inFlight,
      bulk,
      remaining,
      opensInMs: allowed.opensInMs,
      freeByHeaders: allowed.remaining - pending,
      endsInMs: () =>
        [...account.spends].flatMap(([id, { state, untilMs, calls }]) =>
          Array<number>(isWanted(id) ? calls : 0).fill(state === 'landed' ? untilMs - nowMs : countsMs),
        ),
    };
  };
  const whole = () => capacityOf(all, () => true);
  if (sharing.kind === 'shared') return [whole()];
  const { kind, fallback } = sharing;
  const own = capacityOf(shareOf(all, fallback, account, nowMs), isOf(fallback.replica));
  return kind === 'local' ? [own] : [whole(), own];
}

function isOf(replica: string): (id: string) => boolean {
  return (id) => replicaOf(id) === replica;
}

/** The replica that created a call's id. */
function replicaOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

/** How many calls count; of these, how many are bulk, have not landed (pending), are not yet sent, and are in flight. */
function tally({ spends }: WindowAccount, isWanted: (id: string) => boolean, flightsEndMs = 0) {
  const sum = { spent: 0, bulk: 0, pending: 0, reserved: 0, inFlight: 0 };
  spends.forEach(({ state, untilMs, calls }, id) => {
    if (!isWanted(id)) return;
    sum.spent += calls;
    if (isBulk(id)) sum.bulk += calls;
    if (state === 'landed') return;
    sum.pending += 1;
    if (state === 'reserved') sum.reserved += 1;
    // A call that never lands is in flight until its lease ends, one window before it stops counting.
    else if (untilMs > flightsEndMs) sum.inFlight += 1;
  });
  return sum;
}

/**
 * In local fallback a replica keeps what it had, and takes its share of what was free when the account was last seen.
 * Replicas with calls in it saw the same, and divide that among themselves; each of the others, which may not have seen
 * it, is left an equal part of the whole. All shares add up to the whole.
 */
function shareOf(
  all: Allowed,
  { replica, seen, sinceMs, replicas }: LocalFallback<WindowAccount>,
  now: WindowAccount,
  nowMs: number,
): Allowed {
  const { limit, remaining } = all;
  const isOwn = isOf(replica);
  const present = new Set([...seen.spends.keys()].map(replicaOf)).add(replica).size;
  const count = Math.max(present, replicas);
  const counting = expire(seen, nowMs);
  const own = tally(counting, isOwn);
  const others = tally(counting, (id) => !isOwn(id));
  // `remaining` no longer includes landed calls: of the calls it had, only those still to landInWindow are added back.
  const stillPending = tally(now, (id) => isOwn(id) && seen.spends.has(id)).pending;
  const share = (calls: number, ofOwn: number, ofOthers: number) => {
    // Rounded up: an absent replica leaves this much to each of the others, and takes the remainder.
    const leftToAbsent = (count - present) * Math.ceil(calls / count);
    return ofOwn + Math.floor(Math.max(0, calls - leftToAbsent - ofOthers - ofOwn) / present);
  };
  const part = limit === null ? null : share(limit, own.spent, others.spent);
  // What counts already is shared as it was; afterwards, the part stays at zero.
  if (part === 0 && limit !== null && limit > 0 && own.spent + others.spent === 0) {
    const isSpent = tally(now, isOwn).spent > 0;
    return turnOf({ ...all, limit }, { replica, count, isSpent, elapsedMs: nowMs - sinceMs });
  }
  return { ...all, limit: part, remaining: share(remaining, stillPending, others.pending) };
}

/**
 * A part of less than one call a window: one call at a turn of the replica's own, which lasts a window and comes again
 * after so many windows that all replicas together spend half of the limit. Since nobody can ask the others, turns are
 * at random, and the other half is for those that coincide.
 */
function turnOf(
  { limit, remaining, opensInMs: windowMs }: Allowed & { readonly limit: number },
  { replica, count, isSpent, elapsedMs }: OwnTurn,
): Allowed {
  const cycleMs = Math.ceil((2 * count) / limit) * windowMs;
  const phaseMs = fractionOf(replica) * cycleMs;
  const inCycleMs = (elapsedMs + cycleMs - phaseMs) % cycleMs;
  const isOpen = elapsedMs >= phaseMs && inCycleMs < windowMs && !isSpent;
  return { limit: isOpen ? 1 : 0, remaining: Math.min(1, remaining), opensInMs: cycleMs - inCycleMs };
}

/** What a replica's turn depends on: how many there are, and whether it has spent the present one. */
interface OwnTurn {
  readonly replica: string;
  readonly count: number;
  readonly isSpent: boolean;
  /** Milliseconds since it lost the others. */
  readonly elapsedMs: number;
}

/** A number from 0 to below 1 that is a replica's own. */
function fractionOf(replica: string): number {
  return createHash('sha256').update(replica).digest().readUInt32BE() / 2 ** 32;
}

/** An account as JSON. Times are whole milliseconds from `nowMs`, rounded up. */
function writeWindow({ limit, limitUntilMs, reported, blockedUntilMs, spends }: WindowAccount, nowMs: number): string {
  const inMs = (ms: number) => Math.ceil(ms - nowMs);
  const log = [...spends].map(([id, { state, untilMs, calls }]) => [id, STATES.indexOf(state), inMs(untilMs), calls]);
  const report = reported === null ? null : [reported.remaining, inMs(reported.endsMs)];
  return JSON.stringify([limit, report, Math.max(0, inMs(blockedUntilMs)), log, Math.max(0, inMs(limitUntilMs))]);
}

type Snapshot = [number | null, [number, number] | null, number, [string, number, number, number][], number?];

/** Nothing in an account counts for longer, and the store drops what is untouched for as long (`ports.ts`). */
const LONGEST_MS = 10 * 60_000;
/** No service lets more calls through in a quarter of a second, in which those that land share an entry. */
const MOST_CALLS = 10_000;

/**
 * Reads what `writeWindow` wrote in this or another process. The text may come from another version or from somebody
 * else, so that nothing of it counts for longer, or for more, than a call can.
 */
export function readWindow(snapshot: string, nowMs: number): WindowAccount {
  // Earlier versions do not say for how long the limit holds.
  const [limit, report, blockedMs, log, limitMs = LONGEST_MS]: Snapshot = JSON.parse(snapshot);
  const until = (ms: number) => nowMs + bounded(ms, { least: -LONGEST_MS, most: LONGEST_MS });
  return {
    limit: limit === null ? null : bounded(limit, { least: 0, most: UNLIMITED }),
    limitUntilMs: until(limitMs),
    reported:
      report === null
        ? null
        : { remaining: bounded(report[0], { least: -UNLIMITED, most: UNLIMITED }), endsMs: until(report[1]) },
    blockedUntilMs: until(blockedMs),
    spends: new Map(
      log.map(([id, state, ms, calls]) => [
        String(id),
        {
          state: STATES[state] ?? 'landed',
          untilMs: until(ms),
          calls: Math.round(bounded(calls, { least: 0, most: MOST_CALLS })),
        },
      ]),
    ),
  };
}

/** A number of a text as far as it is within bounds; the least for what is no number. */
function bounded(value: unknown, { least, most }: { readonly least: number; readonly most: number }): number {
  return typeof value === 'number' ? Math.max(least, Math.min(value, most)) : least;
}

/** The arithmetic at the head of this file. Where several capacities apply, each must have room. */
function grantFrom(capacities: readonly Capacity[], demand: Demand): Omit<Grant, 'retryInMs'> {
  const { reserved, fresh, headroom, blockedMs, headersEndInMs } = demand;
  const isBlocked = blockedMs > 0;
  const leastOf = (of: (capacity: Capacity) => number) => Math.min(...capacities.map(of));
  const usableByHeaders = (one: Capacity) => one.remaining - headroomCalls(one, headroom);
  // Reserved calls lose their places if the headers leave fewer, which only another user of the key can cause. Their
  // callers are then refused early enough to go elsewhere.
  const stillReserved = leastOf((one) => usableByHeaders(one) - (one.reserved - reserved));
  const free = isBlocked ? 0 : leastOf((one) => freePlaces(one, headroom));
  const places = clamp(reserved, stillReserved) + clamp(fresh, free);
  // The headers may or may not include the calls in flight.
  const mayBeSent = isBlocked ? 0 : leastOf((one) => Math.min(mostInFlight(one), usableByHeaders(one)) - one.inFlight);
  const granted = clamp(places, mayBeSent);
  const newPlaces = places - reserved;
  const left = leastOf((one) => (freePlaces(one, 0) - newPlaces) / Math.max(1, one.limit));
  const startsInMsOf = capacities.map((one) => startsIn(one, demand));
  return {
    granted,
    reserved: places - granted,
    blockedMs,
    left: Math.max(0, left),
    resumesInMs: Math.min(Number.POSITIVE_INFINITY, ...[blockedMs, headersEndInMs].filter((ms) => ms > 0)),
    startsInMs: (position) =>
      Math.max(blockedMs, ...startsInMsOf.map((startsInMs) => startsInMs(newPlaces + position))),
  };
}

/** How many calls a window's account, or a replica's share of it, can grant at one moment. */
interface Capacity {
  readonly limit: number;
  readonly reserved: number;
  readonly inFlight: number;
  /** Bulk calls that count. */
  readonly bulk: number;
  /** Negative when a share has shrunk. */
  readonly freeByLog: number;
  /** `UNLIMITED` without headers. */
  readonly remaining: number;
  readonly freeByHeaders: number;
  /** Milliseconds until a call may go where the limit is zero. */
  readonly opensInMs: number;
  /** Milliseconds until each call that counts stops counting, if only calls in flight land from now on. */
  endsInMs(): number[];
}

/** The calls of one request for permits, and the conditions that apply. */
interface Demand {
  /** How many of them are already reserved, and how many are not. */
  readonly reserved: number;
  readonly fresh: number;
  readonly headroom: Headroom;
  /** How long a call counts after landing. */
  readonly countsMs: number;
  readonly blockedMs: number;
  /** Milliseconds until the headers' window ends; 0 when they report none. */
  readonly headersEndInMs: number;
}

/**
 * When a call without a place can have one, by its position among such calls. The calls that count stop one after the
 * other, and each makes room for the next one without a place; after `limit` of those, it is the turn of the first again,
 * which then counts for a whole window more.
 */
function startsIn(capacity: Capacity, { countsMs, headersEndInMs, headroom }: Demand): (position: number) => number {
  const { limit, freeByLog, freeByHeaders } = capacity;
  // Sorted only if a call has to wait: most go at once.
  let endsInMs: number[] | null = null;
  const byLogMs = (place: number) => {
    if (limit <= 0) return capacity.opensInMs;
    endsInMs ??= capacity.endsInMs().sort((a, b) => a - b);
    const wholeWindows = Math.floor(place / limit);
    return (endsInMs[(place % limit) - freeByLog] ?? 0) + wholeWindows * countsMs;
  };
  return (position) => {
    if (position < freePlaces(capacity, headroom)) return 0;
    const place = position + headroomCalls(capacity, headroom);
    return Math.max(byLogMs(place), place < freeByHeaders ? 0 : headersEndInMs);
  };
}

/** How many more calls can be reserved, by both log and headers. */
function freePlaces(capacity: Capacity, headroom: Headroom): number {
  return Math.min(capacity.freeByLog, capacity.freeByHeaders) - headroomCalls(capacity, headroom);
}

function headroomCalls(capacity: Capacity, headroom: Headroom): number {
  if (typeof headroom === 'number') return Math.ceil(capacity.limit * headroom);
  return Math.ceil(Math.max(0, freePlaces(capacity, 0) + capacity.bulk) / 2);
}

/** Most calls in flight when little of a window is left, or its service does not report how much is. */
const MAX_AT_END = 8;
/** As many as the bulkhead lets through. */
const MAX_IN_FLIGHT = 32;

/**
 * How many calls of a scope may be in flight at once: the fewer, the less harm another user of the key does. While the
 * service reports plenty left, a tenth of that may be in flight.
 */
function mostInFlight({ limit, freeByLog, remaining }: Capacity): number {
  const atTheEnd = Math.min(MAX_AT_END, Math.max(1, Math.floor(limit / 10)));
  if (remaining >= UNLIMITED) return atTheEnd;
  return Math.max(atTheEnd, Math.min(MAX_IN_FLIGHT, Math.floor(Math.min(remaining, freeByLog) / 10)));
}

function clamp(wanted: number, most: number): number {
  return Math.max(0, Math.min(wanted, most));
}

/** A refusal halves the pace; this much of the full pace comes back each second. */
const REGAINED_PER_SECOND = 0.1;
const SLOWEST = 1 / 32;

/** The account of a pace: a token bucket of calls. */
export interface PaceAccount {
  readonly calls: number;
  /** Fraction of the pace that may be used. */
  readonly throttle: number;
  readonly atMs: number;
}

/**
 * Nothing is reserved in a token bucket: what it grants is sent. In local fallback a replica keeps to an equal part of
 * the pace. While merging it uses all of it: the others stayed within the pace too, and a bucket has no memory.
 */
export function paceRules({ perSecond, burst }: PaceScope): AccountRules<PaceAccount> {
  function refill({ calls, throttle, atMs }: PaceAccount, nowMs: number, parts = 1): PaceAccount {
    const seconds = Math.max(0, nowMs - atMs) / 1000;
    return {
      calls: Math.min((burst / parts) * throttle, calls + (perSecond / parts) * throttle * seconds),
      throttle: Math.min(1, throttle + REGAINED_PER_SECOND * seconds),
      atMs: nowMs,
    };
  }

  return {
    empty: { calls: burst, throttle: 1, atMs: 0 },
    take(account, { ids, headroom }, sharing: Sharing<PaceAccount>) {
      const { nowMs } = sharing;
      const fallback = sharing.kind === 'local' ? sharing.fallback : null;
      const parts = fallback?.replicas ?? 1;
      // What the others have just sent is unknown, so the bucket starts empty.
      const isOld = fallback !== null && account.atMs <= fallback.sinceMs;
      const from = isOld ? { ...account, calls: 0, atMs: fallback.sinceMs } : account;
      const filled = refill(from, nowMs, parts);
      const free = filled.calls - (typeof headroom === 'number' ? (burst / parts) * headroom : filled.calls / 2);
      const granted = Math.max(0, Math.min(ids.length, Math.floor(free)));
      const next = { ...filled, calls: filled.calls - granted };
      return [next, grantOf(granted, free - granted, (perSecond / parts) * filled.throttle)];
    },
    land(account, { blockMs }, nowMs) {
      if (blockMs === null) return account;
      return { calls: 0, throttle: Math.max(SLOWEST, refill(account, nowMs).throttle / 2), atMs: nowMs };
    },
    drop: (account, ids) => ({ ...account, calls: Math.min(burst, account.calls + ids.length) }),
    merge: (stored, known) => ({ ...stored, throttle: Math.min(stored.throttle, known.throttle) }),
    matters(account, nowMs) {
      const { calls, throttle } = refill(account, nowMs);
      return calls < burst || throttle < 1;
    },
    write: (account, nowMs) => JSON.stringify([account.calls, account.throttle, Math.round(nowMs - account.atMs)]),
    read(snapshot, nowMs) {
      const [calls, throttle, agoMs]: [number, number, number] = JSON.parse(snapshot);
      return {
        calls: bounded(calls, { least: 0, most: burst }),
        throttle: bounded(throttle, { least: SLOWEST, most: 1 }),
        atMs: nowMs - bounded(agoMs, { least: 0, most: LONGEST_MS }),
      };
    },
  };
}

function grantOf(granted: number, free: number, perSecond: number): Grant {
  const startsInMs = (position: number) => Math.max(0, ((position + 1 - free) / perSecond) * 1000);
  return { granted, reserved: 0, resumesInMs: Infinity, startsInMs, retryInMs: startsInMs, blockedMs: 0, left: 1 };
}
