import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cell } from '../../rows/cells.js';
import { ROW_FORMATS, writeRows } from '../../rows/formats.js';
import type { AboutLine } from '../../rows/row-file.js';
import { runs } from '../runs.js';
import { READERS, type ReadCell, type WorkbookReader } from './workbook-readers.js';

const CONTROLS = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code));

/** Texts that XML, the standard of workbooks or a reader may take for something else. */
const TEXTS = [
  ...[...CONTROLS, '\u007f', '\u0085', '\u2028', '\ufffe', '\uffff'].map((one) => `a${one}b`),
  ...['_x0041_', '_X0041_', '_x005F_x0041_', '_x0041_x0042_', '_x0041', '_x0041\u000b', '\u000bx0041_', '__x000b__'],
  ...['=1+1', '+33', '-1', '@x', "'=1", '{=1}', 'é « ’ »', '\u{1f600}', '<b>&amp;"]]>', '01004', '21270279700011'],
  ...['TRUE', '1e5', 'NaN', '#N/A', '2026-02-30', '1899-12-31', '12/31/2026', ' x ', '\t', 'two\r\nlines', '0'],
];
const LONG = 'é'.repeat(32_767);

function workbook(names: readonly string[], rows: readonly (readonly Cell[])[], about: readonly AboutLine[] = []) {
  const format = ROW_FORMATS.find(({ name }) => name === 'xlsx');
  if (format === undefined) throw new Error('no workbook');
  const columns = names.map((name) => ({ name }));
  const written = rows.map((cells) => ({ cells: () => cells, at: () => null }));
  const parts = [...writeRows(format, { columns, positions: [] }, written, { about })];
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/** The text of a cell as the standard says (ECMA-376, ST_Xstring), for readers that leave this to the user. */
function decoded(text: string, { decodes }: WorkbookReader): string {
  if (decodes) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function textOf(cell: ReadCell | undefined, reader: WorkbookReader): ReadCell {
  if (typeof cell === 'number' && !reader.tellsDigits) return String(cell);
  return typeof cell === 'string' ? decoded(cell, reader) : (cell ?? null);
}

describe.each(READERS.map((reader) => [reader.name, reader] as const))('%s reads a workbook', (_name, reader) => {
  test('with every text as it was', async () => {
    const [sheet] = await reader.sheetsOf(
      workbook(
        ['text'],
        TEXTS.map((text) => [text]),
      ),
    );
    expect(sheet?.slice(1).map(([cell]) => textOf(cell, reader))).toEqual(TEXTS);
  });

  test('with any text as it was, also in its titles', async () => {
    const part = fc.oneof(
      fc.constantFrom('_', 'x', '_x', '0041', '000B', '005F', ...CONTROLS),
      fc.string({ unit: 'grapheme' }),
    );
    const text = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => `a${parts.join('')}b`);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 40, maxLength: 40 }), async (texts) => {
        const [title = '', ...others] = texts;
        const [sheet] = await reader.sheetsOf(
          workbook(
            [title],
            others.map((one) => [one]),
          ),
        );
        expect(sheet?.map(([cell]) => textOf(cell, reader))).toEqual(texts);
      }),
      { numRuns: runs(5) },
    );
  });

  test('with half a surrogate pair, which no file can have, as the replacement character', async () => {
    const [sheet] = await reader.sheetsOf(workbook(['text'], [['a\ud83db'], ['a\ude00b']]));
    expect(sheet?.slice(1)).toEqual([['a\ufffdb'], ['a\ufffdb']]);
  });

  test('with texts up to the limit of a cell, and longer ones cut before half a surrogate pair', async () => {
    const split = `${'a'.repeat(32_766)}\u{1f600}`;
    const [sheet, about] = await reader.sheetsOf(workbook(['text'], [[LONG], [`${LONG}é`], [split]]));
    expect(sheet?.slice(1).map(([cell]) => cell)).toEqual([LONG, LONG, 'a'.repeat(32_766)]);
    expect(about?.at(-1)).toEqual(['Cut texts', expect.stringMatching(/^2: /)]);
  });

  test('with numbers, truth values, dates and what is missing in their own cells', async () => {
    const rows: Cell[][] = [
      [1.5, true, '2026-01-31', '2026-01-31T23:59:59.999+02:00', null, 'end'],
      [null, null, null, null, null, 'end'],
      [-0.1, false, '2024-02-29', '1970-01-01T00:00:00Z', '', 'end'],
      [1e21, true, '9999-12-31', '2026-03-29T02:30:00Z', null, 'end'],
      [Number.MAX_SAFE_INTEGER, false, '1900-03-01', '1999-12-31T23:00Z', null, 'end'],
    ];
    const [sheet] = await reader.sheetsOf(workbook(['number', 'truth', 'day', 'time', 'empty', 'text'], rows));
    const [head, ...read] = sheet ?? [];
    expect(head).toEqual(['number', 'truth', 'day', 'time', 'empty', 'text']);
    expect(read.map((cells) => [cells[0], cells[1], cells[4], cells[5]])).toEqual(
      rows.map(([number, truth, , , , text]) => [number, truth, null, text]),
    );
    for (const [at, cells] of read.entries()) {
      for (const column of [2, 3]) {
        const [cell, written] = [cells[column] ?? null, rows[at]?.[column] ?? null];
        if (typeof written !== 'string') expect(cell).toBeNull();
        // Readers cut or round the milliseconds of a fraction of a day.
        else expect(Math.abs(msOf(cell, reader) - Date.parse(written))).toBeLessThanOrEqual(1);
      }
    }
  });

  test('of many columns and rows, each cell in its place, and with its second sheet', async () => {
    const names = Array.from({ length: 760 }, (_, column) => `c${column}`);
    const rows = Array.from({ length: 120 }, (_, row) =>
      names.map((_, column) => ((row + column) % 7 === 0 ? column : null)),
    );
    const [sheet, about] = await reader.sheetsOf(
      workbook(names, rows, [
        ['Query', '{\n  a\n}'],
        ['Upstream calls', 3],
      ]),
    );
    expect(sheet?.[0]).toEqual(names);
    expect(sheet?.slice(1).map((cells) => names.map((_, column) => cells[column] ?? null))).toEqual(rows);
    expect(about).toEqual([
      ['Query', '{\n  a\n}'],
      ['Upstream calls', 3],
    ]);
  });
});

function msOf(cell: ReadCell, { readsDates }: WorkbookReader): number {
  if (!readsDates && typeof cell === 'number') return (cell - 25_569) * 86_400_000;
  expect(cell).toBeInstanceOf(Date);
  return Number(cell);
}
