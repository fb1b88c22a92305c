/**
 * Builds the columns and words of an export from its file: reads it once from start to end, one row at a time. The steps
 * run at once in a thread of their own, or in turns of the event loop where there is none. Reading and writing are
 * synchronous, because the file was just written and is in the memory of the system.
 */
import { fsyncSync, readSync, writeSync } from 'node:fs';
import { foldText } from '../../../kernel/fold.js';
import { requireIntact, Seal } from '../../../runtime/stores/sealed-file.js';
import { isPlace } from '../../codes/places.js';
import { readNaf } from '../../codes/registers.js';
import { matchWorkplaceCommune } from '../communes/match-commune.js';
import { isRecruiterRow } from '../values/words.js';
import {
  CATEGORIES,
  type Category,
  CODE_COLUMNS,
  type CodeColumn,
  type Columns,
  encodeStock,
  NUMBER_COLUMNS,
  type NumberColumn,
  type StockHeader,
} from './columns.js';
import { listOf, parseRawRow, partOf, type RawRow, textOf, timeOf } from './raw-row.js';
import { RepeatsFinder } from './repeats.js';
import { MAX_ROW_BYTES, RowScanner } from './row-scanner.js';
import { type Append, WordsBuilder } from './words.js';

/** Which file to read, and where to write. Plain data, so that it can be sent to a thread. */
export interface BuildTask {
  /** The open export, and the digests of its pieces. */
  readonly fd: number;
  readonly digests: Uint8Array;
  readonly header: StockHeader;
  /** The open file to fill. */
  readonly columnsFd: number;
  /** The path that the file has or will have, and the key of its mark. */
  readonly sealedPath: string;
  readonly markKey: Uint8Array;
  /** Its only item is the number of bytes read so far. */
  readonly progress: Float64Array;
}

/** Bytes read at once: whole pieces of a sealed file. */
const READ_BYTES = 64 * 1024;

/** One step for each row; the file is complete after the last one. Throws what reading and writing do. */
export function* buildStock(task: BuildTask): Generator<void, void> {
  const { fd, digests, header, progress } = task;
  const rows = new RowsBuilder();
  let found: { readonly start: number; readonly end: number }[] = [];
  const scanner = new RowScanner((row) => found.push(row));
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let text = Buffer.allocUnsafe(READ_BYTES);
  const read = (start: number, length: number): string => {
    if (length > text.length) text = Buffer.allocUnsafe(2 * length);
    readSync(fd, text, 0, length, start);
    return text.toString('utf8', 0, length);
  };
  for (let at = 0; at < header.bytes; ) {
    const length = readSync(fd, chunk, 0, Math.min(READ_BYTES, header.bytes - at), at);
    if (length === 0) throw new Error('The export is shorter than it was.');
    requireIntact(digests, at, chunk.subarray(0, length));
    found = [];
    scanner.push(chunk.subarray(0, length));
    at += length;
    progress[0] = at;
    for (const { start, end } of found) {
      if (end - start > MAX_ROW_BYTES) rows.skip();
      else rows.add(read(start, end - start), start, end - start);
      yield;
    }
  }
  const columns = rows.columns();
  const { numbers, codes } = columns;
  const groups = yield* rows.repeats.find(columns, (row) =>
    parseRawRow(read(numbers.start[row] ?? 0, codes.length[row] ?? 0)),
  );
  const words = rows.words.finish();
  write(task, encodeStock(header, { ...columns, groups }, words?.table ?? null), words?.write);
}

function write(
  { columnsFd: fd, sealedPath, markKey }: BuildTask,
  pieces: readonly Uint8Array[],
  writePostings: ((append: Append) => void) | undefined,
): void {
  const seal = new Seal();
  let size = 0;
  const append = (bytes: Uint8Array) => {
    for (let written = 0; written < bytes.length; )
      written += writeSync(fd, bytes, written, bytes.length - written, size + written);
    size += bytes.length;
  };
  const appendContent = (bytes: Uint8Array) => {
    seal.push(bytes);
    append(bytes);
  };
  pieces.forEach(appendContent);
  writePostings?.(appendContent);
  append(seal.end(sealedPath, markKey));
  fsyncSync(fd);
}

