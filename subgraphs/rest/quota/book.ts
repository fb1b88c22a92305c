import type { QuotaLeft } from '../../../schema/trace.js';
import type { QuotaScope } from './scope.js';

/**
 * Where spends are counted: in this process, or shared by all replicas. A spend is reserved, then it flies (the call is
 * on the wire), then it lands; it counts until a window after its landing, whatever the service's own window is.
 */
export interface QuotaBook {
  /** Whether other processes spend from it too. */
  readonly shared: boolean;
  /** Whether they cannot be reached at the moment. */
  readonly alone: boolean;
  /**
   * Reserves what is free for new ids, and lets as many fly as may be in flight at once. Ids reserved before keep their
   * turn, unless the headers meanwhile leave nothing for them.
   */
  take(scope: QuotaScope, ask: Ask): Promise<Taken>;
  /** The call has been answered, or will never be. */
  land(scope: QuotaScope, landing: Landing): Promise<void>;
  /** These spends were reserved and not needed. */
  drop(scope: QuotaScope, ids: readonly string[]): Promise<void>;
  /** Leaves the others. */
  close(): void;
}

export interface Ask {
  /** In the order of their turn: those that are reserved first. None of them is in flight. */
  readonly ids: readonly string[];
  /** Milliseconds after which a reserved or flying id is given up, so that a dead process frees what it held. */
  readonly leaseMs: number;
  /** Share of the limit, from 0 to 1, that must stay free. */
  readonly headroom: number;
}

export interface Taken {
  /** So many of the ids, from the first on, may be sent now. */
  readonly flying: number;
  /** So many after these are reserved, and wait for one that is flying to land. What follows has no spend, or none any more. */
  readonly reserved: number;
  /** Milliseconds until time alone may let a reserved id fly: a refusal or the headers' window ends. Infinite when neither holds. */
  readonly fliesInMs: number;
  /** Milliseconds until the id that is `position` places behind the reserved ones can be reserved. */
  startsInMs(position: number): number;
  /** Milliseconds for which the service refuses every call; 0 when it does not. */
  readonly blockedMs: number;
  /** Milliseconds after which somebody may come back who is refused now and would stand at that position. */
  retryInMs(position: number): number;
  /** Share of the window, from 0 to 1, that is free after this. */
  readonly left: number;
  /** Calls a window: two windows' worth may wait. */
  readonly perWindow: number;
}

export interface Landing {
  readonly id: string;
  /** What the answer's headers said; null when they said nothing. */
  readonly quota: QuotaLeft | null;
  /** Milliseconds for which the service refuses every call of the scope; 0 when it did not refuse. */
  readonly blockMs: number;
}

/** Beyond every end of a window, because services round theirs (RELIABILITY D "wait until reset + 1 s"). */
export const GUARD_MS = 1000;

/** Windows whose ends differ by less are the same one: services round to seconds. */
export const SAME_WINDOW_MS = 2000;

/** As good as no limit, for a service that tells none. */
export const UNLIMITED = 1_000_000;

/** Calls of a scope that may be in flight at once: the fewer, the less a stranger on the key costs (RELIABILITY B). */
export function mostInFlight(limit: number): number {
  return Math.min(8, Math.max(1, Math.floor(limit / 10)));
}
