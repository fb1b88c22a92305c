import type { QuotaLeft } from '../../../schema/trace.js';
import type { AccountRules, Grant, GrantRequest, Landing, LocalFallback, Standing } from './account.js';
import { GUARD_MS, replicaOf, UNLIMITED } from './account.js';
import { allot, type Capacity, type Demand, estimateWindowWait } from './capacity.js';
import type { WindowScope } from './scope.js';

/** The account of one window: our own log of calls, and what the service said. Times are monotonic milliseconds. */
export interface WindowAccount {
  /** What the headers said; null when they have said nothing. */
  readonly limit: number | null;
  readonly reported: Reported | null;
  readonly blockedUntilMs: number;
  readonly spends: ReadonlyMap<string, Spend>;
}

/** What the headers left of the current window. */
export interface Reported {
  readonly remaining: number;
  readonly endsMs: number;
}

/**
 * One call that has not landed, or those of a replica that landed in the same moment. A reserved one counts until its
 * lease ends; one in flight until a window after that, because its landing may be lost.
 */
export interface Spend {
  readonly state: (typeof STATES)[number];
  readonly untilMs: number;
  readonly calls: number;
}

const STATES = ['reserved', 'inFlight', 'landed'] as const;

/** Landings in the same quarter of a second are one entry: however many calls a window holds, an account stays small. */
const MOMENT_MS = 250;

/** Windows whose ends differ by less are the same one: services round to seconds. */
const SAME_WINDOW_MS = 2000;

/**
 * What is free is the smaller of what log and headers leave, so that neither a first burst (no header yet) nor a
 * stranger on the key (not in the log) runs into a refusal.
 */
export function windowRules(scope: WindowScope): AccountRules<WindowAccount> {
  return {
    empty: { limit: null, reported: null, blockedUntilMs: 0, spends: new Map() },
    take: (account, request, standing) => take(expire(account, standing.nowMs), request, standing, scope),
    land: (account, landing, nowMs) => land(expire(account, nowMs), landing, nowMs, scope),
    drop,
    withOwn,
    merge,
    matters(account, nowMs) {
      const { spends, reported, blockedUntilMs } = expire(account, nowMs);
      return spends.size > 0 || reported !== null || blockedUntilMs > nowMs;
    },
    write: (account, nowMs) => writeWindow(expire(account, nowMs), nowMs),
    read: readWindow,
  };
}

/** How long a call counts after its landing, or after its lease if it never lands. */
function countsMsOf({ windowMs }: WindowScope): number {
  return windowMs + GUARD_MS;
}

function take(
  account: WindowAccount,
  request: GrantRequest,
  standing: Standing<WindowAccount>,
  scope: WindowScope,
): readonly [WindowAccount, Grant] {
  const { ids, headroom } = request;
  const { nowMs } = standing;
  const held = ids.filter((id) => account.spends.has(id)).length;
  const demand: Demand = {
    ...{ held, fresh: ids.length - held, headroom },
    countsMs: countsMsOf(scope),
    blockedMs: Math.max(0, account.blockedUntilMs - nowMs),
    headersEndInMs: account.reported === null ? 0 : account.reported.endsMs - nowMs,
  };
  const { granted, placed } = allot(demand, capacitiesOf(account, standing, scope));
  const spends = new Map(account.spends);
  for (const [place, id] of ids.entries()) {
    const leaseEndsMs = nowMs + request.leaseMs;
    if (place < granted) spends.set(id, { state: 'inFlight', untilMs: leaseEndsMs + demand.countsMs, calls: 1 });
    else if (place < placed) spends.set(id, { state: 'reserved', untilMs: leaseEndsMs, calls: 1 });
    else spends.delete(id);
  }
  // What changes nothing is not written.
  const next = held + placed === 0 ? account : { ...account, spends };
  const wait = estimateWindowWait(demand, capacitiesOf(next, standing, scope));
  return [next, { granted, reserved: placed - granted, ...wait }];
}

