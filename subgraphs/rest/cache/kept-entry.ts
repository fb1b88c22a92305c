import type { CacheEntry, HeldPart } from '../call/call.js';
import type { AnswerCache } from './answer-cache.js';

/** How often the use of an entry reaches the memory, which evicts what was not used for long. */
const REFRESHED_EVERY_MS = 1000;

/** Where an entry is, and what is told of its uses. */
export interface KeptEntryOptions {
  readonly cache: AnswerCache;
  readonly partition: string;
  readonly now: () => number;
  /** Tells of a use; `storedAtMs` is when the service gave or confirmed the response. */
  readonly tell: (storedAtMs: number) => void;
}

/**
 * A fresh entry of the cache, as texts that were made of it refer to it. It does not hold the entry itself: that may
 * leave the memory.
 */
export class KeptEntry implements HeldPart {
  readonly isCall = true;
  lastRun = 0;
  /** Whether the memory still holds the entry. */
  isHeld = true;
  readonly #options: KeptEntryOptions;
  #freshUntilMs: number;
  #storedAtMs: number;
  readonly #mark: string | null;
  readonly #place: string;
  #refreshedMs: number;

  constructor({ place, freshUntilMs, storedAtMs }: CacheEntry & { readonly place: string }, options: KeptEntryOptions) {
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

  tell(): void {
    const { cache, now, tell } = this.#options;
    tell(this.#storedAtMs);
    if (now() - this.#refreshedMs < REFRESHED_EVERY_MS) return;
    this.#refreshedMs = now();
    cache.refresh(this.#place);
  }
}
