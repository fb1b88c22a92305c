import type { Cell } from './columns.js';
import { readDate } from './dates.js';

/** Maximum number of characters in a cell (Excel specifications and limits). */
const MAX_TEXT = 32_767;

/** How many of the cells are longer than a sheet can hold. */
export function countCut(cells: readonly Cell[]): number {
  let cut = 0;
  for (const cell of cells) if (typeof cell === 'string' && cell.length > MAX_TEXT) cut += 1;
  return cut;
}

/** Indexes into the list of styles of the workbook. */
const STYLES = { text: 1, bold: 2, date: 3, time: 4, wrapped: 5, wrappedBold: 6 } as const;

/** How texts look. */
type TextStyle = 'text' | 'bold' | 'wrapped' | 'wrappedBold';

/**
 * The row of this number, from 1: numbers, dates and times as such, everything else as text, so that no code loses a
 * zero. Rows and cells have their addresses, which the standard leaves out at will but many programs need.
 */
export function rowXml(row: number, cells: readonly Cell[], style: TextStyle = 'text'): string {
  return `<row r="${row}">${cells.map((cell, at) => cellXml(addressOf(at, row), cell, style)).join('')}</row>`;
}

/** Limits on the width of a column, in characters. */
const [MIN_WIDTH, MAX_WIDTH] = [8, 60];
/** Height of a line, and of the highest row, in points (Excel specifications and limits). */
const [LINE_HEIGHT, MAX_HEIGHT] = [15, 409];

/** A row with a name and its value, as high as its lines of text, since spreadsheets do not adjust that themselves. */
export function aboutRowXml(row: number, name: string, value: Cell): string {
  const lines = String(value).split('\n');
  const shown = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / MAX_WIDTH)), 0);
  const height = Math.min(MAX_HEIGHT, LINE_HEIGHT * shown);
  const cells = cellXml(addressOf(0, row), name, 'wrappedBold') + cellXml(addressOf(1, row), value, 'wrapped');
  return `<row r="${row}" ht="${height}" customHeight="1">${cells}</row>`;
}

function cellXml(address: string, cell: Cell, style: TextStyle): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${address}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${address}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  const date = style === 'text' || style === 'wrapped' ? dateOf(cell) : null;
  if (date !== null) return `<c r="${address}" s="${STYLES[date.style]}"><v>${date.days}</v></c>`;
  const text = escapeXml(cutText(cell));
  return `<c r="${address}" t="inlineStr" s="${STYLES[style]}"><is><t xml:space="preserve">${text}</t></is></c>`;
}

/** As much of a text as a cell can hold, without half of a surrogate pair at its end. */
function cutText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const last = text.charCodeAt(MAX_TEXT - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TEXT - 1 : MAX_TEXT);
}

const DAY_MS = 86_400_000;
/** Days from Excel's epoch to that of Unix. */
const EPOCH_DAYS = 25_569;
/** 1 March 1900: before that, Excel counts a day that never was. */
const FIRST_DAY = 61;

/** A date as days since Excel's epoch, a time in UTC as a fraction of a day; null for any other text. */
function dateOf(text: string): { readonly days: number; readonly style: 'date' | 'time' } | null {
  const date = readDate(text);
  if (date === null) return null;
  const days = date.ms / DAY_MS + EPOCH_DAYS;
  return days < FIRST_DAY ? null : { days, style: date.hasTime ? 'time' : 'date' };
}

/**
 * Characters that XML 1.0 forbids, and each underscore that a reader, even one that ignores case, would take for the
 * start of an escaped character.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML forbids
const ESCAPED = /[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]|_(?=x[\da-f]{4}[_\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF])/gi;

/** Text for a cell: what XML forbids as `_x000B_`, and `_x0041_` itself as `_x005F_x0041_` (ECMA-376, ST_Xstring). */
function escapeXml(text: string): string {
  return text
    .replace(ESCAPED, (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}

/** Displayed characters of a number, a date and a time. */
const SHOWN = { number: 12, date: 10, time: 16 } as const;

/** Displayed characters of a cell; for a text with several lines, those of the longest. */
function widthOf(cell: Cell): number {
  if (cell === null) return 0;
  if (typeof cell !== 'string') return Math.min(SHOWN.number, String(cell).length);
  const date = dateOf(cell);
  if (date !== null) return SHOWN[date.style];
  return cell.split('\n').reduce((most, line) => Math.max(most, line.length), 0);
}

/** The widths of the columns, in characters, from their titles and first rows. */
export function columnsXml(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const columns = names.map((name, index) => {
    const longest = rows.reduce((most, cells) => Math.max(most, widthOf(cells[index] ?? null)), name.length);
    const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, longest)) + 2;
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  return columns.length === 0 ? '' : `<cols>${columns.join('')}</cols>`;
}

/** The address of a range from the first cell, such as `A1:AB12`. */
export function rangeTo(columns: number, rows: number): string {
  return `A1:${addressOf(columns - 1, rows)}`;
}

/** The address of a cell, such as `AB12`: its column from 0, its row from 1. */
function addressOf(column: number, row: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${row}`;
}
