import type { QuotaLeft } from '../../../schema/trace.js';

/**
 * The account of one scope. A call is reserved, then it is in flight, then it lands; it counts until a window after its
 * landing, whatever the service's own window is.
 */
export interface Account {
  /**
   * Reserves what is free for new ids, and lets as many fly as may be in flight at once. Ids reserved before keep their
   * turn, unless the headers meanwhile leave nothing for them.
   */
  take(ask: Ask): Promise<Grant>;
  /** The call has been answered, or will never be. */
  land(landing: Landing): Promise<void>;
  /** These calls were reserved and not sent. */
  drop(ids: readonly string[]): Promise<void>;
}

export interface Ask {
  /** In the order of their turn: those that are reserved first. None of them is in flight. */
  readonly ids: readonly string[];
  /** Milliseconds after which a reserved or flying id is given up, so that a dead process frees what it held. */
  readonly leaseMs: number;
  /** Share of the limit, from 0 to 1, that must stay free. */
  readonly headroom: number;
}

export interface Grant extends WaitEstimate {
  /** So many of the ids, from the first on, may be sent now. */
  readonly flying: number;
  /** So many after these are reserved, and wait for one in flight to land. What follows has no place, or none any more. */
  readonly reserved: number;
}

/** When whoever waits can start. Positions are counted behind those that are reserved. */
export interface WaitEstimate {
  /** Milliseconds until time alone may let a reserved id fly: a refusal or the headers' window ends. Infinite when neither holds. */
  readonly fliesInMs: number;
  /** Milliseconds until the id at a position can be reserved. */
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

/**
 * The rules of one scope: pure functions of its account `A`, the same in memory, shared and apart. Times in an account
 * are of this process's monotonic clock.
 */
export interface AccountRules<A> {
  readonly empty: A;
  take(account: A, ask: Ask, standing: Standing<A>): readonly [A, Grant];
  land(account: A, landing: Landing, nowMs: number): A;
  drop(account: A, ids: readonly string[]): A;
  /** The account as the replicas share it, with what this one alone knows: its own calls. */
  withOwn(shared: A, known: A, replica: string): A;
  /** The same with all else that it knows, for an account that was out of reach or has lost its memory. */
  merge(shared: A, known: A, replica: string): A;
  /** Whether it holds anything that would be missed. */
  matters(account: A, nowMs: number): boolean;
  /** A snapshot with times relative to `nowMs`, which another process can read. */
  write(account: A, nowMs: number): string;
  read(snapshot: string, nowMs: number): A;
}

/** How much of an account may be used at a moment. */
export interface Standing<A> {
  readonly nowMs: number;
  /** Whether the account is seen as it is: in this process's memory, or shared. */
  readonly connected: boolean;
  /** What this replica keeps to while it counts apart from the others; null when it does not. */
  readonly fallback: LocalFallback<A> | null;
}

/** What is known when the others are lost. */
export interface LocalFallback<A> {
  readonly replica: string;
  /** The account as it was seen last, and when the others were lost. */
  readonly seen: A;
  readonly sinceMs: number;
  /** How many replicas there are, this one included: rather too many than too few. */
  readonly replicas: number;
}

/** Beyond every end of a window, because services round theirs. */
export const GUARD_MS = 1000;

/** As good as no limit, for a service that announces none. */
export const UNLIMITED = 1_000_000;

/** Ids are the mark of their replica, a dot and a number. */
export function replicaOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}
