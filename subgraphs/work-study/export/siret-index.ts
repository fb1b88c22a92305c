import type { SealedFile } from '../../../runtime/stores/sealed-file.js';
import { bytesOf } from './columns.js';
import { parseRawRow } from './raw-row.js';

/** Where a row is in the export file, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** The rows of an index as plain numbers, as they are stored on disk: 20 bytes a row. */
interface IndexedRows {
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

  /** The lengths of a SIRET's rows, in no order: of more rows than may be read, the first ones tell. */
  *lengthsOf(siret: string): Iterable<number> {
    let row = this.#latest.get(Number(siret)) ?? NO_ROW;
    while (row !== NO_ROW) {
      yield this.#rows.lengths[row] ?? 0;
      row = this.#previous[row] ?? NO_ROW;
    }
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

/** What the index of an export says about the file that it belongs to. */
interface IndexHeader {
  /** The service's date of the export, as sent. */
  readonly lastUpdate: string;
  /** Name of the export's file in the same folder. */
  readonly file: string;
  /** Bytes of that file. */
  readonly bytes: number;
}

/** Names the layout in the first line of every index file; change it with the layout. */
const LAYOUT = 'passerelle-siret-index-1';

/** More than the first line of an index. */
const HEADER_BYTES = 64 * 1024;

/** Rows read between two turns of the event loop: about two milliseconds. */
const ROWS_A_TURN = 10_000;

/** The bytes of an index: one line of JSON, then the three columns in this machine's byte order. */
export function encodeIndex(header: IndexHeader, { sirets, starts, lengths }: IndexedRows): Buffer {
  const line = JSON.stringify({ layout: LAYOUT, rows: sirets.length, ...header });
  return Buffer.concat([Buffer.from(`${line}\n`), bytesOf(sirets), bytesOf(starts), bytesOf(lengths)]);
}

/** Reads an index. Null when it is of another layout. */
export async function readIndex(file: SealedFile): Promise<{ header: IndexHeader; index: SiretIndex } | null> {
  const bytes = await file.read(0, file.size);
  const header = readHeader(bytes, bytes.length);
  if (header === null) return null;
  // Copied out, because a column must start at a multiple of its width.
  const columns = new Uint8Array(bytes.subarray(bytes.length - 20 * header.rows)).buffer;
  const sirets = new Float64Array(columns, 0, header.rows);
  const starts = new Float64Array(columns, 8 * header.rows, header.rows);
  const lengths = new Uint32Array(columns, 16 * header.rows, header.rows);
  const index = new SiretIndex();
  for (let row = 0; row < header.rows; row++) {
    index.add(sirets[row] ?? 0, { start: starts[row] ?? 0, length: lengths[row] ?? 0 });
    if (row % ROWS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { header, index };
}

/** Reads the first line of an index alone. Null under the same condition. */
export async function readIndexHeader(file: SealedFile): Promise<IndexHeader | null> {
  return readHeader(await file.read(0, Math.min(file.size, HEADER_BYTES)), file.size);
}

/** The header at the start of a file of this size. */
function readHeader(bytes: Buffer, fileSize: number): (IndexHeader & { rows: number }) | null {
  const end = bytes.indexOf('\n');
  const header = parseRawRow(bytes.toString('utf8', 0, Math.max(end, 0)));
  if (header === null || header['layout'] !== LAYOUT) return null;
  const { rows, lastUpdate, file, bytes: size } = header;
  if (typeof rows !== 'number' || typeof size !== 'number' || fileSize !== end + 1 + 20 * rows) return null;
  if (typeof lastUpdate !== 'string' || typeof file !== 'string') return null;
  return { rows, lastUpdate, file, bytes: size };
}