/** Collects rows. */
class RowsBuilder {
  readonly words = new WordsBuilder();
  readonly repeats = new RepeatsFinder();
  #rows = 0;
  #unreadable = 0;
  readonly #codes = byName(CODE_COLUMNS, () => new Growing(Uint32Array));
  readonly #numbers = byName(NUMBER_COLUMNS, () => new Growing(Float64Array));
  readonly #categories = byName(CATEGORIES, () => new Codes<string>());
  readonly #titles = new Codes<string>();
  readonly #workplaces = new Codes<string>();
  readonly #sirets = new Codes<number>();
  readonly #nafLabels = new Map<string, string>();

  /** Counts a row that cannot be read. */
  skip(): void {
    this.#unreadable++;
  }

  /** Adds a row by its text, and its place in the file. */
  add(json: string, start: number, length: number): void {
    const row = parseRawRow(json);
    if (row === null) {
      this.skip();
      return;
    }
    this.#number('start', start);
    this.#code('length', length);
    this.#addRow(row);
    this.#rows++;
  }

  #addRow(row: RawRow): void {
    const [workplace, contract, offer] = [partOf(row, 'workplace'), partOf(row, 'contract'), partOf(row, 'offer')];
    const publication = partOf(offer, 'publication');
    const isRecruiter = isRecruiterRow(row);
    const commune = this.#addPlace(workplace);
    this.#addWorkplace(workplace);
    const created = timeOf(publication['creation']);
    this.#number('created', created);
    this.#number('begins', timeOf(contract['start']));
    this.#number('expires', timeOf(publication['expiration']));
    this.#category('month', Number.isNaN(created) ? '' : new Date(created).toISOString().slice(0, 7));
    this.#category('partner', textOf(partOf(row, 'identifier')['partner_label']));
    this.#category('rome', listOf(offer['rome_codes']));
    this.#category('diploma', textOf(partOf(offer, 'target_diploma')['european']));
    this.#category('contract', listOf(contract['type']));
    this.#category('remote', textOf(contract['remote']));
    this.#category('status', textOf(offer['status']));
    this.#category('kind', isRecruiter ? 'RECRUITER' : 'OFFER');
    this.#category('delegated', row['is_delegated'] === true ? 'true' : 'false');
    // A recruiter's title and description are its label (work-study 7.2).
    const title = isRecruiter ? '' : textOf(offer['title']);
    this.#code('titleRank', this.#titles.of(foldText(title)));
    const texts = isRecruiter ? [] : [title, textOf(offer['description'])];
    for (const name of ['name', 'brand', 'legal_name', 'description']) texts.push(textOf(workplace[name]));
    for (const text of texts) this.words.add(this.#rows, text);
    if (!isRecruiter) this.repeats.add(this.#rows, row, commune);
  }

  #addPlace(workplace: RawRow): string {
    const location = partOf(workplace, 'location');
    const coordinates = partOf(location, 'geopoint')['coordinates'];
    const [lon, lat]: unknown[] = Array.isArray(coordinates) ? coordinates : [];
    const point = typeof lon === 'number' && typeof lat === 'number' && isPlace({ lon, lat }) ? { lon, lat } : null;
    const geopoint = point === null ? null : [point.lon, point.lat];
    const commune = matchWorkplaceCommune(geopoint, textOf(location['address'])) ?? '';
    this.#category('commune', commune);
    const { x, y, z } = pointOnSphere(point ?? { lon: Number.NaN, lat: Number.NaN });
    this.#number('x', x);
    this.#number('y', y);
    this.#number('z', z);
    return commune;
  }

