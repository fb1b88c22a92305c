import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Guards that every export has a doc comment. */

const root = fileURLToPath(new URL('../../', import.meta.url));

const ROOMS = [
  'analyst',
  'database',
  'gateway',
  'kernel',
  'rows',
  'runtime',
  'sandbox',
  'schema',
  'subgraphs',
  'wiring',
];

test.each(ROOMS)('every export of %s has a doc comment', (room) => {
  expect(sourcesOf(room).flatMap(undocumentedExports)).toEqual([]);
});

function undocumentedExports(file: string): string[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const [, name] = /^export (?:abstract |async )*(?:class|const|function|interface|type)\*? (\w+)/.exec(line) ?? [];
    const isDocumented = lines[index - 1]?.trimEnd().endsWith('*/') === true;
    // The second signature of an overloaded function shares the first one's comment.
    const isOverload = name !== undefined && lines[index - 1]?.startsWith(`export function ${name}(`) === true;
    return name === undefined || isDocumented || isOverload ? [] : [`${file}:${index + 1} ${name}`];
  });
}

function sourcesOf(room: string): string[] {
  return readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('__generated__'))
    .map((file) => join(room, file))
    .sort();
}
