/**
 * The slow tier of the cache, behind the memory: files or a shared server. Both calls are best effort: a store that is
 * down or damaged answers undefined and forgets, it never fails a request and never holds one up for long.
 */
export interface Store {
  /** The text kept under a key; undefined when there is none (any more) or it cannot be had quickly. */
  get(key: string): Promise<string | undefined>;
  /** Keeps a text for at most `ttlMs`. */
  set(key: string, text: string, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
}
