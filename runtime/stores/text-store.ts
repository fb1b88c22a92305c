/**
 * Texts that outlive a process or are shared by several: files or Redis. All calls are best effort: a store that is
 * down or damaged returns undefined and stores nothing; it never fails a request, and never holds one up for long.
 */
export interface TextStore {
  /** The text stored under a key; undefined if it is absent, expired or cannot be read quickly. */
  get(key: string): Promise<string | undefined>;
  /** Stores a text for at most `ttlMs`. */
  set(key: string, text: string, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Completes pending writes. */
  close(): Promise<void>;
}
