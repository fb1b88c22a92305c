import type { Clock } from '../ports/clock.js';
import type { RemoteQuota } from './remote-quota.js';

/** How often a replica says that it is there, and looks at the accounts that it uses. */
const BEAT_MS = 2000;
/**
 * How often while the accounts are away or not told yet, and for a while after: all are to share again within two
 * seconds of their return, and each waits for the others' beats.
 */
const BEAT_APART_MS = 400;
const APART_MS = 4000;
/** The largest number of replicas that was seen in this time counts: one that is slow is not gone. */
const MEMORY_MS = 60_000;
/** Where nobody could be asked yet there may be so many: as few calls as that leaves are surely ours. */
const UNSEEN = 4;
/** After the first contact, and after each that was missed, the others have so long to show up. */
const ARRIVAL_MS = 10_000;

/** The processes that share the accounts. */
export interface Replicas {
  /** How many there are, this one included: rather too many than too few. */
  count(): number;
  /** Whether all of them have said since then that they are there, and so have told what they spent before. */
  allSince(atMs: number): boolean;
  /** Stops saying that it is there. */
  close(): void;
}

export interface ReplicasOptions {
  readonly remote: RemoteQuota;
  readonly clock: Clock;
  /** What the replicas have in common. */
  readonly service: string;
  readonly id: string;
  /** Tells the accounts what this replica spent, and whether it still counts alone; runs before each beat. */
  readonly report: () => Promise<{ readonly alone: boolean }>;
}

export function watchReplicas({ remote, clock, service, id, report }: ReplicasOptions): Replicas {
  let counts: { readonly untilMs: number; readonly count: number }[] = [];
  let arrivalEndsMs = Number.POSITIVE_INFINITY;
  let heardAtMs: number | null = null;
  /** When each replica was last there, on the clock of this one. */
  let beats: readonly number[] = [];
  let apartUntilMs = Number.NEGATIVE_INFINITY;
  let closed = false;
  let callOff = () => {};

  async function beat(): Promise<void> {
    let apart: boolean;
    try {
      apart = (await report()).alone;
      hear(await remote.beat(service, id));
    } catch {
      // Away: what was seen before goes on counting.
      apart = true;
    }
    if (apart) apartUntilMs = clock.monotonicMs() + APART_MS;
    const pauseMs = clock.monotonicMs() < apartUntilMs ? BEAT_APART_MS : BEAT_MS;
    if (!closed) callOff = clock.after(pauseMs, () => void beat());
  }

  function hear(agesMs: readonly number[]): void {
    const nowMs = clock.monotonicMs();
    const missed = heardAtMs === null || nowMs - heardAtMs > 2 * BEAT_MS;
    // Nobody could be counted while the place was away: what was known then holds as long as if it were new.
    if (missed) counts = counts.map(({ count }) => ({ untilMs: nowMs + MEMORY_MS, count }));
    if (missed && isArriving()) arrivalEndsMs = nowMs + ARRIVAL_MS;
    heardAtMs = nowMs;
    beats = agesMs.map((ageMs) => nowMs - ageMs);
    counts = [...counts.filter(({ untilMs }) => untilMs > nowMs), { untilMs: nowMs + MEMORY_MS, count: agesMs.length }];
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
    allSince: (sinceMs) => beats.filter((atMs) => atMs >= sinceMs).length >= count(),
    close() {
      closed = true;
      callOff();
    },
  };
}
