import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DIFFERENCES } from './differences.js';

/** Guards that the page on scaling lists the differences between engines that tests prove. */

test('docs/scaling.md has exactly the differences that `npm run test:engines` knows', () => {
  const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
  const [, table = ''] = /\| Our gateway \| Hive Gateway[^\n]*\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? [];
  expect(table).toBe(DIFFERENCES.map(({ what, instead }) => `| ${what} | ${instead} |\n`).join(''));
});
