const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org';
const MAIN = `${OFFICE}/spreadsheetml/2006/main`;
const DOCUMENT = `${OFFICE}/officeDocument/2006/relationships`;
const PACKAGE = `${OFFICE}/package/2006`;
const SHEET_ML = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The start of a sheet, up to its columns. */
export const SHEET_PLAIN = `${XML}<worksheet xmlns="${MAIN}">`;

/** The start of a sheet whose first row stays in view. */
export const SHEET_FROZEN = `${SHEET_PLAIN}<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`;

const sheetType = (number: number): string =>
  `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${SHEET_ML}.worksheet+xml"/>`;

const style = (format: number, font = 0, alignment = ''): string =>
  `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"${alignment === '' ? '/>' : ` applyAlignment="1">${alignment}</xf>`}`;

/** For long queries: all lines are visible, and the name is aligned with the first. */
const WRAPPED = '<alignment vertical="top" wrapText="1"/>';

/** The names of the sheets: at most 31 characters, and none of `[]:*?/\\`. */
const SHEETS = { en: ['Rows', 'About'], fr: ['Lignes', 'À propos'] } as const;

/** The part that names the sheets. Without the hidden name of the filtered range, LibreOffice ignores the filter. */
export function workbookPart(
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
export const PARTS: readonly [name: string, content: string][] = [
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
    // Cell styles: default, text (number format 49 is `@`), bold text, date (14), date with time (22), wrapped texts.
    'xl/styles.xml',
    `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7">${style(0)}${style(49)}${style(49, 1)}${style(14)}${style(22)}${style(49, 0, WRAPPED)}${style(49, 1, WRAPPED)}</cellXfs></styleSheet>`,
  ],
];
