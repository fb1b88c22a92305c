import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { Cell } from './columns.js';
import { createTextBuffer, type RowFile, type RowHead } from './row-file.js';

/** Rows of a sheet, including the header (Excel specifications and limits). */
const MAX_ROWS = 1_048_576;
/** Characters of a cell (Excel specifications and limits). */
const MAX_TEXT = 32_767;

/** A fixed date, so that equal rows give equal bytes. */
const WRITTEN = Date.UTC(2000, 0, 1);

/**
 * Writes rows as an Office Open XML workbook (ECMA-376). Text stays text: no leading zero is lost, no SIRET becomes
 * 8.1E+13, no formula runs. Rows beyond the limit of a sheet are omitted; a note is a last row.
 */
export function xlsxFile({ columns }: RowHead): RowFile {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  for (const [name, content] of FILES) addFile(zip, name).push(strToU8(content), true);
  const sheet = addFile(zip, 'xl/worksheets/sheet1.xml');
  const buffer = createTextBuffer();
  const names = columns.map(({ name }) => name);
  buffer.write(`${SHEET_START}${line(names, 'bold')}`);
  let lines = 1;
  function* packed(anyhow: boolean): Generator<Uint8Array> {
    for (const text of buffer.take(anyhow)) sheet.push(strToU8(text), false);
    yield* ready.splice(0);
  }
  return {
    *add(rows) {
      for (const row of rows) {
        lines += 1;
        if (lines > MAX_ROWS) break;
        buffer.write(line(row.cells(), 'text'));
        yield* packed(false);
      }
    },
    *end(note) {
      if (note !== null) buffer.write(line([`# ${note}`], 'text'));
      buffer.write('</sheetData></worksheet>');
      yield* packed(true);
      sheet.push(new Uint8Array(0), true);
      zip.end();
      yield* ready;
    },
  };
}

function addFile(zip: Zip, name: string): ZipDeflate {
  const file = new ZipDeflate(name, { level: 6 });
  file.mtime = WRITTEN;
  zip.add(file);
  return file;
}

/** Indexes into the list of styles below. */
const STYLES = { text: 1, bold: 2 } as const;

function line(cells: readonly Cell[], style: keyof typeof STYLES): string {
  return `<row>${cells.map((cell) => cellXml(cell, STYLES[style])).join('')}</row>`;
}

function cellXml(cell: Cell, style: number): string {
  if (cell === null) return '<c/>';
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c t="b"><v>${cell ? 1 : 0}</v></c>`;
  return `<c t="inlineStr" s="${style}"><is><t xml:space="preserve">${escapeXml(cell.slice(0, MAX_TEXT))}</t></is></c>`;
}

/** Text for XML 1.0, without characters that it forbids; `_x0041_` and the like are escaped (ECMA-376 22.9). */
function escapeXml(text: string): string {
  return (
    text
      .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('\r', '&#13;')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML forbids
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
  );
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org';
const MAIN = `${OFFICE}/spreadsheetml/2006/main`;
const DOCUMENT = `${OFFICE}/officeDocument/2006/relationships`;
const PACKAGE = `${OFFICE}/package/2006`;
const SHEET_ML = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const SHEET_START = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;

const FILES: readonly [name: string, content: string][] = [
  [
    '[Content_Types].xml',
    `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_ML}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET_ML}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET_ML}.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="Rows" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${DOCUMENT}/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    // Cell styles: default, text (number format 49 is `@`), bold text.
    'xl/styles.xml',
    `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`,
  ],
];
