import type { ByteCounter } from '../../../schema/cached-object.js';

/** Growth below which growth is not reported: each report costs a look into the cache. */
const LEAST_GROWTH = 4096;
/** Share of the size so far below which it is not reported either. */
const GROWTH = 0.25;

/** Bytes of heap that what was made of one response takes: texts and derived values, never the body itself. */
export class DerivedBytes implements ByteCounter {
  bytes = 0;
  /** Hears that the bytes have grown noticeably. */
  onGrowth: (() => void) | null = null;
  #reported = 0;

  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes - this.#reported < Math.max(LEAST_GROWTH, GROWTH * this.#reported)) return;
    this.#reported = this.bytes;
    this.onGrowth?.();
  }
}