  #addWorkplace(workplace: RawRow): void {
    const domain = partOf(workplace, 'domain');
    const naf = partOf(domain, 'naf');
    const siret = textOf(workplace['siret']);
    const code = readNaf(textOf(naf['code']));
    if (!this.#nafLabels.has(code)) this.#nafLabels.set(code, textOf(naf['label']));
    this.#category('naf', code);
    this.#category('opco', textOf(domain['opco']));
    this.#category('size', textOf(workplace['size']));
    this.#code('siret', /^\d{14}$/.test(siret) ? this.#sirets.of(Number(siret)) : 0);
    this.#code('workplaceRank', this.#workplaces.of(foldText(textOf(workplace['name']))));
  }

  /** The columns that a row has by itself. */
  columns(): Omit<Columns, 'groups'> {
    const codes = mapped(this.#codes, (column) => column.values() as Uint32Array);
    const sirets = this.#sirets.sort(codes.siret);
    const dictionaries = byName(CATEGORIES, (name) => ['', ...this.#categories[name].sort(codes[name])]);
    this.#titles.sort(codes.titleRank);
    this.#workplaces.sort(codes.workplaceRank);
    return {
      rows: this.#rows,
      unreadable: this.#unreadable,
      codes,
      numbers: mapped(this.#numbers, (column) => column.values() as Float64Array),
      dictionaries,
      sirets: Float64Array.from(sirets),
      nafLabels: [...this.#nafLabels],
    };
  }

  #code(name: CodeColumn, value: number): void {
    this.#codes[name].push(value);
  }

  #number(name: NumberColumn, value: number): void {
    this.#numbers[name].push(value);
  }

  #category(name: Category, text: string): void {
    this.#code(name, this.#categories[name].of(text));
  }
}

/** Numbers distinct values from 1; the empty text has 0. */
class Codes<T extends string | number> {
  readonly #codes = new Map<T, number>();

  of(value: T): number {
    if (value === '') return 0;
    const known = this.#codes.get(value);
    if (known !== undefined) return known;
    this.#codes.set(value, this.#codes.size + 1);
    return this.#codes.size;
  }

  /** Sorts the values, and replaces their codes in a column by their new places. */
  sort(column: Uint32Array): T[] {
    const sorted = [...this.#codes.keys()].sort((one, other) => (one < other ? -1 : 1));
    const places = new Uint32Array(sorted.length + 1);
    for (const [place, value] of sorted.entries()) places[this.#codes.get(value) ?? 0] = place + 1;
    for (let row = 0; row < column.length; row++) column[row] = places[column[row] ?? 0] ?? 0;
    return sorted;
  }
}

/** A column that grows. */
class Growing {
  readonly #type: Float64ArrayConstructor | Uint32ArrayConstructor;
  #column: Float64Array | Uint32Array;
  #length = 0;

  constructor(type: Float64ArrayConstructor | Uint32ArrayConstructor) {
    this.#type = type;
    this.#column = new type(1024);
  }

  push(value: number): void {
    if (this.#length === this.#column.length) {
      const column = new this.#type(2 * this.#length);
      column.set(this.#column);
      this.#column = column;
    }
    this.#column[this.#length++] = value;
  }

  values(): Float64Array | Uint32Array {
    return this.#column.subarray(0, this.#length);
  }
}

function byName<K extends string, V>(names: readonly K[], create: (name: K) => V): Record<K, V> {
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<K, V>;
}

function mapped<K extends string, V, R>(record: Record<K, V>, map: (value: V) => R): Record<K, R> {
  return Object.fromEntries(Object.entries<V>(record).map(([name, value]) => [name, map(value)])) as Record<K, R>;
}

/** A position as a point on the unit sphere. */
export function pointOnSphere({ lon, lat }: { readonly lon: number; readonly lat: number }) {
  const [longitude, latitude] = [(lon * Math.PI) / 180, (lat * Math.PI) / 180];
  const radius = Math.cos(latitude);
  return { x: radius * Math.cos(longitude), y: radius * Math.sin(longitude), z: Math.sin(latitude) };
}
