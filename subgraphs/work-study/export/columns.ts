/**
 * The rows of an export as columns of numbers, by which they are filtered, sorted and counted without being read.
 *
 * Row 17 of the export is item 17 of every column. A **category** is a column of codes: 0 for none, else a place in its
 * sorted dictionary. A value that is a list (ROME codes, contract types) is one text with a space between its items, so that
 * there, too, each row has one code. Numbers are doubles, `NaN` for none: times in milliseconds since 1970, and the
 * workplace as a point on the unit sphere, so that comparing distances takes three multiplications.
 *
 * On disk the columns are one file: a line with the length of the header, the header in JSON, then the sections that it
 * lists, each at a multiple of eight bytes. All but the postings of words are read into memory.
 */
import type { SealedFile } from '../../../runtime/stores/sealed-file.js';

/** Columns of codes with a dictionary of texts. */
export const CATEGORIES = [
  'commune',
  'rome',
  'naf',
  'opco',
  'partner',
  'diploma',
  'contract',
  'remote',
  'status',
  'size',
  'month',
  'kind',
  'delegated',
] as const;
/** `siret` is a place in the sorted `sirets`, from 1; ranks sort by title and name of workplace, from 1. */
const OTHER_CODES = ['siret', 'titleRank', 'workplaceRank', 'length'] as const;
const NUMBERS = ['start', 'created', 'begins', 'expires', 'x', 'y', 'z'] as const;

/** A column of codes with a dictionary. */
export type Category = (typeof CATEGORIES)[number];
/** A column of unsigned integers. */
export type CodeColumn = Category | (typeof OTHER_CODES)[number];
/** A column of doubles; `start` is the place of the row's first byte in the export. */
export type NumberColumn = (typeof NUMBERS)[number];

/** All columns of unsigned integers. */
export const CODE_COLUMNS: readonly CodeColumn[] = [...CATEGORIES, ...OTHER_CODES];
/** All columns of doubles. */
export const NUMBER_COLUMNS: readonly NumberColumn[] = NUMBERS;

/** Which rows are the same post. */
export interface Groups {
  /** Number of each row's group, from 1; 0 for a row that is in none. */
  readonly of: Uint32Array;
  /** Bits of `SIGNALS` that all rows of a group share, by number; the first item is of no group. */
  readonly signals: Uint32Array;
}

/** The rows of an export. */
export interface Columns {
  readonly rows: number;
  /** Rows that are not JSON, and are missing. */
  readonly unreadable: number;
  readonly codes: Readonly<Record<CodeColumn, Uint32Array>>;
  readonly numbers: Readonly<Record<NumberColumn, Float64Array>>;
  /** The text of each code, ascending; the one of 0 is empty. */
  readonly dictionaries: Readonly<Record<Category, readonly string[]>>;
  /** The distinct SIRETs, ascending. */
  readonly sirets: Float64Array;
  readonly groups: Groups;
  /** Labels of NAF codes, as first met. */
  readonly nafLabels: readonly (readonly [code: string, label: string])[];
}

/** The words of all texts, ascending, and where their postings are. */
export interface WordTable {
  /** The words one after the other, in UTF-8. */
  readonly bytes: Uint8Array;
  /** Where each word ends in `bytes`. */
  readonly ends: Uint32Array;
  /** Where the postings of each word end in their section. */
  readonly postingEnds: Float64Array;
}

/** Which export the columns belong to. */
export interface StockHeader {
  /** The service's date of the export, as sent. */
  readonly lastUpdate: string;
  /** Bytes of the export. */
  readonly bytes: number;
}

/** Columns and words on disk, those in memory, and the open file with the postings. */
export interface StoredStock {
  readonly header: StockHeader;
  readonly columns: Columns;
  /** Null if there were too many different words to index. */
  readonly words: WordTable | null;
  /** Offset of the postings in the file. */
  readonly postingsAt: number;
  readonly file: SealedFile;
}

/** Names the layout in the first bytes of every file; change it with the layout or with what a column means. */
const LAYOUT = 'passerelle-stock-3';
const FIRST_LINE_BYTES = LAYOUT.length + 12;

