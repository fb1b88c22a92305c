/** So many of a kind wait for the next work. */
const MAX_UNUSED = 8;

/**
 * Buffers and typed arrays that one piece of work after another uses. They lie outside the heap, and every new one would
 * bring the next collection of all garbage closer: with one of each a question, a hundredth of the questions waited for it.
 */
export class Spares<T> {
  readonly #create: () => T;
  readonly #unused: T[] = [];

  constructor(create: () => T) {
    this.#create = create;
  }

  /** Lends one until the work is done. It holds what the last work left in it. */
  async lend<R>(work: (item: T) => Promise<R>): Promise<R> {
    const item = this.#unused.pop() ?? this.#create();
    try {
      return await work(item);
    } finally {
      if (this.#unused.length < MAX_UNUSED) this.#unused.push(item);
    }
  }
}

/** Space for what is read from a file at once. */
export const readingSpaces = new Spares(() => Buffer.allocUnsafeSlow(96 * 1024));
