import { describe, expect, test } from 'vitest';
import {
  countable,
  countSteps,
  departmentOf,
  orderSteps,
  placedGroups,
  stacksOf,
  usualCounting,
} from '../../analyst/page/counts/counting.js';
import type { Json, JsonObject } from '../../rows/path.js';
import { finish } from '../../rows/steps.js';
import { shownRows } from './shown-rows.js';

const ROWS = [
  { domain: 'sport', departement: { code: '76' }, places: 2 },
  { domain: 'sport', departement: { code: '2A' }, places: 10 },
  { domain: 'sante', departement: { code: '76' }, places: null },
  { domain: null, departement: { code: '76' }, places: 3 },
  { domain: 'sport', departement: null, places: 5 },
];

function counted(by: string[], of: string | null, data: JsonObject[] = ROWS) {
  const { list, rows } = shownRows({ rows: data }, 'rows[]');
  const column = (name: string) => {
    const found = list.layout.column(name);
    if (found === null) throw new Error(name);
    return found;
  };
  return finish(countSteps(rows, { by: by.map(column), of: of === null ? null : column(of) }));
}

describe('Counts', () => {
  test('are of the rows of each value; of rows that are counts themselves, their sums', () => {
    const counts = (of: string | null) => counted(['domain'], of).map(({ key, count }) => [...key, count]);
    expect(counts(null)).toEqual([
      ['sport', 3],
      ['sante', 1],
      [null, 1],
    ]);
    expect(counts('places')).toEqual([
      ['sport', 17],
      ['sante', 0],
      [null, 3],
    ]);
  });

  test('are of pairs, the greatest first', () => {
    const pairs = finish(orderSteps(counted(['departement.code', 'domain'], null)));
    expect(pairs.map(({ key, count }) => [...key, count])).toEqual([
      ['2A', 'sport', 1],
      ['76', 'sante', 1],
      ['76', 'sport', 1],
      ['76', null, 1],
      [null, 'sport', 1],
    ]);
  });

  test('of dates come in the order of their instants, as rows do', () => {
    const [early, late] = ['2026-10-25T02:30:00+02:00', '2026-10-25T01:45:00Z'];
    const groups = counted(['at'], null, [{ at: 'bientôt' }, { at: late }, { at: null }, { at: early }]);
    expect(finish(orderSteps(groups)).map(({ key }) => key[0])).toEqual([early, late, 'bientôt', null]);
  });

  test('leave equal ones in the order of the rows where they are very many', () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ id: `${(index * 7) % 3001}` }));
    const groups = finish(orderSteps(counted(['id'], null, [...many, { id: 'x' }, { id: 'x' }])));
    expect(groups.slice(0, 3).map(({ key, count }) => [...key, count])).toEqual([
      ['x', 2],
      ['0', 1],
      ['7', 1],
    ]);
  });

  test('say how many groups the map does not draw: no département, and overseas collectivities', () => {
    const data = ['76', '2A', '974', '988', '975', null].map((code) => ({ departement: { code } }));
    const { list } = shownRows({ rows: data }, 'rows[]');
    const by = list.layout.columns.filter(({ name }) => name === 'departement.code');
    const placed = placedGroups(counted(['departement.code'], null, data), by);
    expect([...(placed?.values.keys() ?? [])]).toEqual(['76', '2A', '974']);
    expect(placed?.elsewhere).toBe(3);
  });

  test('are by département where a column is one, and sum what is counted already', () => {
    expect(usualCounting(shownRows({ rows: ROWS }, 'rows[]').list, '')).toEqual({
      ...{ by: ['departement.code'], of: '' },
    });
    const groups = [
      { key: ['76'], label: ['Seine-Maritime'], count: 12 },
      { key: ['2A'], label: ['Corse-du-Sud'], count: 3 },
    ];
    expect(usualCounting(shownRows({ groups }, 'groups[]').list, '')).toMatchObject({ of: 'count' });
    const domains = [{ label: ['Sport'], count: 12 }];
    expect(usualCounting(shownRows({ domains }, 'domains[]').list, '')).toMatchObject({ by: ['label'], of: 'count' });
  });

  test('are by the column that the question names, if its values repeat', () => {
    const rows = ['a', 'b', 'a', 'b', 'a'].map((domain, id) => ({
      id: `${id}`,
      domain,
      city: id < 3 ? 'Lyon' : 'Rouen',
    }));
    const { list } = shownRows({ rows }, 'rows[]');
    expect(usualCounting(list, 'MissionsByCity').by).toEqual(['city']);
    expect(usualCounting(list, 'MissionsOfADomain').by).toEqual(['domain']);
    expect(usualCounting(list, 'ById').by).toEqual(['domain']);
  });

  test('of two columns are bars with parts, whose greatest kinds have colours of their own, and all others one', () => {
    const groups = counted(['departement.code', 'domain'], null, ROWS);
    const { stacks, kinds } = stacksOf(groups, 1);
    expect(kinds).toEqual(['sport', 'sante', null]);
    expect(stacks[0]).toEqual({
      key: '76',
      total: 3,
      parts: [
        { kind: 'sport', value: 1, colour: 0 },
        { kind: null, value: 2, colour: 1 },
      ],
    });
  });

  const countsOf = (cells: readonly Json[], dates: boolean) => {
    const { list, rows } = shownRows({ rows: cells.map((at) => ({ at })) }, 'rows[]');
    const by = list.layout.columns;
    const groups = finish(countSteps(countable(rows, by, dates ? by : []), { by, of: null }));
    return groups.map(({ key, count }) => [key[0], count]);
  };

  test.each([
    [
      ['2026-07-18', '2026-07-02', null],
      [
        ['2026-07', 2],
        [null, 1],
      ],
    ],
    // The last evening of a month in UTC is the first of the next in Paris.
    [
      ['2026-06-30T22:00:00Z', '2026-06-30T21:59:59Z', '2026-12-31T23:30:00'],
      [
        ['2026-07', 1],
        ['2026-06', 1],
        ['2027-01', 1],
      ],
    ],
    [
      ['2026-07-01T00:30:00+04:00', 'soon', ''],
      [
        ['2026-06', 1],
        ['soon', 1],
        ['', 1],
      ],
    ],
  ])('of dates are by month in Paris: %j', (cells, groups) => {
    expect(countsOf(cells, true)).toEqual(groups);
  });

  test('of lists have each item, and texts that look like lists stay whole', () => {
    expect(countsOf([['FULL', 'POSSIBLE'], ['FULL'], [], null, ['FULL', 'FULL']], false)).toEqual([
      ['FULL', 3],
      ['POSSIBLE', 1],
      [null, 2],
    ]);
    expect(countsOf(['Vente | Lyon', 'Vente'], false)).toEqual([
      ['Vente | Lyon', 1],
      ['Vente', 1],
    ]);
  });

  test('of two columns of lists have each pair of items', () => {
    const data = {
      rows: [
        { a: ['x', 'y'], b: ['p'], n: 2 },
        { a: ['x'], b: ['p', 'q'], n: 3 },
      ],
    };
    const { list, rows } = shownRows(data, 'rows[]');
    const [a, b, n] = list.layout.columns;
    if (a === undefined || b === undefined || n === undefined) throw new Error('no columns');
    const groups = finish(countSteps(countable(rows, [a, b], []), { by: [a, b], of: n }));
    expect(groups.map(({ key, count }) => [...key, count])).toEqual([
      ['x', 'p', 5],
      ['y', 'p', 2],
      ['x', 'q', 3],
    ]);
  });

  test.each([
    ['Seine-St-Denis', 'commune.departement.nom', '93'],
    ['COTE D’OR', 'departement', '21'],
    ['2a', 'départements', '2A'],
    ['974', 'key', '974'],
    ['76', 'places', null],
    ['99', 'departement', null],
    [76, 'departement', null],
    [null, 'departement', null],
  ])('know the département of %s in %s', (cell, column, code) => {
    expect(departmentOf(cell, column)).toBe(code);
  });
});
