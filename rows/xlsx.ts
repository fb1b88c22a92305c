import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { Cell } from './columns.js';
import { type AboutLine, createTextBuffer, type FileEnd, lastLine, type RowFile, type RowHead } from './row-file.js';
import { aboutRowXml, columnsXml, countCut, rangeTo, rowXml } from './sheet-cells.js';
import { PARTS, SHEET_FROZEN, SHEET_PLAIN, workbookPart } from './workbook-parts.js';

/** Rows of a sheet, including the header and a last row with a note (Excel specifications and limits). */
const MAX_ROWS = 1_048_576;

/** Rows that determine the column widths. */
const MEASURED = 100;

/** The second sheet's texts about the rows as they were written. */
const TEXTS = {
  en: {
    incomplete: 'Incomplete',
    omitted: 'Lists without columns',
    cut: 'Cut texts',
    cutCells: (cells: number) => `${cells}: a cell of a workbook holds 32,767 characters; CSV has all`,
    cutRows: (rows: number) => `cut after ${rows} rows: a sheet holds 1,048,576`,
  },
  fr: {
    incomplete: 'Incomplet',
    omitted: 'Listes sans colonnes',
    cut: 'Textes coupés',
    cutCells: (cells: number) => `${cells} : une cellule de classeur contient 32 767 caractères ; le CSV a tout`,
    cutRows: (rows: number) => `coupé après ${rows} lignes : une feuille en contient 1 048 576`,
  },
};

/** A fixed date, so that equal rows give equal bytes. */
const WRITTEN = Date.UTC(2000, 0, 1);

/**
 * Writes rows as an Office Open XML workbook (ECMA-376): dates and numbers as such, text as text, so that no leading
 * zero is lost, no SIRET becomes 8.1E+13 and no formula runs. The header stays in view and filters. A second sheet says
 * where the rows come from and how many texts are cut. A note is a last row, also if a sheet cannot hold all rows.
 */
export function xlsxFile({ columns, language = 'en' }: RowHead): RowFile {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  for (const [name, content] of PARTS) addFile(zip, name).push(strToU8(content), true);
  const sheet = addFile(zip, 'xl/worksheets/sheet1.xml');
  const buffer = createTextBuffer();
  const names = columns.map(({ name }) => name);
  let lines = 1;
  let cut = 0;
  let isFull = false;
  let measured: (readonly Cell[])[] | null = [];
  const write = (cells: readonly Cell[]): void => {
    cut += countCut(cells);
    lines += 1;
    buffer.write(rowXml(lines, cells));
  };
  const begin = (): void => {
    if (measured === null) return;
    buffer.write(`${SHEET_FROZEN}${columnsXml(names, measured)}<sheetData>${rowXml(1, names, 'bold')}`);
    for (const cells of measured) write(cells);
    measured = null;
  };
  function* packed(anyhow: boolean): Generator<Uint8Array> {
    for (const text of buffer.take(anyhow)) sheet.push(strToU8(text), false);
    yield* ready.splice(0);
  }
  return {
    size: buffer.size,
    *add(rows) {
      for (const row of rows) {
        isFull = lines + 1 >= MAX_ROWS;
        if (isFull) break;
        if (measured === null) write(row.cells());
        else if (measured.push(row.cells()) >= MEASURED) begin();
        yield* packed(false);
      }
    },
    *end({ note: given = null, omitted = null, about = [] }) {
      begin();
      const note = isFull ? [TEXTS[language].cutRows(lines - 1), given].filter(Boolean).join('; ') : given;
      if (note !== null) buffer.write(rowXml(lines + 1, [lastLine(note, language)]));
      const filtered = names.length === 0 ? null : rangeTo(names.length, lines);
      buffer.write(`</sheetData>${filtered === null ? '' : `<autoFilter ref="${filtered}"/>`}</worksheet>`);
      yield* packed(true);
      sheet.push(new Uint8Array(0), true);
      const cutTexts = cut + countCut(about.map(([, value]) => value));
      const source = [...about, ...described(cutTexts, { note, omitted }, language)];
      addFile(zip, 'xl/worksheets/sheet2.xml').push(strToU8(aboutSheet(source)), true);
      const [workbook, content] = workbookPart(language, filtered);
      addFile(zip, workbook).push(strToU8(content), true);
      zip.end();
      yield* ready;
    },
  };
}

function described(
  cut: number,
  { note, omitted }: Required<Omit<FileEnd, 'about'>>,
  language: keyof typeof TEXTS,
): AboutLine[] {
  const texts = TEXTS[language];
  return [
    ...(cut === 0 ? [] : [[texts.cut, texts.cutCells(cut)] as const]),
    ...(note === null ? [] : [[texts.incomplete, note] as const]),
    ...(omitted === null ? [] : [[texts.omitted, omitted] as const]),
  ];
}

function aboutSheet(about: readonly (readonly [name: string, value: Cell])[]): string {
  const rows = about.map(([name, value], index) => aboutRowXml(index + 1, name, value));
  return `${SHEET_PLAIN}${columnsXml(['', ''], about)}<sheetData>${rows.join('')}</sheetData></worksheet>`;
}

function addFile(zip: Zip, name: string): ZipDeflate {
  const file = new ZipDeflate(name, { level: 6 });
  file.mtime = WRITTEN;
  zip.add(file);
  return file;
}