function land(account: WindowAccount, { id, quota, blockMs }: Landing, nowMs: number, scope: WindowScope) {
  // A response without headers shows that the service announces no limit.
  const limitWhenSilent = account.limit ?? (scope.limit === null ? UNLIMITED : null);
  return {
    limit: quota === null ? limitWhenSilent : Math.max(1, quota.limit),
    reported: quota === null ? account.reported : mergeReports(account.reported, reportOf(quota, nowMs)),
    blockedUntilMs: blockMs > 0 ? Math.max(account.blockedUntilMs, nowMs + blockMs) : account.blockedUntilMs,
    spends: withLanding(account.spends, id, nowMs + countsMsOf(scope)),
  };
}

function drop(account: WindowAccount, ids: readonly string[]): WindowAccount {
  const spends = new Map(account.spends);
  for (const id of ids) spends.delete(id);
  return { ...account, spends };
}

function expire(account: WindowAccount, nowMs: number): WindowAccount {
  const reported = account.reported !== null && account.reported.endsMs <= nowMs ? null : account.reported;
  const spends = [...account.spends].filter(([, { untilMs }]) => untilMs > nowMs);
  if (reported === account.reported && spends.length === account.spends.size) return account;
  return { ...account, reported, spends: new Map(spends) };
}

/** The log with one call landed, in the entry of all that its replica landed in this moment. */
function withLanding(spends: ReadonlyMap<string, Spend>, id: string, untilMs: number): ReadonlyMap<string, Spend> {
  const moment = Math.ceil(untilMs / MOMENT_MS);
  const entry = `${replicaOf(id)}.@${moment.toString(36)}`;
  const landed = new Map(spends);
  landed.delete(id);
  const calls = 1 + (spends.get(entry)?.calls ?? 0);
  return landed.set(entry, { state: 'landed', untilMs: moment * MOMENT_MS, calls });
}

function reportOf({ remaining, resetSeconds }: QuotaLeft, nowMs: number): Reported {
  return { remaining, endsMs: nowMs + resetSeconds * 1000 + GUARD_MS };
}

/**
 * What is known of the running window after a response: the lowest remaining, because responses overtake each other, and
 * the earliest end, because a late response names an end later than the truth, never an earlier one.
 */
export function mergeReports(known: Reported | null, next: Reported): Reported {
  // An end that is later by more than rounding is that of the next window, of which the known figures say nothing.
  if (known === null || next.endsMs > known.endsMs + SAME_WINDOW_MS) return next;
  return { remaining: Math.min(known.remaining, next.remaining), endsMs: Math.min(known.endsMs, next.endsMs) };
}

function withOwn(stored: WindowAccount, known: WindowAccount, replica: string): WindowAccount {
  const others = [...stored.spends].filter(([id]) => replicaOf(id) !== replica);
  const own = [...known.spends].filter(([id]) => replicaOf(id) === replica);
  return { ...stored, spends: new Map([...others, ...own]) };
}

function merge(stored: WindowAccount, known: WindowAccount, replica: string): WindowAccount {
  const { spends } = withOwn(stored, known, replica);
  return {
    limit: stored.limit ?? known.limit,
    reported: known.reported === null ? stored.reported : mergeReports(stored.reported, known.reported),
    blockedUntilMs: Math.max(stored.blockedUntilMs, known.blockedUntilMs),
    spends: new Map([...known.spends, ...spends]),
  };
}

