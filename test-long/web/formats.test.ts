import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { ROW_FORMATS, type RowFormat, writeRows } from '../../rows/formats.js';

const XLSX = ROW_FORMATS.find(({ name }) => name === 'xlsx') as RowFormat;

// A file has at most a tenth as many.
test('a workbook of more rows than a sheet holds ends with a note in its last row', () => {
  const row = { cells: () => [], at: () => null };
  const rows = Array.from({ length: 1_048_576 }, () => row);
  const parts = [...writeRows(XLSX, { columns: [], positions: [] }, rows, { note: 'x' })];
  const files = unzipSync(Buffer.concat(parts.map((part) => Buffer.from(part))));
  const said = 'cut after 1048574 rows: a sheet holds 1,048,576; x';
  expect(strFromU8((files['xl/worksheets/sheet1.xml'] ?? new Uint8Array()).slice(-300))).toContain(
    `<row r="1048575"></row><row r="1048576"><c r="A1048576" t="inlineStr" s="1"><is><t xml:space="preserve"># incomplete: ${said}</t>`,
  );
  expect(strFromU8(files['xl/worksheets/sheet2.xml'] ?? new Uint8Array())).toContain(`>${said}<`);
});
