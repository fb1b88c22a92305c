import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Guards that no plain object is a map of foreign words: every object has a `constructor`, whatever is written in it. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const ROOMS = ['analyst', 'database', 'gateway', 'kernel', 'rows', 'runtime', 'subgraphs', 'wiring'];

/** Declared as an object with any text as key; parsed JSON, `unknown` inside, is checked by what reads it. */
const DECLARED = /(?:const |[(,{]\s*|readonly )#?([A-Za-z]\w*)\??: (?:Readonly<|Partial<)*Record<string, (?!unknown)/g;
/** Read by a name that is not written there. */
const READ = /(?<![\w$])#?([A-Za-z]\w*)\[([^\]'"`\d][^\]]*)\](?! =[^=])/g;
/** Not by foreign words: names of variables of this program, a map without a prototype, fields of our own schema. */
const OWN_WORDS = new Set(['env', 'flags', 'fields', 'values']);

function foreignReads(text: string): string[] {
  const names = new Set([...text.matchAll(DECLARED)].map(([, name]) => name));
  const reads = [...text.matchAll(READ)].filter(([, name = '']) => names.has(name) && !OWN_WORDS.has(name));
  return [...reads.map(([read]) => read), ...(text.match(/(?<=(?:return |\()\w+) in [A-Z]{2}[A-Z_]+\b/g) ?? [])];
}

test('no plain object is read by foreign words but through `ownValue`', () => {
  const found = ROOMS.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('__generated__'))
      .map((file) => join(room, file)),
  ).flatMap((file) => foreignReads(readFileSync(join(root, file), 'utf8')).map((read) => `${file}: ${read}`));
  expect(found).toEqual([]);
});

test.each([
  'const LABELS: Readonly<Record<string, string>> = {};\nreturn LABELS[word] ?? word;',
  'function f(words: Record<string, number>) { return words[row.title]; }',
  'return code in MEANINGS ? 1 : 0;',
])('%s is found', (text) => {
  expect(foreignReads(text)).toHaveLength(1);
});