/** What precedes the sections in a file. */
interface FileHeader extends StockHeader, Pick<Columns, 'rows' | 'unreadable' | 'dictionaries' | 'nafLabels'> {
  readonly sirets: number;
  /** Items of `groups.signals`. */
  readonly groups: number;
  /** Words, and bytes of all of them; null without words. */
  readonly words: { readonly count: number; readonly bytes: number } | null;
}

/** The bytes of a file before its postings, in pieces. */
export function encodeStock(header: StockHeader, columns: Columns, words: WordTable | null): Uint8Array[] {
  const { rows, unreadable, dictionaries, nafLabels, sirets, groups } = columns;
  const described: FileHeader = {
    lastUpdate: header.lastUpdate,
    bytes: header.bytes,
    rows,
    unreadable,
    dictionaries,
    nafLabels,
    sirets: sirets.length,
    groups: groups.signals.length,
    words: words === null ? null : { count: words.ends.length, bytes: words.bytes.length },
  };
  const json = Buffer.from(JSON.stringify(described));
  const line = Buffer.from(`${LAYOUT} ${String(json.length).padStart(10, '0')}\n`);
  const sections: Uint8Array[] = [
    ...NUMBER_COLUMNS.map((name) => bytesOf(columns.numbers[name])),
    bytesOf(sirets),
    ...CODE_COLUMNS.map((name) => bytesOf(columns.codes[name])),
    bytesOf(groups.of),
    bytesOf(groups.signals),
    ...(words === null ? [] : [bytesOf(words.postingEnds), bytesOf(words.ends), words.bytes]),
  ];
  return [Buffer.concat([line, json]), ...sections].map(padded);
}

/** Reads a file of columns, which stays open. Null or rejects if it is not a complete one. */
export async function readStock(file: SealedFile): Promise<StoredStock | null> {
  const line = (await file.read(0, FIRST_LINE_BYTES)).toString('latin1');
  if (!line.startsWith(`${LAYOUT} `)) return null;
  const headerBytes = Number(line.slice(LAYOUT.length + 1));
  const json = await file.read(FIRST_LINE_BYTES, headerBytes);
  const header = JSON.parse(json.toString('utf8')) as FileHeader;
  const { rows, unreadable, dictionaries, nafLabels, words } = header;
  const at = aligned(FIRST_LINE_BYTES + headerBytes);
  const sizes = [
    ...NUMBER_COLUMNS.map(() => 8 * rows),
    8 * header.sirets,
    ...CODE_COLUMNS.map(() => 4 * rows),
    4 * rows,
    4 * header.groups,
    ...(words === null ? [] : [8 * words.count, 4 * words.count, words.bytes]),
  ];
  const total = sizes.reduce((sum, size) => sum + aligned(size), 0);
  const bytes = await file.read(at, total);
  let from = 0;
  const next = (): number => {
    const start = from;
    from += aligned(sizes.shift() ?? 0);
    return bytes.byteOffset + start;
  };
  const doubles = (length: number) => new Float64Array(bytes.buffer, next(), length);
  const integers = (length: number) => new Uint32Array(bytes.buffer, next(), length);
  const numbers = Object.fromEntries(NUMBER_COLUMNS.map((name) => [name, doubles(rows)])) as Columns['numbers'];
  const sirets = doubles(header.sirets);
  const codes = Object.fromEntries(CODE_COLUMNS.map((name) => [name, integers(rows)])) as Columns['codes'];
  const groups: Groups = { of: integers(rows), signals: integers(header.groups) };
  const columns: Columns = { rows, unreadable, codes, numbers, dictionaries, sirets, groups, nafLabels };
  const table: WordTable | null = words && {
    postingEnds: doubles(words.count),
    ends: integers(words.count),
    bytes: new Uint8Array(bytes.buffer, next(), words.bytes),
  };
  const postings = table?.postingEnds.at(-1) ?? 0;
  if (file.size !== at + total + postings) return null;
  return { header, columns, words: table, postingsAt: at + total, file };
}

/** The bytes of a column, in this machine's byte order. */
export function bytesOf(column: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function padded(bytes: Uint8Array): Uint8Array {
  const missing = aligned(bytes.length) - bytes.length;
  return missing === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(missing)]);
}
