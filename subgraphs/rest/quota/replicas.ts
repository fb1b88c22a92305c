import type { Clock } from '../ports/clock.js';
import type { RemoteQuota } from './remote-quota.js';

/** How often a replica says that it is there, and looks at the accounts that it uses. */
const BEAT_MS = 2000;
/** The largest number of replicas that was seen in this time counts: one that is slow is not gone. */
const MEMORY_MS = 60_000;
/** Where nobody could be asked yet there may be so many: as few calls as that leaves are surely ours. */
const UNSEEN = 4;

/** How many processes share the accounts. */
export interface Replicas {
  /** At least 1. */
  count(): number;
  /** Stops saying that it is there. */
  close(): void;
}

export interface ReplicasOptions {
  readonly remote: RemoteQuota;
  readonly clock: Clock;
  /** What the replicas have in common. */
  readonly service: string;
  readonly id: string;
  /** Runs with each beat that was heard. */
  readonly onBeat: () => Promise<void>;
}

export function watchReplicas({ remote, clock, service, id, onBeat }: ReplicasOptions): Replicas {
  let seen: { readonly atMs: number; readonly count: number }[] = [];
  let closed = false;
  let callOff = () => {};

  async function beat(): Promise<void> {
    try {
      const count = Math.max(1, await remote.beat(service, id));
      const nowMs = clock.monotonicMs();
      seen = [...seen.filter(({ atMs }) => atMs > nowMs - MEMORY_MS), { atMs: nowMs, count }];
      await onBeat();
    } catch {
      // Away: what was seen before goes on counting.
    } finally {
      if (!closed) callOff = clock.after(BEAT_MS, () => void beat());
    }
  }
  void beat();

  return {
    count: () => (seen.length === 0 ? UNSEEN : Math.max(...seen.map(({ count }) => count))),
    close() {
      closed = true;
      callOff();
    },
  };
}
