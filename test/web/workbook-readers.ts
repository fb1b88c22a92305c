import ExcelJS from 'exceljs';
import readExcelFile from 'read-excel-file/node';
import { read, utils } from 'xlsx';
import populate from 'xlsx-populate';

/** What a program finds in a cell: a date is a `Date`, a cell that is empty or missing null. */
export type ReadCell = string | number | boolean | Date | null;

/** A program that reads workbooks. */
export interface WorkbookReader {
  readonly name: string;
  /** Whether it turns `_x000B_` in a cell's own text into the character, as the standard says. */
  readonly decodes: boolean;
  /** Whether it turns a number with the style of a date into a date. */
  readonly readsDates: boolean;
  /** Whether it tells a text of digits from a number; one does not in any workbook. */
  readonly tellsDigits: boolean;
  /** The cells of all sheets, row by row. */
  sheetsOf(bytes: Buffer): Promise<ReadCell[][][]>;
}

/** The packages that most programs on Node read workbooks with. */
export const READERS: readonly WorkbookReader[] = [
  {
    name: 'exceljs',
    decodes: false,
    readsDates: true,
    tellsDigits: true,
    async sheetsOf(bytes) {
      const workbook = new ExcelJS.Workbook();
      await workbook.xlsx.load(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer);
      return workbook.worksheets.map((sheet) =>
        Array.from({ length: sheet.rowCount }, (_, row) =>
          Array.from({ length: sheet.columnCount }, (_, column) =>
            cellOf(sheet.getRow(row + 1).getCell(column + 1).value),
          ),
        ),
      );
    },
  },
  {
    name: 'read-excel-file',
    decodes: true,
    readsDates: true,
    tellsDigits: true,
    async sheetsOf(bytes) {
      const sheets = await readExcelFile(bytes, { trim: false });
      return sheets.map(({ data }) => data.map((row) => row.map(cellOf)));
    },
  },
  {
    name: 'xlsx-populate',
    decodes: false,
    readsDates: false,
    tellsDigits: false,
    async sheetsOf(bytes) {
      const workbook = await populate.fromDataAsync(bytes);
      return workbook.sheets().map((sheet) => (sheet.usedRange()?.value() ?? []).map((row) => row.map(cellOf)));
    },
  },
  {
    name: 'xlsx',
    decodes: true,
    readsDates: true,
    tellsDigits: true,
    async sheetsOf(bytes) {
      const { SheetNames, Sheets } = read(bytes, { cellDates: true, UTC: true } as object);
      return SheetNames.map((name) =>
        utils
          .sheet_to_json<unknown[]>(Sheets[name] ?? {}, { header: 1, raw: true, defval: null, blankrows: true })
          .map((row) => row.map(cellOf)),
      );
    },
  },
];

function cellOf(value: unknown): ReadCell {
  if (value === undefined || value === null || value === '') return null;
  if (value instanceof Date || typeof value !== 'object') return value as ReadCell;
  throw new TypeError(`A cell has ${JSON.stringify(value)}.`);
}
