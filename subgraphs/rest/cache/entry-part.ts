import type { CacheEntry, HeldPart } from '../call/call.js';
import type { ResponseCache } from './response-cache.js';

/** How often the use of an entry reaches the memory, which evicts what was not used for long. */
const REFRESHED_EVERY_MS = 1000;

/** Where an entry is, and what hears of its uses. */
export interface EntryPartOptions {
  readonly cache: ResponseCache;
  readonly partition: string;
  readonly place: string;
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
  freshUntilMs: number;
  readonly #options: EntryPartOptions;
  readonly #mark: string | null;
  #storedAtMs: number;
  #refreshedMs = 0;

  constructor({ freshUntilMs, storedAtMs }: CacheEntry, options: EntryPartOptions) {
    this.freshUntilMs = freshUntilMs;
    this.#storedAtMs = storedAtMs;
    this.#options = options;
    this.#mark = options.cache.markNow(options.partition);
  }

  confirmed({ freshUntilMs, storedAtMs }: CacheEntry): void {
    this.freshUntilMs = freshUntilMs;
    this.#storedAtMs = storedAtMs;
  }

  isGood(nowMs: number): boolean {
    const { cache, partition } = this.#options;
    return this.isHeld && nowMs < this.freshUntilMs && cache.markNow(partition) === this.#mark;
  }

  countUse(nowMs: number): void {
    const { cache, place, onUse } = this.#options;
    onUse(this.#storedAtMs);
    if (nowMs - this.#refreshedMs < REFRESHED_EVERY_MS) return;
    this.#refreshedMs = nowMs;
    cache.refresh(place);
  }
}
