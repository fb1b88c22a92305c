import type { QuotaLeft } from '../../../schema/trace.js';
import type { AccountRules, Grant, GrantRequest, Landing, LocalFallback, Standing } from './account.js';
import { replicaOf } from './account.js';
import { type Capacity, grantFrom, UNLIMITED } from './capacity.js';
import type { WindowScope } from './scope.js';

/** The account of one window: our own log of calls, and what the service reported. Times are monotonic milliseconds. */
export interface WindowAccount {
  /** What headers have reported; null if nothing yet. */
  readonly limit: number | null;
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

/** Added to every end that a service names, because services round them. */
const GUARD_MS = 1000;
/** Landings in the same quarter of a second share an entry, so that an account stays small whatever its calls. */
const MOMENT_MS = 250;
/** Windows whose ends differ by less are the same, because services round to seconds. */
const SAME_WINDOW_MS = 2000;

/**
 * What is free is the smaller of what log and headers leave, so that neither a first burst (no headers yet) nor another
 * user of the key (not in the log) leads to a refusal.
 */
export function windowRules(scope: WindowScope): AccountRules<WindowAccount> {
  return {
    empty: { limit: null, reported: null, blockedUntilMs: 0, spends: new Map() },
    take: (account, request, standing) => take(expire(account, standing.nowMs), request, standing, scope),
    land: (account, landing, nowMs) => land(expire(account, nowMs), landing, nowMs, scope),
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

function take(
  account: WindowAccount,
  { ids, headroom, leaseMs }: GrantRequest,
  standing: Standing<WindowAccount>,
  scope: WindowScope,
): readonly [WindowAccount, Grant] {
  const { nowMs } = standing;
  const countsMs = countsMsOf(scope);
  const reserved = ids.filter((id) => account.spends.has(id)).length;
  const grant = grantFrom(capacitiesOf(account, standing, scope), {
    ...{ reserved, fresh: ids.length - reserved, headroom, countsMs },
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

function land(account: WindowAccount, { id, quota, blockMs }: Landing, nowMs: number, scope: WindowScope) {
  // A response without headers shows that the service announces no limit.
  const limitWhenSilent = account.limit ?? (scope.limit === null ? UNLIMITED : null);
  const blockedUntilMs = blockMs === null ? 0 : nowMs + blockMs + GUARD_MS;
  return {
    limit: quota === null ? limitWhenSilent : Math.max(1, quota.limit),
    reported: quota === null ? account.reported : mergeReports(account.reported, reportOf(quota, nowMs + GUARD_MS)),
    blockedUntilMs: Math.max(account.blockedUntilMs, blockedUntilMs),
    spends: withLanding(account.spends, id, nowMs + countsMsOf(scope)),
  };
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
  const entry = `${replicaOf(id)}.@${moment.toString(36)}`;
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
    limit: stored.limit ?? known.limit,
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
}

/** The whole account, the share of it that a replica may use locally, or both if neither may be exceeded. */
function capacitiesOf(account: WindowAccount, standing: Standing<WindowAccount>, scope: WindowScope) {
  const { nowMs } = standing;
  const countsMs = countsMsOf(scope);
  const remaining = account.reported?.remaining ?? UNLIMITED;
  const all: Allowed = { limit: account.limit ?? scope.limit, remaining };
  const capacityOf = (allowed: Allowed, isWanted: (id: string) => boolean): Capacity => {
    const { spent, reserved, inFlight, pending } = tally(account, isWanted, nowMs + countsMs);
    // An undocumented limit is discovered with a single call.
    const limit = allowed.limit ?? 1;
    return {
      ...{ limit, freeByLog: limit - spent, reserved, inFlight, remaining },
      freeByHeaders: allowed.remaining - pending,
      endsInMs: () =>
        [...account.spends].flatMap(([id, { state, untilMs, calls }]) =>
          Array<number>(isWanted(id) ? calls : 0).fill(state === 'landed' ? untilMs - nowMs : countsMs),
        ),
    };
  };
  const whole = () => capacityOf(all, () => true);
  if (standing.kind === 'shared') return [whole()];
  const { kind, fallback } = standing;
  const own = capacityOf(shareOf(all, fallback, account, nowMs), isOf(fallback.replica));
  return kind === 'local' ? [own] : [whole(), own];
}

function isOf(replica: string): (id: string) => boolean {
  return (id) => replicaOf(id) === replica;
}

/** How many calls count; of these, how many have not landed (pending), are not yet sent, and are in flight. */
function tally({ spends }: WindowAccount, isWanted: (id: string) => boolean, flightsEndMs = 0) {
  const sum = { spent: 0, pending: 0, reserved: 0, inFlight: 0 };
  spends.forEach(({ state, untilMs, calls }, id) => {
    if (!isWanted(id)) return;
    sum.spent += calls;
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
  { limit, remaining }: Allowed,
  { replica, seen, replicas }: LocalFallback<WindowAccount>,
  now: WindowAccount,
  nowMs: number,
): Allowed {
  const isOwn = isOf(replica);
  const present = new Set([...seen.spends.keys()].map(replicaOf)).add(replica).size;
  const all = Math.max(present, replicas);
  const counting = expire(seen, nowMs);
  const own = tally(counting, isOwn);
  const others = tally(counting, (id) => !isOwn(id));
  // `remaining` no longer includes landed calls: of the calls it had, only those still to land are added back.
  const stillPending = tally(now, (id) => isOwn(id) && seen.spends.has(id)).pending;
  const share = (calls: number, ofOwn: number, ofOthers: number) => {
    // Rounded up: an absent replica leaves this much to each of the others, and takes the remainder.
    const leftToAbsent = (all - present) * Math.ceil(calls / all);
    return ofOwn + Math.floor(Math.max(0, calls - leftToAbsent - ofOthers - ofOwn) / present);
  };
  return {
    limit: limit === null ? null : share(limit, own.spent, others.spent),
    remaining: share(remaining, stillPending, others.pending),
  };
}

/** An account as JSON. Times are whole milliseconds from `nowMs`, rounded up. */
function writeWindow({ limit, reported, blockedUntilMs, spends }: WindowAccount, nowMs: number): string {
  const inMs = (ms: number) => Math.ceil(ms - nowMs);
  const log = [...spends].map(([id, { state, untilMs, calls }]) => [id, STATES.indexOf(state), inMs(untilMs), calls]);
  const report = reported === null ? null : [reported.remaining, inMs(reported.endsMs)];
  return JSON.stringify([limit, report, Math.max(0, inMs(blockedUntilMs)), log]);
}

type Snapshot = [number | null, [number, number] | null, number, [string, number, number, number][]];

/** Reads what `writeWindow` wrote in this or another process of the same version. */
export function readWindow(snapshot: string, nowMs: number): WindowAccount {
  const [limit, report, blockedMs, log]: Snapshot = JSON.parse(snapshot);
  return {
    limit,
    reported: report === null ? null : { remaining: report[0], endsMs: nowMs + report[1] },
    blockedUntilMs: nowMs + blockedMs,
    spends: new Map(
      log.map(([id, state, inMs, calls]) => [id, { state: STATES[state] ?? 'landed', untilMs: nowMs + inMs, calls }]),
    ),
  };
}
