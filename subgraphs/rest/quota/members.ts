import { SharedValue, type ValueKind } from './shared-value.js';
import type { StoreLink } from './store-link.js';

/** Milliseconds between two heartbeats of a replica. */
export const HEARTBEAT_MS = 2000;
/**
 * The same while it counts apart, and for a while after: all are to share again within two seconds of the store's
 * return, and each waits for the others' heartbeats.
 */
export const HEARTBEAT_APART_MS = 400;
/** A replica that was silent for three heartbeats is gone. */
const SILENT_MS = 3 * HEARTBEAT_MS;
/** The largest number of replicas that was seen in this time counts: one that is slow is not gone. */
const MEMORY_MS = 60_000;
/** Assumed while none could be seen yet: the few calls that it leaves are surely ours. */
const UNSEEN = 4;
/** How long the others have to appear after the first contact, and again after each heartbeat missed meanwhile. */
const ARRIVAL_MS = 10_000;

/** When each replica was last there, on the clock of this one. */
type Heartbeats = ReadonlyMap<string, number>;

const HEARTBEATS: ValueKind<Heartbeats> = {
  empty: new Map(),
  read: (text, nowMs) => new Map(JSON.parse(text).map(([id, agoMs]: [string, number]) => [id, nowMs - agoMs])),
  write: (heartbeats, nowMs) => JSON.stringify([...heartbeats].map(([id, atMs]) => [id, Math.round(nowMs - atMs)])),
  withOwn: (stored) => stored,
  merge: (stored) => stored,
  matters: () => false,
};

/** The processes that share a service's accounts. */
export class Members {
  private readonly link: StoreLink;
  private readonly heartbeats: SharedValue<Heartbeats>;
  private counts: { readonly untilMs: number; readonly count: number }[] = [];
  private arrivalEndsMs = Number.POSITIVE_INFINITY;
  private observedAtMs: number | null = null;

  constructor(link: StoreLink) {
    this.link = link;
    this.heartbeats = new SharedValue(link, 'replicas', HEARTBEATS);
  }

  /** How many there are, this one included: rather too many than too few. */
  count(): number {
    return Math.max(this.isArriving() ? UNSEEN : 1, ...this.counts.map(({ count }) => count));
  }

  /** Whether all of them have had a heartbeat since then, and so have shared what they did before. */
  allSince(sinceMs: number): boolean {
    return [...this.heartbeats.current.values()].filter((atMs) => atMs >= sinceMs).length >= this.count();
  }

  /** Writes this replica's heartbeat, and counts the others. Rejects when the store is away. */
  async writeHeartbeat(): Promise<void> {
    await this.heartbeats.update((known) => {
      const nowMs = this.link.clock.monotonicMs();
      const alive = [...known].filter(([, atMs]) => atMs > nowMs - SILENT_MS);
      return new Map(alive).set(this.link.replica, nowMs);
    });
    this.observe();
  }

  private observe(): void {
    const nowMs = this.link.clock.monotonicMs();
    const untilMs = nowMs + MEMORY_MS;
    const missed = this.observedAtMs === null || nowMs - this.observedAtMs > 2 * HEARTBEAT_MS;
    // None could be counted while the store was away: what was known then is treated as new.
    if (missed) this.counts = this.counts.map(({ count }) => ({ untilMs, count }));
    if (missed && this.isArriving()) this.arrivalEndsMs = nowMs + ARRIVAL_MS;
    this.observedAtMs = nowMs;
    this.counts = this.counts.filter((known) => known.untilMs > nowMs);
    this.counts.push({ untilMs, count: this.heartbeats.current.size });
  }

  /** Whether at the last contact there may have been some that had not shown up yet. */
  private isArriving(): boolean {
    return this.observedAtMs === null || this.observedAtMs < this.arrivalEndsMs;
  }
}
