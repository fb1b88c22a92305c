import type { Clock } from '../../rest/ports/clock.js';

/** How far a load of the export has got, so that queries can decide whether to wait for it. */
export class LoadProgress {
  readonly #clock: Clock;
  readonly #startedMs: number;
  #received = 0;
  #length: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** Sets the expected size of the file, in bytes. */
  expect(length: number): void {
    this.#length = length;
  }

  /** Passes the pieces on unchanged, and counts their bytes. */
  async *counted(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of pieces) {
      this.#received += piece.length;
      yield piece;
    }
  }

  /** Estimated milliseconds left: at the pace so far, or as many as have passed if the length is unknown. */
  msLeft(): number {
    const goneMs = this.#clock.monotonicMs() - this.#startedMs;
    if (this.#length === null || this.#received === 0) return goneMs;
    return (goneMs * Math.max(0, this.#length - this.#received)) / this.#received;
  }
}
