import type { Ask, Landing } from './book.js';
import type { Drawn } from './pace-account.js';
import type { PaceScope, WindowScope } from './scope.js';

/**
 * The accounts that all replicas share, where they lie. Its own clock is the only one that counts there. Every method
 * rejects, soon, when the place cannot be reached.
 */
export interface RemoteQuota {
  /**
   * Like `QuotaBook.take`. `epoch` is the mark of the account as it was last seen, null when it never was; an account
   * that lost its memory since then answers `lost` and gives nothing out until somebody tells it what he remembers.
   */
  takeWindow(scope: WindowScope, ask: Ask, epoch: string | null): Promise<RemoteTaken | 'lost'>;
  landWindow(scope: WindowScope, landing: Landing): Promise<void>;
  dropWindow(scope: WindowScope, ids: readonly string[]): Promise<void>;
  /** Tells an account what a replica remembers of it, by the ids of calls. */
  remind(scope: WindowScope, memory: AccountMemory): Promise<void>;
  takePace(scope: PaceScope, ask: Ask): Promise<Drawn>;
  slowPace(scope: PaceScope): Promise<void>;
  /** Says that this replica is there. Answers how many milliseconds ago each that asks the same service did so. */
  beat(service: string, replica: string): Promise<readonly number[]>;
}

export interface RemoteTaken {
  readonly flying: number;
  readonly reserved: number;
  readonly epoch: string;
  readonly state: AccountState;
}

/** How an account stands. Times are milliseconds from the moment that it was asked. */
export interface AccountState {
  /** Null when neither a document nor a header says. */
  readonly limit: number | null;
  readonly told: { readonly remaining: number; readonly endsInMs: number } | null;
  readonly blockedMs: number;
  readonly spends: readonly RemoteSpend[];
}

export interface RemoteSpend {
  readonly id: string;
  readonly untilInMs: number;
  /** 0 for one that does not fly. */
  readonly flyingInMs: number;
  readonly landed: boolean;
}

export interface AccountMemory {
  /** Spends of the replica itself: what it says of them is right. */
  readonly own: readonly RemoteSpend[];
  /** How the account stood when it was last seen: it fills what is missing there. */
  readonly seen: AccountState | null;
}
