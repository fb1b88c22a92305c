import type { ByteCounter } from '../../../schema/cached-object.js';

/** Smaller growth is not reported, because each report costs a cache look-up. */
const LEAST_GROWTH = 4096;
/** Nor is growth by less than this share of the size last reported. */
const GROWTH = 0.25;

/** Bytes of heap taken by what was made from one response: texts and derived values, never the body itself. */
export class DerivedBytes implements ByteCounter {
  bytes = 0;
  /** Called when the bytes have grown noticeably. */
  onGrowth: (() => void) | null = null;
  #reported = 0;

  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes - this.#reported < Math.max(LEAST_GROWTH, GROWTH * this.#reported)) return;
    this.#reported = this.bytes;
    this.onGrowth?.();
  }
}
