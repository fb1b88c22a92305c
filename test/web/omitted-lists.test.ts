import { describe, expect, test } from 'vitest';
import { omittedLists, omittedNote, writeOmitted } from '../../rows/lists.js';

describe('Lists without columns', () => {
  test('are those inside the rows and, of a list that was not named, those beside it; never those around it', () => {
    const lists = ['a[]', 'a[].b.nodes[]', 'a[].b.nodes[].c[]', 'a[].d[]', 'e[]'].map((path) => ({ path, count: 1 }));
    const list = { path: 'a[].b.nodes[]' };
    expect(omittedLists(lists, { ...list, isNamed: true })).toEqual(['a.b.nodes.c']);
    expect(omittedLists(lists, { ...list, isNamed: false })).toEqual(['a.b.nodes.c', 'a.d', 'e']);
    expect(omittedLists([{ path: 'a[].b[]', count: 0 }], { path: 'a[]', isNamed: false })).toEqual([]);
  });

  test('are named as far as a header has room', () => {
    expect([writeOmitted([]), omittedNote([], 'fr')]).toEqual([null, null]);
    const names = Array.from({ length: 30 }, (_, index) => `a${index}`);
    expect(writeOmitted(['x'.repeat(5_000), ...names])).toMatch(/^a0, a1, .*, a19, 11 more$/);
    expect(omittedNote(['a.b', 'c'], 'fr')).toBe('a.b, c (path=a.b donne les lignes de la première)');
  });

  test('are counted where their names are none for a header', () => {
    const names = ['area.cœur', 'a\nb', 'x-y', 'areas.b'];
    expect(writeOmitted(names)).toBe('areas.b, 3 more');
    expect(omittedNote(names, 'fr')).toBe('areas.b, 3 de plus (path=areas.b donne les lignes de la première)');
    expect([['cœur'], ['x'.repeat(101), 'é']].map(writeOmitted)).toEqual(['1 list', '2 lists']);
    expect(omittedNote(['cœur'], 'en')).toBe('1 list');
    expect(omittedNote(['x'.repeat(101), 'é'], 'fr')).toBe('2 listes');
  });
});
