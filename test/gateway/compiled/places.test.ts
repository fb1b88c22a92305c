import { describe, expect, test } from 'vitest';
import { objectsAt, placesOf } from '../../../gateway/execution/compiled/places.js';

/** Number of joins, each of which finds the same object twice. */
const JOINS = 24;

type Joined = Record<string, unknown>;

/** Data in which two to the power of `JOINS` paths lead from the root to one object. */
function thereAndBack(): { readonly root: Joined; readonly last: Joined } {
  const last: Joined = { id: 'last' };
  let root = last;
  for (let join = 0; join < JOINS; join += 1) root = { both: [root, root] };
  return { root, last };
}

const PATH = Array.from({ length: JOINS }, () => ['both', '@']).flat();

describe('Objects that are shared', () => {
  test('are found once, by as many steps as there are objects', () => {
    const { root, last } = thereAndBack();
    expect(objectsAt(root, PATH)).toEqual([last]);
  });

  test('are found in the order of the response', () => {
    const [one, two, three] = [{ id: 1 }, { id: 2 }, { id: 3 }];
    const root = { rows: [{ of: [two, one] }, { of: [one, three] }, { of: null }] };
    expect(objectsAt(root, ['rows', '@', 'of', '@'])).toEqual([two, one, three]);
  });

  test('have all their places, unless no response could hold them', () => {
    const shared = { id: 1 };
    const rows = { rows: [{ of: shared }, { of: { id: 2 } }, { of: shared }] };
    expect(placesOf(new Set([shared]), rows, ['rows', '@', 'of']).get(shared)).toEqual([
      ['rows', 0, 'of'],
      ['rows', 2, 'of'],
    ]);
    const { root, last } = thereAndBack();
    expect(() => placesOf(new Set([last]), root, PATH)).toThrow('errors at too many places');
  });
});
