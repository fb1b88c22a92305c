import { describe, expect, test } from 'vitest';
import { afterClick, colourSteps, isShown, nameOf, REST } from '../../analyst/page/map/colours.js';
import { mapSteps } from '../../analyst/page/map/points.js';
import type { Condition } from '../../rows/row-choice.js';
import { finish } from '../../rows/steps.js';
import { shownRows } from './shown-rows.js';

describe('The legend of the map', () => {
  const rows = (values: readonly unknown[]) =>
    values.map((value, index) => ({ id: index, of: value, lon: 2, lat: 48 })) as never;
  const colours = (values: readonly unknown[]) => {
    const shown = shownRows({ rows: rows(values) }, 'rows[]');
    const column = shown.columns.find(({ name }) => name === 'of');
    if (column === undefined) throw new Error('There is no column.');
    return finish(colourSteps(shown.rows, column));
  };

  test('has the most frequent values, and one class of the rest', () => {
    expect(colours(['a', 'a', 'b', null]).classes).toEqual([
      { colour: 0, count: 2, value: 'a' },
      { colour: 1, count: 1, value: 'b' },
      { colour: REST, count: 1, value: null },
    ]);
  });

  /** Clicks on values in turn; returns the values that are then shown, the classes that are, and the conditions. */
  function clicked(values: readonly unknown[], clicks: readonly string[], where: readonly Condition[] = []) {
    const conditions = clicks.reduce((before, value) => afterClick(before, 'of', value), where);
    const choice = { columns: null, where: conditions, order: null, distinct: false };
    const shown = shownRows({ rows: rows(values) }, 'rows[]', { choice });
    const column = shown.columns.find(({ name }) => name === 'of') ?? null;
    const { colouring } = finish(mapSteps(shown, shown.positions[0], column));
    const classes = colouring?.classes.filter((one) => isShown(conditions, 'of', one));
    return {
      cells: shown.rows.map((row) => row.cells()[1]),
      classes: classes?.map(({ colour }) => colour),
      conditions,
    };
  }

  test('leaves the rows of one value, and all of them again, by the same filter as the toolbar', () => {
    const values = ['a', 'a', 'b', 'c', null];
    expect(clicked(values, ['b'])).toEqual({
      cells: ['b'],
      classes: [1],
      conditions: [{ column: 'of', operator: 'eq', value: 'b' }],
    });
    expect(clicked(values, ['b', 'a']).cells).toEqual(['a', 'a']);
    expect(clicked(values, ['b', 'b'])).toEqual({ cells: values, classes: [0, 1, 2, REST], conditions: [] });
  });

  test('leaves the conditions of others alone', () => {
    const other: Condition = { column: 'id', operator: 'ge', value: '1' };
    expect(clicked(['a', 'a', 'b'], ['a'], [other])).toMatchObject({ cells: ['a'], conditions: [other, {}] });
  });

  test('knows a renamed column', () => {
    const choice = { columns: [{ name: 'a.b', title: 'B' }], where: [], order: null, distinct: false };
    expect([nameOf('B', choice), nameOf('c', choice)]).toEqual(['a.b', 'c']);
  });
});
