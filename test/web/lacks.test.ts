import { describe, expect, test } from 'vitest';
import { lackOf } from '../../rows/extent.js';

describe('What a list lacks', () => {
  test.each([
    ['a list that is truncated', { a: { truncated: true, nodes: [] } }, 'a.nodes[]', 'truncated'],
    ['counts that are not complete', { a: { complete: false, groups: [] } }, 'a.groups[]', 'notComplete'],
    ['counts of less than all', { a: { counted: 1, total: 2, groups: [] } }, 'a.groups[]', 'notComplete'],
    ['counts of all', { a: { counted: 2, total: 2, complete: true, groups: [] } }, 'a.groups[]', null],
    ['counts of all that is known', { a: { counted: 2, total: null, groups: [] } }, 'a.groups[]', null],
    ['facets of a page', { a: { totalCount: 2, b: { counted: 1, c: [] } } }, 'a.b.c[]', 'notComplete'],
    ['facets of a whole list', { a: { totalCount: 2, b: { counted: 2, c: [] } } }, 'a.b.c[]', null],
    ['a list with a flag of its own', { a: { bComplete: false, b: [], c: [] } }, 'a.b[]', 'notComplete'],
    ['a list beside it', { a: { bComplete: false, b: [], c: [] } }, 'a.c[]', null],
    ['one of several parents', { a: [{}, { b: { complete: false, nodes: [] } }] }, 'a[].b.nodes[]', 'notComplete'],
    ['what the rows say of themselves', { a: [{ complete: false }] }, 'a[]', null],
    ['the whole response', { a: { complete: false } }, '', null],
  ])('is said by the objects around it: %s', (_name, data, path, lack) => {
    expect(lackOf(data, path)).toBe(lack);
  });
});
