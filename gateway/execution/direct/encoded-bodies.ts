import type { Encoding } from '../../http/negotiation.js';

/** The body of a response in the encodings in which it was sent: encoding it costs more than all else. */
export class EncodedBodies {
  /** Of all of them. */
  bytes = 0;
  readonly #bodies = new Map<Encoding, Buffer>();
  readonly #mayGrow: () => boolean;
  readonly #grown: () => void;

  /** Nothing is cached where it may not grow; `grown` hears of what is. */
  constructor(mayGrow: () => boolean, grown: () => void) {
    this.#mayGrow = mayGrow;
    this.#grown = grown;
  }

  get(encoding: Encoding): Buffer | undefined {
    return this.#bodies.get(encoding);
  }

  store(encoding: Encoding, body: Buffer): void {
    if (this.#bodies.has(encoding) || !this.#mayGrow()) return;
    this.#bodies.set(encoding, body);
    this.bytes += body.length;
    this.#grown();
  }
}