/** What the account has, the share of it that a replica apart may use, or both when neither may be exceeded. */
function capacitiesOf(account: WindowAccount, standing: Standing<WindowAccount>, scope: WindowScope): Capacity[] {
  const { nowMs } = standing;
  const countsMs = countsMsOf(scope);
  const limit = account.limit ?? scope.limit;
  const remaining = account.reported?.remaining ?? UNLIMITED;
  const capacityOf = (spends: readonly Spend[], share: Share): Capacity => {
    const { spent, reserved, inFlight, pending } = tally(spends, nowMs + countsMs);
    return {
      // An undocumented limit is found out by one call.
      limit: limit === null ? 1 : share.ofLimit(limit),
      ...{ spent, reserved, inFlight, remaining },
      freeByHeaders: account.reported === null ? UNLIMITED : share.ofRemaining(remaining) - pending,
      endsInMs: () =>
        spends.flatMap(({ state, untilMs, calls }) =>
          Array<number>(calls).fill(state === 'landed' ? untilMs - nowMs : countsMs),
        ),
    };
  };
  const whole = () => capacityOf([...account.spends.values()], WHOLE);
  if (standing.kind === 'shared') return [whole()];
  const { kind, fallback } = standing;
  const own = capacityOf(spendsOf(account, fallback.replica, true), shareOf(fallback, account, nowMs));
  return kind === 'local' ? [own] : [whole(), own];
}

/** The entries of one replica, or those of all the others. */
function spendsOf({ spends }: WindowAccount, replica: string, own: boolean): Spend[] {
  return [...spends].filter(([id]) => (replicaOf(id) === replica) === own).map(([, spend]) => spend);
}

/** How many calls count; of these, how many have not landed (pending), were not sent yet, and are in flight. */
function tally(spends: readonly Spend[], flightsEndMs: number) {
  const sum = { spent: 0, pending: 0, reserved: 0, inFlight: 0 };
  for (const { state, untilMs, calls } of spends) {
    sum.spent += calls;
    if (state === 'landed') continue;
    sum.pending += 1;
    if (state === 'reserved') sum.reserved += 1;
    // A call that never landed is in flight until its lease ends, a window before it stops counting.
    else if (untilMs > flightsEndMs) sum.inFlight += 1;
  }
  return sum;
}

/** How many of the calls that a limit or the headers leave to all are this replica's. */
interface Share {
  ofLimit(calls: number): number;
  ofRemaining(calls: number): number;
}

const WHOLE: Share = { ofLimit: (calls) => calls, ofRemaining: (calls) => calls };

/**
 * A replica that counts apart keeps what it held, and takes its share of what was free when the account was seen last.
 * Replicas with calls in it saw the same and divide that among them; each of the others, which may have seen nothing of
 * it, is left an equal part of the whole. All shares together are the whole.
 */
function shareOf({ replica, seen, replicas }: LocalFallback<WindowAccount>, now: WindowAccount, nowMs: number): Share {
  const others = new Set([...seen.spends.keys()].map(replicaOf));
  const present = others.add(replica).size;
  const all = Math.max(present, replicas);
  const counting = (own: boolean) => tally(spendsOf(expire(seen, nowMs), replica, own), nowMs);
  const [held, taken] = [counting(true), counting(false)];
  const heldPending = [...now.spends].filter(([id, { state }]) => state !== 'landed' && seen.spends.has(id)).length;
  const share = (calls: number, heldOfIt: number, takenOfIt: number) => {
    // What is held stays held. What is neither held, taken nor left to the absent is divided among those present.
    // Rounded up: an absent replica leaves as much to each of the others, and takes the remainder.
    const leftToAbsent = (all - present) * Math.ceil(calls / all);
    return heldOfIt + Math.floor(Math.max(0, calls - leftToAbsent - takenOfIt - heldOfIt) / present);
  };
  return {
    ofLimit: (calls) => share(calls, held.spent, taken.spent),
    // What has landed is out of `remaining` already: of what was held, only what is still to land is in it.
    ofRemaining: (calls) => share(calls, heldPending, taken.pending),
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
  const spendOf = ([id, state, inMs, calls]: Snapshot[3][number]): [string, Spend] => [
    id,
    { state: STATES[state] ?? 'landed', untilMs: nowMs + inMs, calls },
  ];
  return {
    limit,
    reported: report === null ? null : { remaining: report[0], endsMs: nowMs + report[1] },
    blockedUntilMs: nowMs + blockedMs,
    spends: new Map(log.map(spendOf)),
  };
}
