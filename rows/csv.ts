import type { Cell } from './columns.js';
import { createTextBuffer, lastLine, type RowFile, type RowHead } from './row-file.js';

/** How numbers and separators are written. */
export interface CsvForm {
  readonly separator: ',' | ';' | '\t';
  readonly decimalComma: boolean;
  /** Without it, Excel reads a file as Windows-1252. */
  readonly byteOrderMark: boolean;
}

/** For programs: RFC 4180, UTF-8. */
export const PLAIN_CSV: CsvForm = { separator: ',', decimalComma: false, byteOrderMark: false };

/** For Excel and LibreOffice with a French locale. */
export const FRENCH_CSV: CsvForm = { separator: ';', decimalComma: true, byteOrderMark: true };

/**
 * Writes rows as CSV (RFC 4180): a header line, then one line per row, with CRLF; empty without columns. CSV has no
 * comments: a note is a last line whose first cell starts with `#`.
 */
export function csvFile({ columns, language }: RowHead, form: CsvForm): RowFile {
  const buffer = createTextBuffer();
  const names = columns.map(({ name }) => name);
  if (form.byteOrderMark) buffer.write('\uFEFF');
  if (names.length > 0) buffer.write(line(names, form));
  return {
    size: buffer.size,
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

function text(cell: Cell, { decimalComma }: CsvForm): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return quoted(withoutFormula(cell));
  return decimalComma && typeof cell === 'number' ? String(cell).replace('.', ',') : String(cell);
}

/**
 * Formula characters wherever some program may see the start of a cell: at the start of the text, and after anything
 * that may be a separator or a line end, since not every program handles quotes in the same way.
 */
const FORMULA = /((?:^|[,;\t\r\n])"*)(?=[=+\-@＝＋－＠])/g;

/** Escapes text that a spreadsheet would run as a formula with an apostrophe (CWE-1236). */
function withoutFormula(value: string): string {
  const text = value.replace(FORMULA, "$1'");
  return /^[\t\r\n]/.test(value) ? `'${text}` : text;
}

/** Quoted if it has any separator, not only the file's own: other programs may expect another one. */
function quoted(value: string): string {
  return /[",;\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
