import type { UpstreamCall } from '../../../schema/trace.js';
import type { CacheEntry, HeldPart } from '../call/call.js';
import type { Reading } from '../call/parse-response.js';
import { isGoodUntil } from './freshness.js';
import type { ResponseCache } from './response-cache.js';

/** How often the use of an entry reaches the memory, which evicts what was not used for long. */
const REFRESHED_EVERY_MS = 1000;

/** Where an entry is, and what hears of its uses. */
export interface EntryPartOptions {
  readonly cache: ResponseCache;
  readonly partition: string;
  readonly place: string;
  /** What is reported of a use. */
  readonly row: UpstreamCall;
  /** Whether it is reference data, whose age is reported. */
  readonly isReference: boolean;
  /** Hears of a use, and when the service gave or confirmed reference data; null for what is none. */
  readonly onUse: (row: UpstreamCall, referenceMs: number | null) => void;
}

/** A fresh entry of the cache, as texts that were made of it refer to it: it may leave the memory before they do. */
export class EntryPart implements HeldPart {
  readonly isCall = true;
  lastRun = 0;
  entry: CacheEntry | null;
  freshUntilMs: number;
  /** What which parser made of its response; null before that, and once the memory has evicted it. */
  parse: Reading['parse'] | null;
  value: unknown;
  // Each in a field of its own: a look-up touches as little memory as it can.
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

  /** Whether the calls of this partition would find it again. */
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
