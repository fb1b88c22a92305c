/** Where a row is in the export file, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** The rows of an index as plain numbers, as they are stored on disk: 20 bytes a row. */
export interface IndexedRows {
  /** A SIRET of 14 digits is below 2^47, so a double represents it exactly. */
  readonly sirets: Float64Array;
  readonly starts: Float64Array;
  readonly lengths: Uint32Array;
}

/**
 * Maps a SIRET to its rows in the export. Grows while the export is scanned; 300,000 rows of 150,000 SIRETs take about
 * 20 MB.
 */
export class SiretIndex {
  #rows = allocate(1024);
  #size = 0;
  /** The last row of each SIRET. */
  readonly #latest = new Map<number, number>();
  /** For each row, the previous one with the same SIRET. */
  #previous = new Int32Array(1024);

  get size(): number {
    return this.#size;
  }

  get siretCount(): number {
    return this.#latest.size;
  }

  /** Adds the next row of the file, with its SIRET as a number. */
  add(siret: number, { start, length }: ByteRange): void {
    if (this.#size === this.#previous.length) this.#grow();
    this.#rows.sirets[this.#size] = siret;
    this.#rows.starts[this.#size] = start;
    this.#rows.lengths[this.#size] = length;
    this.#previous[this.#size] = this.#latest.get(siret) ?? NO_ROW;
    this.#latest.set(siret, this.#size);
    this.#size++;
  }

  has(siret: string): boolean {
    return this.#latest.has(Number(siret));
  }

  /** The ranges of a SIRET's rows in file order; empty when it has none. */
  rangesOf(siret: string): ByteRange[] {
    const ranges: ByteRange[] = [];
    let row = this.#latest.get(Number(siret)) ?? NO_ROW;
    while (row !== NO_ROW) {
      ranges.push({ start: this.#rows.starts[row] ?? 0, length: this.#rows.lengths[row] ?? 0 });
      row = this.#previous[row] ?? NO_ROW;
    }
    return ranges.reverse();
  }

  /** The rows without spare capacity, as stored. */
  rows(): IndexedRows {
    return resized(this.#rows, this.#size);
  }

  #grow(): void {
    this.#rows = resized(this.#rows, this.#size * 2);
    const previous = new Int32Array(this.#size * 2);
    previous.set(this.#previous);
    this.#previous = previous;
  }
}

const NO_ROW = -1;

function allocate(size: number): IndexedRows {
  return { sirets: new Float64Array(size), starts: new Float64Array(size), lengths: new Uint32Array(size) };
}

function resized({ sirets, starts, lengths }: IndexedRows, size: number): IndexedRows {
  const copy = allocate(size);
  copy.sirets.set(sirets.subarray(0, size));
  copy.starts.set(starts.subarray(0, size));
  copy.lengths.set(lengths.subarray(0, size));
  return copy;
}
