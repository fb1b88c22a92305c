import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIRST, WAITING } from '../order-of-files.js';

/** Guards the order of a whole run, in which a renamed file would silently lose its place. */

test('files that are begun first or among others exist, each named once', () => {
  const names = [...FIRST, ...WAITING];
  expect(names.filter((name) => !existsSync(new URL(`../${name}.test.ts`, import.meta.url)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
