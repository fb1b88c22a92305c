import type { Cell } from './columns.js';
import { createTextBuffer, type RowFile, type RowHead } from './row-file.js';

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

/**
 * Rows as CSV (RFC 4180): a line of names, then a line a row, each ended by CRLF; nothing at all without a column. CSV
 * knows no comments: a note is a last line whose first cell begins with `#`.
 */
export function csvFile({ columns }: RowHead, form: CsvForm): RowFile {
  const buffer = createTextBuffer();
  const names = columns.map(({ name }) => name);
  if (form.byteOrderMark) buffer.write('\uFEFF');
  if (names.length > 0) buffer.write(line(names, form));
  return {
    *add(rows) {
      for (const row of rows) {
        buffer.write(line(row.cells(), form));
        yield* buffer.take();
      }
    },
    *end(note) {
      if (note !== null) buffer.write(line([`# ${plain(note)}`, ...names.slice(1).map(() => null)], form));
      yield* buffer.take(true);
    },
  };
}

/** A comment is one only where nothing stands before its `#`: the note needs no quotes. */
function plain(note: string): string {
  return note.replace(/[\s",;]+/g, ' ');
}

function line(cells: readonly Cell[], form: CsvForm): string {
  return `${cells.map((cell) => text(cell, form)).join(form.separator)}\r\n`;
}

function text(cell: Cell, { decimalComma }: CsvForm): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return quoted(withoutFormula(cell));
  return decimalComma && typeof cell === 'number' ? String(cell).replace('.', ',') : String(cell);
}

/**
 * Where a program may see a cell begin: at the start, and after whatever some program takes for a separator, a line's
 * end included, for not every program reads quotes as this one writes them. A formula there begins by one of the signs.
 */
const FORMULA = /((?:^|[,;\t\r\n])"*)(?=[=+\-@＝＋－＠])/g;

/** Text that a spreadsheet would run as a formula is escaped by an apostrophe (CWE-1236); numbers stay numbers. */
function withoutFormula(value: string): string {
  const text = value.replace(FORMULA, "$1'");
  return /^[\t\r\n]/.test(value) ? `'${text}` : text;
}

/** Quoted for every separator, not only its own: a file is also opened by programs that expect another one. */
function quoted(value: string): string {
  return /[",;\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
