import type { Clock } from '../ports/clock.js';
import type { Link } from './shared-account.js';
import type { SharedValue, ValueKind } from './shared-value.js';

/** How often a replica says that it is there, and looks at the accounts that it uses. */
const HEARTBEAT_MS = 2000;
/**
 * How often while it counts apart, and for a while after: all are to share again within two seconds of the store's
 * return, and each waits for the others' heartbeats.
 */
const HEARTBEAT_APART_MS = 400;
const APART_MS = 4000;
/** A replica that was silent for three heartbeats is gone. */
const SILENT_MS = 6000;
/** The largest number of replicas that was seen in this time counts: one that is slow is not gone. */
const MEMORY_MS = 60_000;
/** Where nobody could be asked yet there may be so many: as few calls as that leaves are surely ours. */
const UNSEEN = 4;
/** After the first contact, and after each that was missed, the others have so long to show up. */
const ARRIVAL_MS = 10_000;

/** The processes that share a service's accounts. */
export interface Members {
  /** How many there are, this one included: rather too many than too few. */
  count(): number;
  /** Whether all of them have said since then that they are there, and so have told what they did before. */
  allSince(atMs: number): boolean;
  /** Stops saying that it is there. */
  close(): void;
}

export interface MembersOptions {
  readonly replica: string;
  readonly clock: Clock;
  readonly link: Pick<Link, 'connected' | 'apart' | 'hasMet' | 'lose'>;
  readonly openValue: <V>(key: string, kind: ValueKind<V>) => SharedValue<V>;
  readonly beforeBeat: () => Promise<void>;
  /** Runs after each heartbeat that was heard. */
  readonly afterBeat: () => Promise<void>;
}

/** When each replica was last there, on the clock of this one. */
type Heartbeats = ReadonlyMap<string, number>;

const HEARTBEATS: ValueKind<Heartbeats> = {
  empty: new Map(),
  read: (text, nowMs) => new Map(JSON.parse(text).map(([id, agoMs]: [string, number]) => [id, nowMs - agoMs])),
  write: (beats, nowMs) => JSON.stringify([...beats].map(([id, atMs]) => [id, Math.round(nowMs - atMs)])),
  withOwn: (stored) => stored,
  matters: () => false,
};

export function watchMembers({ replica, clock, link, openValue, beforeBeat, afterBeat }: MembersOptions): Members {
  const heartbeats = openValue('replicas', HEARTBEATS);
  let counts: { readonly untilMs: number; readonly count: number }[] = [];
  let arrivalEndsMs = Number.POSITIVE_INFINITY;
  let heardAtMs: number | null = null;
  let apartUntilMs = Number.NEGATIVE_INFINITY;
  let closed = false;
  let callOff = () => {};

  async function beat(): Promise<void> {
    try {
      // The first meeting comes before anything is told: whoever says that it is there has told what it did.
      if (!link.hasMet) await heartbeats.update((known) => [known, null]);
      await beforeBeat();
      if (link.connected) {
        await heartbeats.update((known) => [withBeat(known, clock.monotonicMs()), null]);
        hear();
        await afterBeat();
      }
    } catch {
      // What was seen before goes on counting.
      link.lose();
    }
    const nowMs = clock.monotonicMs();
    if (link.apart) apartUntilMs = nowMs + APART_MS;
    const pauseMs = nowMs < apartUntilMs ? HEARTBEAT_APART_MS : HEARTBEAT_MS;
    if (!closed) callOff = clock.after(pauseMs, () => void beat());
  }

  function withBeat(known: Heartbeats, nowMs: number): Heartbeats {
    return new Map([...known].filter(([, atMs]) => atMs > nowMs - SILENT_MS)).set(replica, nowMs);
  }

  function hear(): void {
    const nowMs = clock.monotonicMs();
    const missed = heardAtMs === null || nowMs - heardAtMs > 2 * HEARTBEAT_MS;
    // Nobody could be counted while the store was away: what was known then holds as long as if it were new.
    if (missed) counts = counts.map(({ count }) => ({ untilMs: nowMs + MEMORY_MS, count }));
    if (missed && isArriving()) arrivalEndsMs = nowMs + ARRIVAL_MS;
    heardAtMs = nowMs;
    const { size: count } = heartbeats.current;
    counts = [...counts.filter(({ untilMs }) => untilMs > nowMs), { untilMs: nowMs + MEMORY_MS, count }];
  }

  /** Whether at the last contact there may have been some that had not shown up yet. */
  function isArriving(): boolean {
    return heardAtMs === null || heardAtMs < arrivalEndsMs;
  }

  function count(): number {
    return Math.max(isArriving() ? UNSEEN : 1, ...counts.map((one) => one.count));
  }

  void beat();
  return {
    count,
    allSince: (sinceMs) => [...heartbeats.current.values()].filter((atMs) => atMs >= sinceMs).length >= count(),
    close() {
      closed = true;
      callOff();
    },
  };
}
