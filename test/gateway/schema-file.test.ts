/** Guards what code generators read: the graph as a file, which is served only where introspection is on. */
import { readFileSync } from 'node:fs';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { withSemanticNonNull } from '../../kernel/semantic-non-null.js';
import { startStack } from '../scenarios/stack.js';

const SMALL = { shape: 'in process', sandbox: { scale: 0.02 }, awaitsExport: false } as const;

test('the graph can be fetched as a file where introspection is on, and it is the one of schema/', async () => {
  const stack = await startStack(SMALL);
  const response = await fetch(`${stack.url}/schema.graphql`);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const committed = readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8');
  const served = await response.text();
  // Apart from the directive, it is the committed schema.
  expect(sorted(served).replace(/^directive @semanticNonNull.*\n\n/, '')).toBe(sorted(committed));
  const lines = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.includes('@semanticNonNull'))
      .sort();
  expect(lines(served)).toEqual(lines(withSemanticNonNull(committed)));
  await stack.close();
});

test('where introspection is off, it is not found', async () => {
  const stack = await startStack({ ...SMALL, env: { INTROSPECTION: 'off' } });
  const response = await fetch(`${stack.url}/schema.graphql`);
  expect(response.status).toBe(404);
  await stack.close();
});

function sorted(sdl: string): string {
  return printSchema(lexicographicSortSchema(buildSchema(sdl)));
}
