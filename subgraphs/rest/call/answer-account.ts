import type { ByteAccount } from '../../../schema/kept-object.js';

/** Growth below which nobody is told of it: each telling costs a look into the cache. */
const LEAST_GROWTH = 4096;
/** Share of the size so far below which nobody is told either. */
const GROWTH = 0.25;

/** Bytes of heap that what was made of one answer takes: texts and derived values, never the body itself. */
export class AnswerAccount implements ByteAccount {
  bytes = 0;
  /** Hears that the bytes have grown noticeably. */
  onGrowth: (() => void) | null = null;
  #told = 0;

  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes - this.#told < Math.max(LEAST_GROWTH, GROWTH * this.#told)) return;
    this.#told = this.bytes;
    this.onGrowth?.();
  }
}
