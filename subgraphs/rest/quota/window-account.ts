import {
  type AccountRules,
  type Ask,
  GUARD_MS,
  type Landing,
  type LocalFallback,
  replicaOf,
  type Standing,
  UNLIMITED,
} from './account.js';
import { estimateWait, type Given, give, lesser, type Room } from './room.js';
import type { WindowScope } from './scope.js';

/** The account of one window: our own log of calls, and what the service said. */
export interface WindowAccount {
  /** What the headers said; null when they have said nothing. */
  readonly limit: number | null;
  readonly reported: Reported | null;
  readonly blockedUntilMs: number;
  readonly spends: ReadonlyMap<string, Spend>;
}

/** What the headers left of the window that runs. */
export interface Reported {
  readonly remaining: number;
  readonly endsMs: number;
}

/**
 * One call that has not landed, or those of a replica that landed in the same moment. A reserved one counts until its
 * lease ends; one in flight until a window after that, for nobody may hear of it.
 */
export interface Spend {
  readonly state: 'reserved' | 'flying' | 'landed';
  readonly untilMs: number;
  readonly calls: number;
}

/** Landings in the same quarter of a second are one entry: however many calls a window holds, an account stays small. */
const MOMENT_MS = 250;

/** Windows whose ends differ by less are the same one: services round to seconds. */
const SAME_WINDOW_MS = 2000;

/**
 * What is free is the smaller of what the log and the headers leave, so that neither a first burst (no header yet) nor a
 * stranger on the key (not in the log) runs into a refusal.
 */
export function windowRules(scope: WindowScope): AccountRules<WindowAccount> {
  const countsMs = scope.windowMs + GUARD_MS;
  /** The limit that an answer without headers shows. */
  const whenSilent = scope.limit === null ? UNLIMITED : null;

  /** What the account has, or the share of it that a replica apart may use; both when it may not exceed either. */
  function roomsOf(account: WindowAccount, { nowMs, connected, fallback }: Standing<WindowAccount>): Room[] {
    const limit = account.limit ?? scope.limit;
    const remaining = account.reported?.remaining ?? UNLIMITED;
    const roomOf = (counts: (id: string) => boolean, share: Share): Room => {
      const spends: Spend[] = [];
      for (const [id, spend] of account.spends) if (counts(id)) spends.push(spend);
      const { spent, reserved, inFlight, pending } = tally(spends, nowMs + countsMs);
      return {
        // Where nobody has documented a limit, one call finds out.
        limit: limit === null ? 1 : share.ofLimit(limit),
        ...{ spent, reserved, inFlight, remaining },
        freeByHeaders: account.reported === null ? UNLIMITED : share.ofRemaining(remaining) - pending,
        endsInMs: () =>
          spends.flatMap(({ state, untilMs, calls }) =>
            Array<number>(calls).fill(state === 'landed' ? untilMs - nowMs : countsMs),
          ),
      };
    };
    const rooms = connected ? [roomOf(() => true, WHOLE)] : [];
    if (fallback === null) return rooms;
    const isOwn = (id: string) => replicaOf(id) === fallback.replica;
    return [...rooms, roomOf(isOwn, shareOf(fallback, account, nowMs))];
  }

  function enter(account: WindowAccount, { ids, leaseMs }: Ask, given: Given, nowMs: number): WindowAccount {
    const spends = new Map(account.spends);
    const flying: Spend = { state: 'flying', untilMs: nowMs + leaseMs + countsMs, calls: 1 };
    const reserved: Spend = { state: 'reserved', untilMs: nowMs + leaseMs, calls: 1 };
    ids.forEach((id, place) => {
      if (place < given.flying) spends.set(id, flying);
      else if (place < given.flying + given.reserved) spends.set(id, reserved);
      else spends.delete(id);
    });
    return { ...account, spends };
  }

  return {
    empty: { limit: null, reported: null, blockedUntilMs: 0, spends: new Map() },
    take(known, ask, standing) {
      const { nowMs } = standing;
      const account = expire(known, nowMs);
      const blockedMs = Math.max(0, account.blockedUntilMs - nowMs);
      const held = ask.ids.filter((id) => account.spends.has(id)).length;
      const given = roomsOf(account, standing)
        .map((room) =>
          give({ held, fresh: ask.ids.length - held, headroom: ask.headroom, blocked: blockedMs > 0 }, room),
        )
        .reduce(lesser);
      const isSame = held === 0 && given.flying + given.reserved === 0;
      const next = isSame ? account : enter(account, ask, given, nowMs);
      const wait = estimateWait(roomsOf(next, standing), {
        ...{ countsMs, blockedMs, headroom: ask.headroom },
        headersEndInMs: account.reported === null ? 0 : account.reported.endsMs - nowMs,
      });
      return [next, { ...given, ...wait }];
    },
    land(known, { id, quota, blockMs }, nowMs) {
      const account = expire(known, nowMs);
      return {
        limit: quota === null ? (account.limit ?? whenSilent) : Math.max(1, quota.limit),
        reported: quota === null ? account.reported : believe(account.reported, reportOf(quota, nowMs)),
        blockedUntilMs: blockMs > 0 ? Math.max(account.blockedUntilMs, nowMs + blockMs) : account.blockedUntilMs,
        spends: withLanding(account.spends, id, nowMs + countsMs),
      };
    },
    drop(account, ids) {
      const spends = new Map(account.spends);
      for (const id of ids) spends.delete(id);
      return { ...account, spends };
    },
    withOwn,
    merge(shared, known, replica) {
      const own = withOwn(shared, known, replica);
      return {
        limit: shared.limit ?? known.limit,
        reported: known.reported === null ? shared.reported : believe(shared.reported, known.reported),
        blockedUntilMs: Math.max(shared.blockedUntilMs, known.blockedUntilMs),
        spends: new Map([...known.spends, ...own.spends]),
      };
    },
    matters(known, nowMs) {
      const { spends, reported, blockedUntilMs } = expire(known, nowMs);
      return spends.size > 0 || reported !== null || blockedUntilMs > nowMs;
    },
    write: (account, nowMs) => writeWindow(expire(account, nowMs), nowMs),
    read: readWindow,
  };
}

