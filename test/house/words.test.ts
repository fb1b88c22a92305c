import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const FOLDERS = [
  'composition',
  'docs',
  'examples',
  'gateway',
  'runtime',
  'sandbox',
  'schema',
  'scripts',
  'subgraphs',
  'test',
];

/** Terms in backticks in the last column of CONTRIBUTING's table of words. The others are words of plain English too. */
const BANNED = [...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/^\|.*\|([^|]+)\|$/gm)].flatMap(
  ([, avoided = '']) =>
    /^ `[a-z]/.test(avoided) ? [...avoided.matchAll(/`([a-z ]+)`/g)].map(([, term = '']) => term) : [],
);

test('nothing is called what the table of words avoids', () => {
  const used = new RegExp(`\\b(${BANNED.join('|')})s?\\b`, 'i');
  expect(BANNED.length).toBeGreaterThan(5);
  const lines = FOLDERS.flatMap(textFiles).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (used.test(line) ? [`${file}:${index + 1} ${used.exec(line)?.[0]}`] : [])),
  );
  expect(lines).toEqual([]);
});

function textFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(css|graphql|html|js|md|mjs|tsx?)$/.test(file))
    .map((file) => join(folder, file));
}
