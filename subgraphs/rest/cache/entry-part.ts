import type { UpstreamCall } from '../../../schema/trace.js';
import type { CacheEntry, HeldPart, Reading } from '../call/call.js';
import { isGoodUntil } from './freshness.js';
import type { ResponseCache } from './response-cache.js';

/** Shortest time between two uses of an entry that count in memory, which evicts the least recently used. */
const REFRESHED_EVERY_MS = 1000;

/** Where an entry is, and what is notified of its uses. */
export interface EntryPartOptions {
  readonly cache: ResponseCache;
  readonly partition: string;
  readonly place: string;
  /** The row reported for each use. */
  readonly row: UpstreamCall;
  /** Whether it is reference data, whose age is reported. */
  readonly isReference: boolean;
  /** Called for each use, with the time at which the service sent or confirmed reference data; null for other data. */
  readonly onUse: (row: UpstreamCall, referenceMs: number | null) => void;
}

/** A handle on a fresh cache entry for texts made from it, since the entry may be evicted before they are. */
export class EntryPart implements HeldPart {
  readonly isCall = true;
  lastRun = 0;
  entry: CacheEntry | null;
  freshUntilMs: number;
  /** The parser that made `value` from the response; null before it was parsed and after the entry was evicted. */
  parse: Reading['parse'] | null;
  value: unknown;
  // Separate fields, so that a look-up touches as little memory as possible.
  readonly #cache: ResponseCache;
  readonly #partition: string;
  readonly #place: string;
  readonly #row: UpstreamCall;
  readonly #isReference: boolean;
  readonly #onUse: EntryPartOptions['onUse'];
  readonly #version: string | null;
  #storedAtMs: number;
  #refreshedMs = 0;

  constructor(entry: CacheEntry, { cache, partition, place, row, isReference, onUse }: EntryPartOptions) {
    this.entry = entry;
    this.freshUntilMs = entry.freshUntilMs;
    this.parse = entry.response.reading?.parse ?? null;
    this.value = entry.response.reading?.value;
    this.#partition = partition;
    this.#place = place;
    this.#cache = cache;
    this.#row = row;
    this.#isReference = isReference;
    this.#onUse = onUse;
    this.#version = cache.versionNow(partition);
    this.#storedAtMs = entry.storedAtMs;
  }

  confirmed(entry: CacheEntry): void {
    this.entry = entry;
    this.freshUntilMs = entry.freshUntilMs;
    this.#storedAtMs = entry.storedAtMs;
  }

  evicted(): void {
    this.entry = null;
    this.parse = null;
    this.value = null;
  }

  isGood(nowMs: number): boolean {
    if (this.entry === null || !isGoodUntil(this.freshUntilMs, this.#storedAtMs, nowMs)) return false;
    return this.#cache.versionNow(this.#partition) === this.#version;
  }

  /** Whether calls of this partition would find the entry again, and fresh. */
  isFoundBy(partition: string, nowMs: number): boolean {
    return partition === this.#partition && this.isGood(nowMs);
  }

  countUse(nowMs: number): void {
    this.#onUse(this.#row, this.#isReference ? this.#storedAtMs : null);
    if (nowMs - this.#refreshedMs < REFRESHED_EVERY_MS) return;
    this.#refreshedMs = nowMs;
    this.#cache.refresh(this.#place);
  }
}
