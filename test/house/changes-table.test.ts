import { readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { expect, test } from 'vitest';
import { readApi, readReleased } from '../../scripts/docs/api.js';

/** Guards that whoever misses something of the graph finds it in the table of docs/changes.md, section 3. */

const page = readFileSync(new URL('../../docs/changes.md', import.meta.url), 'utf8');
const table = /^## 3\..*?(?=^## 4\.)/ms.exec(page)?.[0] ?? '';
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1);

/** Coordinates of what breaks between two graphs, and of which no row has the last two names. */
async function missing(before: GraphQLSchema, after: GraphQLSchema): Promise<string[]> {
  const changes = await diff(before, after);
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ path = '' }) => path)
    .filter((path) => {
      const names = path.replace(/\.@.*/, '').split('.').slice(-2);
      return !rows.some((row) => names.every((name) => name === 'Query' || RegExp(`\\b${name}\\b`).test(row)));
    });
}

test('everything of the last release that breaks has a row', async () => {
  expect(await missing(readReleased(), readApi())).toEqual([]);
});

test('what has no row is found', async () => {
  const graph = (fields: string) => buildSchema(`type Query { ${fields} } type Unheard { of: Int }`);
  expect(await missing(graph('some(thing: Int): Unheard'), graph('some: Unheard'))).toEqual(['Query.some.thing']);
  expect(await missing(graph('some: Unheard, other: Int'), graph('some: Unheard'))).toEqual(['Query.other']);
});
