import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Guards the path of a request through the files (docs/architecture.md, 3.1). */

const root = fileURLToPath(new URL('../../', import.meta.url));

/** More would be too many to read before a change. */
const MOST_FILES = 24;

test('the way of a request has at most 24 files, each named once', () => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const section = /### 3\.1 [\s\S]*?\n## /.exec(text)?.[0] ?? '';
  const files = [...section.matchAll(/`((?:gateway|runtime|subgraphs)\/[\w/.-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
  expect(files.length).toBeGreaterThan(MOST_FILES / 2);
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});
