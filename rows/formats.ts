import { readDate } from '../kernel/dates.js';
import type { Cell } from './cells.js';
import type { LonLat } from './layout.js';
import {
  type FileEnd,
  type FilePart,
  lastLine,
  type RowFile,
  type RowHead,
  TextBuffer,
  type WritableRow,
} from './row-file.js';
import { xlsxFile } from './xlsx.js';

/** A file format for rows. */
export interface RowFormat {
  /** Its name in a URL, such as `format=csv-fr`. */
  readonly name: string;
  /** Its name for users. */
  readonly title: Readonly<Record<'en' | 'fr', string>>;
  readonly mediaType: string;
  readonly extension: string;
  /** Whether the format is compressed, so that the response is not compressed again. */
  readonly isCompressed: boolean;
  /** What the page offers it for; links have all formats. */
  readonly offered: 'rows and counts' | 'rows' | 'links';
  createFile(head: RowHead): RowFile;
}

/** How numbers and separators are written. */
interface CsvForm {
  readonly separator: ',' | ';' | '\t';
  /** Decimal commas, and dates such as `18/07/2026`, which Excel reads as dates. */
  readonly isFrench: boolean;
  /** Whether codes that begin with zero are written as formulas that yield them, because Excel drops the zero. */
  readonly codesAsText?: boolean;
  /** Whether texts that a spreadsheet would run as formulas stay: for programs alone. */
  readonly formulas?: boolean;
  /** Without it, Excel reads a file as Windows-1252. */
  readonly byteOrderMark: boolean;
}

/** For programs: RFC 4180, UTF-8. */
const PLAIN_CSV: CsvForm = { separator: ',', isFrench: false, byteOrderMark: false };

/** For Excel and LibreOffice with a French locale. */
const FRENCH_CSV: CsvForm = { separator: ';', isFrench: true, byteOrderMark: true };

/** All formats. Of two with the same media type, `Accept` selects the first. */
export const ROW_FORMATS: readonly RowFormat[] = [
  csv('csv', { en: 'CSV', fr: 'CSV' }, PLAIN_CSV),
  csv('csv-raw', { en: 'CSV (texts unchanged)', fr: 'CSV (textes tels quels)' }, { ...PLAIN_CSV, formulas: true }),
  csv('csv-fr', { en: 'CSV (Excel, French)', fr: 'CSV (Excel français)' }, FRENCH_CSV),
  csv(
    'csv-fr-codes',
    { en: 'CSV (Excel, French, codes as text)', fr: 'CSV (Excel français, codes en texte)' },
    { ...FRENCH_CSV, codesAsText: true },
  ),
  {
    name: 'xlsx',
    title: { en: 'Excel', fr: 'Excel' },
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    isCompressed: true,
    offered: 'rows and counts',
    createFile: xlsxFile,
  },
  {
    name: 'geojson',
    title: { en: 'GeoJSON', fr: 'GeoJSON' },
    mediaType: 'application/geo+json',
    extension: 'geojson',
    isCompressed: false,
    offered: 'rows',
    createFile: geoJsonFile,
  },
];

function csv(name: string, title: RowFormat['title'], form: CsvForm): RowFormat {
  const createFile = (head: RowHead) => csvFile(head, form);
  const offered = form.formulas || form.codesAsText ? 'links' : 'rows and counts';
  return { name, title, mediaType: 'text/csv', extension: 'csv', isCompressed: false, offered, createFile };
}

/** Writes all rows as one file, in parts. */
export function* writeRows(
  { createFile }: RowFormat,
  head: RowHead,
  rows: Iterable<WritableRow>,
  end: FileEnd = {},
): Generator<FilePart> {
  const file = createFile(head);
  yield* file.add(rows);
  yield* file.end(end);
}

/** Characters of a list's name in a file name, which file systems limit to 255 bytes. */
const NAME_LENGTH = 100;

/** The file name of a list, such as `missions.csv`, or `missions-incomplete.csv` for an incomplete file. */
export function fileName(path: string, { extension }: Pick<RowFormat, 'extension'>, isComplete = true): string {
  const words = path.split(/[.[\]]+/).filter((word) => /^\w+$/.test(word) && word !== 'nodes' && word !== 'edges');
  return `${words.at(-1)?.slice(0, NAME_LENGTH) ?? 'response'}${isComplete ? '' : '-incomplete'}.${extension}`;
}

/**
 * Writes rows as CSV (RFC 4180): a header line, then one line per row, with CRLF; empty without columns. CSV has no
 * comments: a note is a last line whose first cell starts with `#`.
 */
