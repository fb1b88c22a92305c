/** The first places of a sorted list, without sorting the others. */

/** A place in a sorted list: what it is sorted by, and the row. */
export interface Place {
  readonly key: number;
  readonly row: number;
}

/** Rows, and what each is sorted by. */
export interface KeyedRows {
  readonly rows: Uint32Array;
  readonly keys: Float64Array;
}

/** The first places of those offered: a heap with the last of them on top. */
export class Best {
  readonly #keys: Float64Array;
  /** Doubles, because numbers of pairs of groups need them. */
  readonly #rows: Float64Array;
  readonly #after: Place;
  #length = 0;

  /** Takes at most `size` places, all of them after one. */
  constructor(size: number, after: Place | null) {
    this.#keys = new Float64Array(size);
    this.#rows = new Float64Array(size);
    this.#after = after ?? { key: Number.NEGATIVE_INFINITY, row: 0 };
  }

  /** Offers the first of some rows. Most of them are out of bounds, which one branch tells. */
  offerAll({ rows, keys }: KeyedRows, count: number): void {
    const least = this.#after.key;
    let most = this.#most();
    for (let place = 0; place < count; place++) {
      const key = keys[place] ?? 0;
      if ((Number(key < least) | Number(key > most)) === 1) continue;
      this.offer(key, rows[place] ?? 0);
      most = this.#most();
    }
  }

  offer(key: number, row: number): void {
    if (!isBefore(this.#after.key, this.#after.row, key, row)) return;
    const size = this.#keys.length;
    if (this.#length < size) this.#rise(this.#length++, key, row);
    else if (size > 0 && isBefore(key, row, this.#keys[0] ?? 0, this.#rows[0] ?? 0)) this.#sink(key, row);
  }

  /** The greatest key that may still be taken. */
  #most(): number {
    return this.#length < this.#keys.length ? Number.POSITIVE_INFINITY : (this.#keys[0] ?? 0);
  }

  #rise(from: number, key: number, row: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!isBefore(this.#keys[parent] ?? 0, this.#rows[parent] ?? 0, key, row)) break;
      this.#set(at, this.#keys[parent] ?? 0, this.#rows[parent] ?? 0);
      at = parent;
    }
    this.#set(at, key, row);
  }

  #sink(key: number, row: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#length) break;
      const k = this.#keys;
      const r = this.#rows;
      const isRight = child + 1 < this.#length;
      if (isRight && isBefore(k[child] ?? 0, r[child] ?? 0, k[child + 1] ?? 0, r[child + 1] ?? 0)) child++;
      if (!isBefore(key, row, k[child] ?? 0, r[child] ?? 0)) break;
      this.#set(at, k[child] ?? 0, r[child] ?? 0);
      at = child;
    }
    this.#set(at, key, row);
  }

  #set(at: number, key: number, row: number): void {
    this.#keys[at] = key;
    this.#rows[at] = row;
  }

  sorted(): Place[] {
    const places = Array.from({ length: this.#length }, (_, at) => ({
      key: this.#keys[at] ?? 0,
      row: this.#rows[at] ?? 0,
    }));
    return places.sort((one, other) => (isBefore(one.key, one.row, other.key, other.row) ? -1 : 1));
  }
}

/** Whether a place comes before another. */
export function isBefore(key: number, row: number, otherKey: number, otherRow: number): boolean {
  return key < otherKey || (key === otherKey && row < otherRow);
}
