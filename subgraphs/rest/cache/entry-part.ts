import type { CacheEntry, HeldPart } from '../call/call.js';
import type { ResponseCache } from './response-cache.js';

/** How often the use of an entry reaches the memory, which evicts what was not used for long. */
const REFRESHED_EVERY_MS = 1000;

/** Where an entry is, and what hears of its uses. */
export interface EntryPartOptions {
  readonly cache: ResponseCache;
  readonly partition: string;
  readonly now: () => number;
  /** Hears of a use; `storedAtMs` is when the service gave or confirmed the response. */
  readonly onUse: (storedAtMs: number) => void;
}

/**
 * A fresh entry of the cache, as texts that were made of it refer to it. It does not hold the entry itself: that may
 * leave the memory.
 */
export class EntryPart implements HeldPart {
  readonly isCall = true;
  lastRun = 0;
  /** Whether the memory still holds the entry. */
  isHeld = true;
  readonly #options: EntryPartOptions;
  #freshUntilMs: number;
  #storedAtMs: number;
  readonly #mark: string | null;
  readonly #place: string;
  #refreshedMs: number;

  constructor({ place, freshUntilMs, storedAtMs }: CacheEntry & { readonly place: string }, options: EntryPartOptions) {
    this.#options = options;
    this.#freshUntilMs = freshUntilMs;
    this.#storedAtMs = storedAtMs;
    this.#place = place;
    this.#mark = options.cache.markNow(options.partition);
    this.#refreshedMs = options.now();
  }

  get freshUntilMs(): number {
    return this.#freshUntilMs;
  }

  confirmed({ freshUntilMs, storedAtMs }: CacheEntry): void {
    this.#freshUntilMs = freshUntilMs;
    this.#storedAtMs = storedAtMs;
  }

  isGood(): boolean {
    const { cache, partition, now } = this.#options;
    return this.isHeld && now() < this.#freshUntilMs && cache.markNow(partition) === this.#mark;
  }

  countUse(): void {
    const { cache, now, onUse } = this.#options;
    onUse(this.#storedAtMs);
    if (now() - this.#refreshedMs < REFRESHED_EVERY_MS) return;
    this.#refreshedMs = now();
    cache.refresh(this.#place);
  }
}