function csvFile({ columns, language }: RowHead, form: CsvForm): RowFile {
  const buffer = new TextBuffer();
  const names = columns.map(({ name }) => name);
  if (form.byteOrderMark) buffer.write('\uFEFF');
  if (names.length > 0) buffer.write(line(names, form));
  return {
    size: () => buffer.size,
    *add(rows) {
      for (const row of rows) {
        buffer.write(line(row.cells(), form));
        yield* buffer.take();
      }
    },
    *end({ note = null }) {
      if (note !== null) buffer.write(line([plain(lastLine(note, language)), ...names.slice(1).map(() => null)], form));
      yield* buffer.take(true);
    },
  };
}

/** The line must start with its `#`, so the text may not need quotes. */
function plain(text: string): string {
  return text.replaceAll(';', ' -').replace(/[\s",]+/g, ' ');
}

function line(cells: readonly Cell[], form: CsvForm): string {
  const record = cells.map((cell) => text(cell, form)).join(form.separator);
  // Programs skip a blank line, and so would lose a row whose only cell is empty.
  return `${cells.length === 1 && record.trim() === '' ? `"${record}"` : record}\r\n`;
}

function text(cell: Cell, { isFrench, codesAsText = false, formulas = false }: CsvForm): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') {
    return isFrench && typeof cell === 'number' ? String(cell).replace('.', ',') : String(cell);
  }
  if (codesAsText && /^0\d+$/.test(cell)) return quoted(`="${cell}"`);
  const date = isFrench ? frenchDate(cell) : null;
  return date ?? quoted(formulas ? cell : withoutFormula(cell));
}

/** A date as `18/07/2026`, a time as `18/07/2026 14:02:00` in UTC, as in workbooks; null for any other text. */
function frenchDate(text: string): string | null {
  const date = readDate(text);
  if (date === null) return null;
  const [day = '', time = ''] = date.hasTime ? new Date(date.ms).toISOString().split(/[T.]/) : [date.day];
  return `${day.split('-').reverse().join('/')}${time === '' ? '' : ` ${time}`}`;
}

/**
 * Formula characters wherever some program may see the start of a cell: at the start of the text, and after anything
 * that may be a separator or a line end, since not every program handles quotes in the same way; some trim blanks.
 */
const FORMULA = /((?:^|[,;\t\r\n])[\p{Zs}"]*)(?=[=+\-@＝＋－＠])/gu;

/** Escapes text that a spreadsheet would run as a formula with an apostrophe (CWE-1236). */
function withoutFormula(value: string): string {
  const text = value.replace(FORMULA, "$1'");
  return /^[\t\r\n]/.test(value) ? `'${text}` : text;
}

/** Quoted if it has any separator, not only the file's own: other programs may expect another one. */
function quoted(value: string): string {
  return /[",;\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/**
 * Writes rows as a GeoJSON FeatureCollection (RFC 7946): one feature per row, longitude first, cells as properties. A
 * row without a position on the globe has a null geometry. What the file lacks is in foreign members of the collection
 * (6.1).
 */
function geoJsonFile(head: RowHead): RowFile {
  const buffer = new TextBuffer();
  let isFirst = true;
  buffer.write('{"type":"FeatureCollection","features":[');
  return {
    size: () => buffer.size,
    *add(rows) {
      for (const row of rows) {
        buffer.write(`${isFirst ? '' : ','}\n${JSON.stringify(featureOf(row, head))}`);
        isFirst = false;
        yield* buffer.take();
      }
    },
    *end({ note = null, omitted = null }) {
      buffer.write(`\n]${memberOf('incomplete', note)}${memberOf('omittedLists', omitted)}}\n`);
      yield* buffer.take(true);
    },
  };
}

function memberOf(name: string, text: string | null): string {
  return text === null ? '' : `,"${name}":${JSON.stringify(text)}`;
}

function featureOf(row: WritableRow, { columns, positions: [position] }: RowHead): object {
  const at = position === undefined ? null : row.at(position);
  const geometry = at === null || !isOnGlobe(at) ? null : { type: 'Point', coordinates: at };
  const cells = row.cells();
  const properties = Object.fromEntries(columns.map(({ name }, index) => [name, inGeoJson(cells[index] ?? null)]));
  return { type: 'Feature', geometry, properties };
}

/** A text that GDAL takes for a date: of any year, and 31 days in each month. */
const DATE_LIKE =
  /^[+-]?\d{4,6}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** A cell; null for a date that does not exist or is out of range: programs refuse the whole file because of it. */
function inGeoJson(cell: Cell): Cell {
  return typeof cell === 'string' && DATE_LIKE.test(cell) && readDate(cell) === null ? null : cell;
}

/** Whether a position exists in WGS 84 (RFC 7946, 4): programs refuse a file with one that does not. */
function isOnGlobe([longitude, latitude]: LonLat): boolean {
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
}
