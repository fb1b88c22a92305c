/** Where replicas share values. Its methods reject, soon, when it cannot be reached. */
export interface QuotaStore {
  /** Replaces a value unless it has changed since it was read, and returns the current one. */
  compareAndSet(service: string, key: string, change: Change): Promise<Stored>;
}

/** A compare-and-set: what is known, and what to put in its place. */
export interface Change {
  /** Epoch of the store as this replica knows it: another one changes nothing. Null knows none. */
  readonly epoch: string | null;
  /** Version that is known; empty for none. */
  readonly version: string;
  /** What to put in its place; null only reads. */
  readonly next: { readonly version: string; readonly value: string } | null;
}

/** What the store holds after a compare-and-set, be it the new value or another replica's. */
export interface Stored {
  /** Another one after the store has lost its memory. */
  readonly epoch: string;
  /** Empty when there is no value. */
  readonly version: string;
  /** Empty when there is none, and when it is of the version that was known. */
  readonly value: string;
  /** Milliseconds since it was written. */
  readonly ageMs: number;
}
