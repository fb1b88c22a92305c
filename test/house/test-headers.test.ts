import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Guards that every test file says what it guards: by its outermost `describe`, or by a comment that begins so. */

const tests = fileURLToPath(new URL('../', import.meta.url));

test('every test file says what it guards', () => {
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(200);
  const silent = files.filter((file) => !/^(describe\b|\/\*\* Guards )/m.test(readFileSync(`${tests}${file}`, 'utf8')));
  expect(silent).toEqual([]);
});
