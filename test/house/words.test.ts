import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Guards the table of words in CONTRIBUTING. */

const root = fileURLToPath(new URL('../../', import.meta.url));

const FOLDERS = [
  'analyst',
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

const [, WORDS = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(/^## Words$/m);

/** Terms in backticks in the last column of CONTRIBUTING's table of words; the others are also plain English. */
const BANNED = [...WORDS.matchAll(/^\|.*\|([^|]+)\|$/gm)].flatMap(([, avoided = '']) =>
  [...avoided.matchAll(/`([a-z ]+)`/g)].map(([, term = '']) => term),
);

test('nothing is called what the table of words avoids', () => {
  expect(BANNED).toContain('hand out');
  expect(BANNED).toContain('tellable');
  expect(uses(new RegExp(`\\b(${BANNED.join('|')})s?\\b`, 'i'), textFiles)).toEqual([]);
});

/** Words that are good English, but not in names. */
const NO_NAMES = new RegExp(
  [
    String.raw`\b[A-Za-z]+(Answer|Question)s?\b`,
    String.raw`\b(ask|asks|asked|asking|began|kept|told)[A-Z]|\w(Ask|Asks|Asked|Kept|Told)\b|_KEPT\b|\bKEPT_`,
    String.raw`#renew|\b(const|let|function) \w*([rR]enew|RENEW)`,
    String.raw`\b(const|let|function|class|interface|type) [[{]?(ask|asked|Asked|kept|answers?|questions?)\b`,
  ].join('|'),
);

test('no name in code has a word that the table avoids', () => {
  // A lease is renewed; what is cached is refreshed or revalidated.
  const isCode = (file: string) => /\.(mjs|tsx?)$/.test(file) && !/redis(-lease.test)?.ts$/.test(file);
  expect(uses(NO_NAMES, (folder) => textFiles(folder).filter(isCode))).toEqual([]);
});

function uses(word: RegExp, filesOf: (folder: string) => readonly string[]): string[] {
  return FOLDERS.flatMap(filesOf)
    .filter((file) => !file.includes('__generated__') && file !== 'test/house/words.test.ts')
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (word.test(line) ? [`${file}:${index + 1} ${word.exec(line)?.[0]}`] : [])),
    );
}

function textFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(css|graphql|html|js|md|mjs|tsx?)$/.test(file))
    .map((file) => join(folder, file));
}
