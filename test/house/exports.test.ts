import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Exports without a doc comment that are left in each room. These numbers only go down. */
const LEFT = { composition: 0, schema: 0, gateway: 0, runtime: 0, subgraphs: 0, sandbox: 119 };

test.each(Object.entries(LEFT))('every export of %s has a doc comment, but for at most %i', (room, left) => {
  const undocumented = sourcesOf(room).flatMap(undocumentedExports);
  expect(undocumented.length, undocumented.join('\n')).toBeLessThanOrEqual(left);
});

function undocumentedExports(file: string): string[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const [, name] = /^export (?:abstract |async )*(?:class|const|function|interface|type)\*? (\w+)/.exec(line) ?? [];
    const isDocumented = lines[index - 1]?.trimEnd().endsWith('*/') === true;
    // The second signature of an overloaded function belongs to the first.
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
