import { describe, expect, test } from 'vitest';
import { valueSteps } from '../../analyst/page/lists/loaded-list.js';
import { dayBeside, filterOf, searchOf, withFilter, withSearch } from '../../analyst/page/table/filter-panel.js';
import {
  type Condition,
  EVERYTHING,
  pickRows,
  type RowChoice,
  readRowChoice,
  writeRowChoice,
} from '../../rows/row-choice.js';
import { finish } from '../../rows/steps.js';
import { shownRows } from './shown-rows.js';

const ROWS = [
  { id: 1, city: 'Évreux', start: '2026-01-31T23:30:00Z', places: 4, note: null, kind: 'a' },
  { id: 2, city: 'Rouen', start: '2026-02-01', places: 12, note: null, kind: 'a' },
  { id: 3, city: null, start: null, places: null, note: null, kind: 'a' },
  { id: 4, city: 'Rouen', start: '2026-02-01', places: 12, note: null, kind: 'a' },
];

const idsWhere = (where: Condition[]): unknown[] =>
  shownRows({ rows: ROWS }, 'rows[]', { choice: { columns: null, where, order: null, distinct: false } }).rows.map(
    (row) => row.cells()[0],
  );

describe('A choice of rows', () => {
  test('is read from a link as it was written', () => {
    const choice: RowChoice = {
      columns: [
        { name: 'a.b', title: 'A: b & c' },
        { name: 'communes/nom', title: 'communes/nom' },
      ],
      where: [
        { column: '*', operator: 'has', value: 'a:b' },
        { column: 'a.b', operator: 'in', value: '["x","é, \\"y\\""]' },
        { column: 'c', operator: 'empty', value: 'false' },
      ],
      order: { column: 'a.b', descending: true },
      distinct: true,
    };
    const link = new URLSearchParams(new URLSearchParams(writeRowChoice(choice)).toString());
    expect(readRowChoice(link)).toEqual(choice);
    expect(readRowChoice(new URLSearchParams(writeRowChoice(readRowChoice(new URLSearchParams()))))).toEqual({
      columns: null,
      where: [],
      order: null,
      distinct: false,
    });
  });

  test('finds a text in any column, whatever its case and accents', () => {
    expect(searchOf(withSearch([], 'EVREUX'))).toBe('EVREUX');
    expect(idsWhere(withSearch([], 'EVREUX'))).toEqual([1]);
    expect(withSearch(withSearch([], 'x'), ' ')).toEqual([]);
    const rows = [{ title: 'Chœur de femmes' }, { title: 'CURRICULUM VITÆ' }, { title: 'Restos du coeur' }];
    const titles = (part: string) =>
      shownRows({ rows }, 'rows[]', { choice: { ...EVERYTHING, where: withSearch([], part) } }).rows.flatMap((row) =>
        row.cells(),
      );
    expect(titles('choeur')).toEqual(['Chœur de femmes']);
    expect(titles('CŒUR')).toEqual(['Restos du coeur']);
    expect(titles('vitae')).toEqual(['CURRICULUM VITÆ']);
  });

  test.each<[string, string, Parameters<typeof withFilter>[2], Partial<ReturnType<typeof filterOf>>, number[]]>([
    ['one value', 'city', 'text', { values: ['Rouen'] }, [2, 4]],
    ['several values', 'city', 'text', { values: ['Rouen', 'Évreux'] }, [1, 2, 4]],
    ['a part', 'city', 'text', { part: 'ou' }, [2, 4]],
    ['a range', 'places', 'number', { from: '4', to: '11' }, [1]],
    ['a last day, without what is the next one in Paris', 'start', 'date', { to: '2026-01-31' }, []],
    ['a first day, with what is the last one in UTC', 'start', 'date', { from: '2026-02-01' }, [1, 2, 4]],
    ['emptiness', 'city', 'text', { empty: 'true' }, [3]],
  ])('filters by %s, and shows the filter as it was set', (_name, column, kind, part, ids) => {
    const filter = { ...filterOf([], column, kind), ...part };
    const where = withFilter([], column, kind, filter);
    expect(idsWhere(where)).toEqual(ids);
    expect(filterOf(where, column, kind)).toEqual(filter);
  });

  const MOMENTS = [
    { id: 1, start: '2026-08-31T21:59:59Z' },
    { id: 2, start: '2026-08-31T22:00:00Z' },
    { id: 3, start: '2026-09-01T21:30:00' },
    { id: 4, start: '2026-09-01T22:00:00.000Z' },
    { id: 5, start: '2026-12-31T23:30:00Z' },
    { id: 6, start: '2026-09-01T00:30:00+04:00' },
  ];

  test.each<[string, string, number[]]>([
    ['2026-09-01', '2026-09-01', [2, 3]],
    ['2026-08-31', '2026-08-31', [1, 6]],
    ['2027-01-01', '', [5]],
    ['', '2026-08-31', [1, 6]],
  ])('filters times by their day in Paris, from %j to %j, as the file of a link does', (from, to, ids) => {
    const filter = { ...filterOf([], 'start', 'date'), from, to };
    const where = withFilter([], 'start', 'date', filter);
    const { list, rows } = shownRows({ rows: MOMENTS }, 'rows[]', { choice: { ...EVERYTHING, where } });
    expect(rows.map((row) => row.cells()[0])).toEqual(ids);
    expect(filterOf(where, 'start', 'date')).toEqual(filter);
    const { values } = finish(valueSteps(list, { name: 'start', part: '', most: 9 }));
    expect(values).toEqual([
      ['2026-08-31', 2],
      ['2026-09-01', 2],
      ['2026-09-02', 1],
      ['2027-01-01', 1],
    ]);
  });

  test('reads the days of a filter that was saved without a zone', () => {
    const where = [
      { column: 'start', operator: 'ge' as const, value: '2026-09-01' },
      { column: 'start', operator: 'lt' as const, value: '2026-09-02' },
    ];
    expect(filterOf(where, 'start', 'date')).toMatchObject({ from: '2026-09-01', to: '2026-09-01' });
  });

  test('offers the values of a column by their number of rows, equal ones in order: numbers by their value', () => {
    const valuesOf = (cells: readonly (number | string)[]) => {
      const { list } = shownRows({ rows: cells.map((cell) => ({ cell })) }, 'rows[]');
      return finish(valueSteps(list, { name: 'cell', part: '', most: 9 })).values.map(([value]) => value);
    };
    expect(valuesOf([10, -5, 2.5, -20, 7, 2.25, 7])).toEqual(['7', '-20', '-5', '2.25', '2.5', '10']);
    expect(valuesOf(['été', 'b', 'eau'])).toEqual(['b', 'eau', 'été']);
  });

  test('hides columns that are empty or the same in all rows, and rows that repeat', () => {
    const choice = { columns: null, where: [], order: null, distinct: false };
    const hidden = shownRows({ rows: ROWS }, 'rows[]', { choice, hidesUniform: true });
    expect(hidden.columns.map(({ name }) => name)).toEqual(['id', 'city', 'start', 'places']);
    const columns = [{ name: 'city', title: 'Ville' }];
    const distinct = shownRows({ rows: ROWS }, 'rows[]', { choice: { ...choice, columns, distinct: true } });
    expect([distinct.columns.map(({ name }) => name), distinct.rows.length]).toEqual([['Ville'], 3]);
  });

  test('leaves out what another list does not have, and says what cannot be compared', () => {
    const order = { column: 'gone', descending: false };
    const columns = ['gone', 'id'].map((name) => ({ name, title: name }));
    const other = shownRows({ rows: ROWS }, 'rows[]', { choice: { columns, where: [], order, distinct: false } });
    expect(other.columns.map(({ name }) => name)).toEqual(['id']);
    const where: Condition[] = [{ column: 'places', operator: 'gt', value: 'many' }];
    const failed = shownRows({ rows: ROWS }, 'rows[]', { choice: { ...other.choice, columns: null, where } });
    expect([failed.rows.length, failed.problem]).toEqual([4, expect.stringContaining('not a number')]);
  });

  test('takes objects for what they are: something that is no cell', () => {
    const rows = [
      { id: 1, at: { lat: 1 }, tags: [{ name: 'a' }] },
      { id: 2, at: null, tags: [] },
    ];
    const columns = ['id', 'at', 'tags'].map((name) => ({ name, title: name }));
    const order = { column: 'at', descending: false };
    const shown = (where: Condition[]) =>
      shownRows({ rows }, 'rows[]', { choice: { columns, where, order, distinct: false } });
    expect(shown([]).choice).toMatchObject({ columns: [{ name: 'id' }], order: null });
    for (const column of ['at', 'tags']) {
      const idsOf = (value: string) => shown([{ column, operator: 'empty', value }]).rows.map((row) => row.cells()[0]);
      expect([idsOf('true'), idsOf('false')]).toEqual([[2], [1]]);
    }
    expect(shown([{ column: 'at', operator: 'has', value: 'x' }]).problem).toContain('Name a column inside: at.lat.');
  });

  test('reads the text of a row once for all its conditions', () => {
    let reads = 0;
    const layout = { columns: [], positions: [], column: () => null, rowsOf: () => [] };
    const where = ['a', 'b', 'c'].map((value): Condition => ({ column: '*', operator: 'has', value }));
    const row = {
      cell: () => null,
      cells: () => {
        reads += 1;
        return ['abc'];
      },
      isEmpty: () => true,
      at: () => null,
    };
    expect(pickRows(layout, { ...EVERYTHING, where }).pick(row)).not.toBeNull();
    expect(reads).toBe(1);
  });

  test('names no column twice, under whatever titles', () => {
    const named = (columns: string) => () => readRowChoice(new URLSearchParams({ columns }));
    expect(named('a:x,a:y')).toThrow('`columns` names "a" twice.');
    expect(named('a:x,b:x')).toThrow('two columns with the title "x"');
  });

  test('goes from day to day over the end of a month', () => {
    expect([dayBeside('2026-02-28', 1), dayBeside('2026-03-01', -1), dayBeside('soon', 1)]).toEqual([
      '2026-03-01',
      '2026-02-28',
      'soon',
    ]);
  });
});
