import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../rows/path.js';
import { EVERYTHING, readRowChoice, refuseNoDate, testOf } from '../../rows/row-choice.js';
import { shownRows } from './shown-rows.js';

const ROWS = [
  { id: 1, start: '2026-11-21T23:30:00.000Z' },
  { id: 2, start: '2026-11-22T00:30:00+02:00' },
  { id: 3, start: '2026-11-22T10:00' },
  { id: 4, start: '2027-01-01' },
  { id: 5, start: '' },
  { id: 6, start: null },
];

function shownWhere(condition: string, rows: readonly JsonObject[] = ROWS) {
  const { where } = readRowChoice(new URLSearchParams({ where: condition }));
  const shown = shownRows({ rows }, 'rows[]', { choice: { ...EVERYTHING, where } });
  return { ids: shown.rows.map((row) => row.cells()[0]), problem: shown.problem };
}

describe('Conditions on dates', () => {
  test.each([
    ['start:eq:2026-11-22', [2, 3]],
    ['start:ne:2026-11-22', [1, 4, 5, 6]],
    ['start:in:["2026-11-21","2027-01-01",""]', [1, 4, 5]],
    ['start:gt:2026-11-21', [2, 3, 4]],
    ['start:ge:2026-11-22', [2, 3, 4]],
    ['start:lt:2026-11-22', [1]],
    ['start:le:2026-11-22', [1, 2, 3]],
    // An instant, 22:30 in UTC, whose date in the source's own zone is the next day.
    ['start:eq:2026-11-21T22:30:00Z', [2]],
    ['start:lt:2026-11-21T23:30:00Z', [2]],
    ['start:ge:2026-11-22T10:00:00Z', [3, 4]],
    ['start:eq:', [5]],
    ['start:has:-22T', [2, 3]],
    ['start:empty:true', [5, 6]],
  ])('compare days as they are written, and times by their instant: %s', (condition, ids) => {
    expect(shownWhere(condition)).toEqual({ ids, problem: null });
  });

  test.each(['start:gt:01/09/2026', 'start:gt:abc', 'start:lt:', 'start:ge:2026-02-30', 'start:le:2026-9-1'])(
    'refuse to order by what is no ISO date: %s',
    (condition) => {
      expect(shownWhere(condition).problem).toMatch(
        /^`where` compares dates with ".*", which is no ISO date such as 2026-09-01 or 2026-09-01T08:00:00Z, nor a time ago such as -P30D\.$/,
      );
    },
  );

  test('compare a cell with as many values as an `in` has', () => {
    const values = Array.from({ length: 200 }, (_, index) => new Date(Date.UTC(2025, 0, 1 + index)).toISOString());
    const condition = { operator: 'in', value: JSON.stringify(values) } as const;
    const meets = testOf(condition);
    const cells = [values[199] ?? '', '2025-01-01', '2025-01-02T01:00+01:00', '2026-01-01', 'soon'];
    expect(cells.map(meets)).toEqual([true, true, true, false, false]);
  });

  test.each([
    ['start:eq:2026-02-30', []],
    ['start:ne:2026-9-1', [1, 2, 3, 4, 5, 6]],
    ['start:in:["2026-11-22","soon"]', [2, 3]],
  ])('find no text among dates, where only these say that they are dates: %s', (condition, ids) => {
    expect(shownWhere(condition)).toEqual({ ids, problem: null });
  });

  test.each([
    ['eq', '2026-02-30', true],
    ['eq', '2026-9-1', true],
    ['ne', '', false],
    ['in', '["2026-11-22","soon"]', true],
    ['lt', '2026-02-30', true],
    ['gt', '', true],
    ['has', 'soon', false],
  ] as const)('refuse texts that are no dates where its type says so: %s %s', (operator, value, refused) => {
    const refuse = () => refuseNoDate({ operator, value }, 'by type');
    if (refused) expect(refuse).toThrow('which is no ISO date');
    else expect(refuse).not.toThrow();
  });

  test('take a column that also has other texts: no date is before or after them, and they are found as text', () => {
    const rows = [...ROWS, { id: 7, start: 'soon' }, { id: 8, start: '22/11/2025' }, { id: 9, start: '2026-02-30' }];
    expect(shownWhere('start:ge:2026-11-22', rows)).toEqual({ ids: [2, 3, 4], problem: null });
    expect(shownWhere('start:lt:2027-01-01', rows)).toEqual({ ids: [1, 2, 3], problem: null });
    expect(shownWhere('start:gt:abc', rows)).toEqual({ ids: [7], problem: null });
    expect(shownWhere('start:eq:2026-11-22', rows).ids).toEqual([2, 3]);
    expect(shownWhere('start:in:["soon","2026-02-30"]', rows)).toEqual({ ids: [7, 9], problem: null });
    const onlyForm = [...ROWS, { id: 9, start: '2026-02-30' }];
    expect(shownWhere('start:eq:2026-02-30', onlyForm)).toEqual({ ids: [9], problem: null });
  });
});

describe('The order of dates', () => {
  const rows = [
    ...[{ id: 7, start: 'soon' }, { id: 8, start: '22/11/2025' }, ...ROWS.toReversed(), { id: 9, start: '2026-02-30' }],
    ...[
      { id: 10, start: '2026-11-22' },
      { id: 11, start: '2026-11-22T02:00:00+02:00' },
    ],
  ];
  const DATES = [2, 1, 10, 11, 3, 4];

  test.each([
    // Values that are not dates are sorted as text after all dates; equal instants stay in order.
    [false, [...DATES, 8, 9, 7, 6, 5]],
    [true, [4, 3, 10, 11, 1, 2, 7, 9, 8, 6, 5]],
  ])('is that of their instants, whatever their offsets, descending: %s', (descending, ids) => {
    const shown = shownRows({ rows }, 'rows[]', {
      choice: { ...EVERYTHING, order: { column: 'start', descending } },
    });
    expect(shown.rows.map((row) => row.cells()[0])).toEqual(ids);
  });
});
