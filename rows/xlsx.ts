import { strToU8, Zip, ZipDeflate } from 'fflate';
import { readDate } from '../kernel/dates.js';
import type { Cell } from './cells.js';
import { type AboutLine, type FileEnd, lastLine, type RowFile, type RowHead, TextBuffer } from './row-file.js';

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
  const buffer = new TextBuffer();
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
    size: () => buffer.size,
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

/** Maximum number of characters in a cell (Excel specifications and limits). */
const MAX_TEXT = 32_767;

/** How many of the cells are longer than a sheet can hold. */
function countCut(cells: readonly Cell[]): number {
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
function rowXml(row: number, cells: readonly Cell[], style: TextStyle = 'text'): string {
  return `<row r="${row}">${cells.map((cell, at) => cellXml(addressOf(at, row), cell, style)).join('')}</row>`;
}

/** Limits on the width of a column, in characters. */
const [MIN_WIDTH, MAX_WIDTH] = [8, 60];
/** Height of a line, and of the highest row, in points (Excel specifications and limits). */
const [LINE_HEIGHT, MAX_HEIGHT] = [15, 409];

/** A row with a name and its value, as high as its lines of text, since spreadsheets do not adjust that themselves. */
function aboutRowXml(row: number, name: string, value: Cell): string {
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

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org';
const MAIN = `${OFFICE}/spreadsheetml/2006/main`;
const DOCUMENT = `${OFFICE}/officeDocument/2006/relationships`;
const PACKAGE = `${OFFICE}/package/2006`;
const SHEET_ML = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The start of a sheet, up to its columns. */
const SHEET_PLAIN = `${XML}<worksheet xmlns="${MAIN}">`;

/** The start of a sheet whose first row stays in view. */
const SHEET_FROZEN = `${SHEET_PLAIN}<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`;

const sheetType = (number: number): string =>
  `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${SHEET_ML}.worksheet+xml"/>`;

const style = (format: number, font = 0, alignment = ''): string =>
  `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"${alignment === '' ? '/>' : ` applyAlignment="1">${alignment}</xf>`}`;

/** For long queries: all lines are visible, and the name is aligned with the first. */
const WRAPPED = '<alignment vertical="top" wrapText="1"/>';

/** The names of the sheets: at most 31 characters, and none of `[]:*?/\\`. */
const SHEETS = { en: ['Rows', 'About'], fr: ['Lignes', 'À propos'] } as const;

/** The part that names the sheets. Without the hidden name of the filtered range, LibreOffice ignores the filter. */
function workbookPart(
  language: keyof typeof SHEETS,
  filtered: string | null,
): readonly [name: string, content: string] {
  const [rows, about] = SHEETS[language];
  const range = filtered?.replace(/([A-Z]+)(\d+)/g, '$$$1$$$2');
  const names =
    range === undefined
      ? ''
      : `<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">${rows}!${range}</definedName></definedNames>`;
  return [
    'xl/workbook.xml',
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="${rows}" sheetId="1" r:id="rId1"/><sheet name="${about}" sheetId="2" r:id="rId3"/></sheets>${names}</workbook>`,
  ];
}

/** The parts of the workbook besides its two sheets and their names. */
const PARTS: readonly [name: string, content: string][] = [
  [
    '[Content_Types].xml',
    `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_ML}.sheet.main+xml"/>${sheetType(1)}${sheetType(2)}<Override PartName="/xl/styles.xml" ContentType="${SHEET_ML}.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${DOCUMENT}/styles" Target="styles.xml"/><Relationship Id="rId3" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`,
  ],
  [
    // Without its name for the default style, openpyxl warns. Cell styles: default, text (number format 49 is `@`), bold text, date (14), date with time (22), wrapped texts.
    'xl/styles.xml',
    `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7">${style(0)}${style(49)}${style(49, 1)}${style(14)}${style(22)}${style(49, 0, WRAPPED)}${style(49, 1, WRAPPED)}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
  ],
];
