/** Where replicas share values. Its methods reject quickly when it cannot be reached. */
export interface QuotaStore {
  /** Replaces a value unless it has changed since it was read; returns the current one. */
  compareAndSet(service: string, key: string, change: Change): Promise<Stored>;
}

/** A compare-and-set: what is known, and what to put in its place. */
export interface Change {
  /** Epoch of the store as this replica knows it: if it differs, nothing changes. Null if it knows none. */
  readonly epoch: string | null;
  /** The version known; empty for none. */
  readonly version: string;
  /** What to put in its place; null only reads. */
  readonly next: { readonly version: string; readonly value: string } | null;
}

/** What the store holds after a compare-and-set: the new value or another replica's. */
export interface Stored {
  /** Changes when the store has lost its data. */
  readonly epoch: string;
  /** Empty when there is no value. */
  readonly version: string;
  /** Empty when there is none, or its version was already known. */
  readonly value: string;
  /** Milliseconds since it was written. */
  readonly ageMs: number;
}
