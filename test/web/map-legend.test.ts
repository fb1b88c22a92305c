import { describe, expect, test } from 'vitest';
import { afterClick, colourSteps, hiddenColours, nameOf, REST } from '../../analyst/page/map/colours.js';
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

  /** Clicks on classes in turn; returns the values that are then shown, the hidden classes and the conditions. */
  function clicked(values: readonly unknown[], clicks: readonly number[], where: readonly Condition[] = []) {
    let conditions = where;
    const choose = () => {
      const choice = { columns: null, where: conditions, order: null, distinct: false };
      const shown = shownRows({ rows: rows(values) }, 'rows[]', { choice });
      const column = shown.columns.find(({ name }) => name === 'of') ?? null;
      const { colouring } = finish(mapSteps(shown, shown.positions[0], column));
      if (colouring === null) throw new Error('There are no colours.');
      return { shown, colouring };
    };
    for (const colour of clicks) {
      const { colouring } = choose();
      const one = colouring.classes.find((candidate) => candidate.colour === colour);
      if (one === undefined) throw new Error(`There is no class ${colour}.`);
      conditions = afterClick(conditions, 'of', colouring, one);
    }
    const { shown, colouring } = choose();
    const cells = shown.rows.map((row) => row.cells()[1]);
    return { cells, hidden: [...hiddenColours(conditions, 'of', colouring)], conditions };
  }

  test('hides values and shows them again, by the same filter as the toolbar', () => {
    const values = ['a', 'a', 'b', 'c', null];
    expect(clicked(values, [0])).toEqual({
      cells: ['b', 'c', null],
      hidden: [0],
      conditions: [{ column: 'of', operator: 'ne', value: 'a' }],
    });
    expect(clicked(values, [0, 1]).cells).toEqual(['c', null]);
    expect(clicked(values, [0, 1, 0]).cells).toEqual(['a', 'a', 'c', null]);
    expect(clicked(values, [REST])).toMatchObject({ cells: ['a', 'a', 'b', 'c'], hidden: [REST] });
    expect(clicked(values, [REST, 0, 1])).toMatchObject({ cells: ['c'], hidden: [0, 1, REST] });
    expect(clicked(values, [REST, 0, 1, 2])).toMatchObject({ cells: [], hidden: [0, 1, 2, REST] });
    expect(clicked(values, [REST, 0, REST, 0])).toMatchObject({ cells: values, hidden: [], conditions: [] });
  });

  test('leaves the conditions of others alone', () => {
    const other: Condition = { column: 'id', operator: 'ge', value: '1' };
    expect(clicked(['a', 'a', 'b'], [1], [other])).toMatchObject({
      cells: ['a'],
      conditions: [other, { operator: 'ne' }],
    });
  });

  test('knows a renamed column', () => {
    const choice = { columns: [{ name: 'a.b', title: 'B' }], where: [], order: null, distinct: false };
    expect([nameOf('B', choice), nameOf('c', choice)]).toEqual(['a.b', 'c']);
  });
});
