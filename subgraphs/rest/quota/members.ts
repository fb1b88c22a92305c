import { SharedValue, type ValueKind } from './shared-value.js';
import type { StoreLink } from './store-link.js';

/** Milliseconds between a replica's heartbeats. */
export const HEARTBEAT_MS = 2000;
/** A replica that misses three heartbeats is gone. */
const SILENT_MS = 3 * HEARTBEAT_MS;
/** The largest number of replicas seen within this time counts: a slow one is not gone. */
const MEMORY_MS = 60_000;
/** Number of replicas assumed until any were seen: the few calls in such a share are surely ours. */
const UNSEEN = 4;
/** How long that is assumed after first contact: others may still be waiting to retry the store. */
const ARRIVAL_MS = 10_000;

/** When each replica last had a heartbeat, on this replica's clock. */
type Heartbeats = ReadonlyMap<string, number>;

const HEARTBEATS: ValueKind<Heartbeats> = {
  empty: new Map(),
  read: (text, nowMs) => new Map(JSON.parse(text).map(([id, agoMs]: [string, number]) => [id, nowMs - agoMs])),
  write: (heartbeats, nowMs) => JSON.stringify([...heartbeats].map(([id, atMs]) => [id, Math.round(nowMs - atMs)])),
  merge: (stored) => stored,
  matters: () => false,
};

/** The processes that share a service's accounts. */
export class Members {
  private readonly link: StoreLink;
  private readonly heartbeats: SharedValue<Heartbeats>;
  /** Counts of replicas that apply, for how long, and until when. */
  private counts = [{ count: UNSEEN, forMs: ARRIVAL_MS, untilMs: Number.POSITIVE_INFINITY }];
  private observedAtMs = Number.NEGATIVE_INFINITY;

  constructor(link: StoreLink) {
    this.link = link;
    this.heartbeats = new SharedValue(link, 'replicas', HEARTBEATS);
  }

  /** How many replicas there are, including this one; errs on the high side. */
  count(): number {
    return Math.max(...this.counts.map(({ count }) => count));
  }

  /** Whether all have had a heartbeat since then, and so have shared what they did before. */
  allSince(sinceMs: number): boolean {
    return [...this.heartbeats.current.values()].filter((atMs) => atMs >= sinceMs).length >= this.count();
  }

  /** Writes this replica's heartbeat, and counts the others. Rejects when the store is down. */
  async writeHeartbeat(): Promise<void> {
    const { clock, replica } = this.link;
    await this.heartbeats.update((known) => {
      const nowMs = clock.monotonicMs();
      return new Map([...known].filter(([, atMs]) => atMs > nowMs - SILENT_MS)).set(replica, nowMs);
    });
    const nowMs = clock.monotonicMs();
    // None could be counted while the store was down, so earlier counts apply for their full time again.
    const wasUnobserved = nowMs - this.observedAtMs > 2 * HEARTBEAT_MS;
    this.counts = this.counts
      .map((known) => (wasUnobserved ? { ...known, untilMs: nowMs + known.forMs } : known))
      .filter(({ untilMs }) => untilMs > nowMs)
      .concat({ count: this.heartbeats.current.size, forMs: MEMORY_MS, untilMs: nowMs + MEMORY_MS });
    this.observedAtMs = nowMs;
  }
}
