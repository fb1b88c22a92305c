import type { Cell } from './columns.js';
import type { Table } from './table.js';

/** How numbers and separators are written. */
export interface CsvForm {
  readonly separator: ',' | ';' | '\t';
  readonly decimalComma: boolean;
  /** Excel takes a file without it for Windows-1252. */
  readonly byteOrderMark: boolean;
}

/** For programs: RFC 4180, UTF-8. */
export const PLAIN_CSV: CsvForm = { separator: ',', decimalComma: false, byteOrderMark: false };

/** What Excel and LibreOffice open as a table where French is spoken. */
export const FRENCH_CSV: CsvForm = { separator: ';', decimalComma: true, byteOrderMark: true };

/** Text is sent in parts of about this many characters. */
const PART = 64 * 1024;

/** A table as CSV (RFC 4180), in parts: a line of names, then a line a row, each ended by CRLF. */
export function* writeCsv(table: Table, form: CsvForm): Generator<string> {
  let part = form.byteOrderMark ? '\uFEFF' : '';
  if (table.columns.length > 0)
    part += line(
      table.columns.map(({ name }) => name),
      form,
    );
  for (const row of table.rows()) {
    part += line(row.cells(), form);
    if (part.length < PART) continue;
    yield part;
    part = '';
  }
  yield part;
}

function line(cells: readonly Cell[], form: CsvForm): string {
  return `${cells.map((cell) => quoted(text(cell, form))).join(form.separator)}\r\n`;
}

function text(cell: Cell, { decimalComma }: CsvForm): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return withoutFormula(cell);
  return decimalComma && typeof cell === 'number' ? String(cell).replace('.', ',') : String(cell);
}

/**
 * Where a program may see a cell begin: at the start, and after whatever some program takes for a separator, a line's
 * end included, for not every program reads quotes as this one writes them. A formula there begins by one of the signs.
 */
const FORMULA = /((?:^|[,;\t\r\n])"*)(?=[=+\-@＝＋－＠])/g;

/** What a spreadsheet would run as a formula is kept text by an apostrophe before it (CWE-1236); numbers are numbers. */
function withoutFormula(value: string): string {
  const text = value.replace(FORMULA, "$1'");
  return /^[\t\r\n]/.test(value) ? `'${text}` : text;
}

/** Quoted for every separator, not only its own: a file is also opened by programs that expect another one. */
function quoted(value: string): string {
  return /[",;\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