function expire(account: WindowAccount, nowMs: number): WindowAccount {
  const over = account.reported !== null && account.reported.endsMs <= nowMs;
  let ended = 0;
  for (const { untilMs } of account.spends.values()) if (untilMs <= nowMs) ended += 1;
  if (!over && ended === 0) return account;
  const spends = new Map([...account.spends].filter(([, { untilMs }]) => untilMs > nowMs));
  return { ...account, reported: over ? null : account.reported, spends };
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

/** How many calls count, how many of them have not landed, and of these how many were not sent yet and how many are in flight. */
function tally(spends: readonly Spend[], flightsEndMs: number) {
  const sum = { spent: 0, pending: 0, reserved: 0, inFlight: 0 };
  for (const { state, untilMs, calls } of spends) {
    sum.spent += calls;
    if (state === 'landed') continue;
    sum.pending += 1;
    if (state === 'reserved') sum.reserved += 1;
    // What was sent and never heard of is no longer in flight when its lease ends, a window before it stops counting.
    else if (untilMs > flightsEndMs) sum.inFlight += 1;
  }
  return sum;
}

function reportOf({ remaining, resetSeconds }: NonNullable<Landing['quota']>, nowMs: number): Reported {
  return { remaining, endsMs: nowMs + resetSeconds * 1000 + GUARD_MS };
}

/**
 * What is known of the running window after an answer. The lowest remaining counts: answers overtake each other. So does its earliest end: an answer
 * that was late names one that is later than the truth, never an earlier one.
 */
export function believe(known: Reported | null, heard: Reported): Reported {
  if (known === null || heard.endsMs > known.endsMs + SAME_WINDOW_MS) return heard;
  return { remaining: Math.min(known.remaining, heard.remaining), endsMs: Math.min(known.endsMs, heard.endsMs) };
}

function withOwn(shared: WindowAccount, known: WindowAccount, replica: string): WindowAccount {
  const others = [...shared.spends].filter(([id]) => replicaOf(id) !== replica);
  const own = [...known.spends].filter(([id]) => replicaOf(id) === replica);
  return { ...shared, spends: new Map([...others, ...own]) };
}

/** How many of the calls that a limit or the headers leave to all are this replica's. */
interface Share {
  ofLimit(calls: number): number;
  ofRemaining(calls: number): number;
}

const WHOLE: Share = { ofLimit: (calls) => calls, ofRemaining: (calls) => calls };

/**
 * A replica that counts apart keeps what it held, and takes its share of what nobody held when the account was seen last.
 * Those who have calls in it saw the same and divide that among them; to each of the others, who may have seen nothing
 * of it, an equal part of the whole is left. The shares of all together are the whole.
 */
function shareOf(
  { replica, seen, replicas }: LocalFallback<WindowAccount>,
  { spends }: WindowAccount,
  nowMs: number,
): Share {
  const seenOf = (isOwn: boolean) => [...seen.spends].filter(([id]) => (replicaOf(id) === replica) === isOwn);
  const others = seenOf(false);
  const present = new Set([replica, ...others.map(([id]) => replicaOf(id))]).size;
  const all = Math.max(present, replicas);
  // What was in flight then counts as long as the others must take it to: until its lease and a window are over.
  const counting = (entries: readonly (readonly [string, Spend])[]) =>
    tally(
      entries.map(([, spend]) => spend).filter(({ untilMs }) => untilMs > nowMs),
      nowMs,
    );
  const [taken, held] = [counting(others), counting(seenOf(true))];
  const heldPending = [...spends].filter(([id, { state }]) => state !== 'landed' && seen.spends.has(id)).length;
  const share = (calls: number, heldOfIt: number, takenOfIt: number) => {
    // Rounded up: whoever is absent leaves as much to the others, and takes what that leaves of the whole.
    const leftToAbsent = (all - present) * Math.ceil(calls / all);
    return heldOfIt + Math.floor(Math.max(0, calls - leftToAbsent - takenOfIt - heldOfIt) / present);
  };
  return {
    ofLimit: (calls) => share(calls, held.spent, taken.spent),
    ofRemaining: (calls) => share(calls, heldPending, taken.pending),
  };
}

const STATES = ['reserved', 'flying', 'landed'] as const;

/** The snapshot of an account: about 25 bytes an entry. Times are whole milliseconds from `nowMs`, rounded up. */
function writeWindow({ limit, reported, blockedUntilMs, spends }: WindowAccount, nowMs: number): string {
  const inMs = (ms: number) => Math.ceil(ms - nowMs);
  const log = [...spends].map(
    ([id, { state, untilMs, calls }]) => `${id}:${STATES.indexOf(state)}:${inMs(untilMs)}:${calls}`,
  );
  const told = reported === null ? null : [reported.remaining, inMs(reported.endsMs)];
  return JSON.stringify([limit, told, Math.max(0, inMs(blockedUntilMs)), log.join(',')]);
}

/** Reads back what `writeWindow` wrote in this or another process of the same version. */
export function readWindow(snapshot: string, nowMs: number): WindowAccount {
  const [limit, told, blockedMs, log]: [number | null, [number, number] | null, number, string] = JSON.parse(snapshot);
  return {
    limit,
    reported: told === null ? null : { remaining: told[0], endsMs: nowMs + told[1] },
    blockedUntilMs: nowMs + blockedMs,
    spends: new Map(log === '' ? [] : log.split(',').map((text) => readSpend(text, nowMs))),
  };
}

function readSpend(text: string, nowMs: number): [string, Spend] {
  const [id = '', state, inMs, calls] = text.split(':');
  return [id, { state: STATES[Number(state)] ?? 'landed', untilMs: nowMs + Number(inMs), calls: Number(calls) }];
}
