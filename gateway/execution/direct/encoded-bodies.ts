import type { Encoding } from '../../http/negotiation.js';

/** The body of a response in the encodings it was sent in: encoding costs more than everything else. */
export class EncodedBodies {
  /** The size of all of them together. */
  bytes = 0;
  readonly #bodies = new Map<Encoding, Buffer>();
  readonly #mayGrow: () => boolean;
  readonly #grown: () => void;

  /** Nothing is cached while `mayGrow` is false; `grown` is called after each addition. */
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
