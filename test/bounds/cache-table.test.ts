import { describe, expect, test } from 'vitest';
import { CACHES } from '../../kernel/caches.js';
import { cacheTable } from './support/cache-table.js';

describe('The table of caches for operators', () => {
  test('names the caches of the program and their bounds', () => {
    const caches = Object.entries(CACHES).map(([name, cache]) => ({ name, ...cache }));
    expect(new Set(cacheTable())).toEqual(new Set(caches));
  });
});
