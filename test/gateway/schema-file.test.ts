/** Guards what code generators read: the graph as a file, which is served only where introspection is on. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startStack } from '../scenarios/stack.js';

const SMALL = { shape: 'in process', sandbox: { scale: 0.02 }, awaitsExport: false } as const;

test('the graph can be fetched as a file where introspection is on, and it is the one of schema/', async () => {
  const stack = await startStack(SMALL);
  const response = await fetch(`${stack.url}/schema.graphql`);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const committed = readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8');
  expect(await response.text()).toBe(committed);
  expect(committed).toContain(' @semanticNonNull');
  const tag = response.headers.get('etag') ?? '';
  const again = await fetch(`${stack.url}/schema.graphql`, { headers: { 'if-none-match': tag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  const { version } = (await (await fetch(`${stack.url}/healthz`)).json()) as { version?: string };
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect([response, again].map(({ headers }) => headers.get('x-passerelle-version'))).toEqual([version, version]);
  await stack.close();
});

test('where introspection is off, it is not found', async () => {
  const stack = await startStack({ ...SMALL, env: { INTROSPECTION: 'off' } });
  const response = await fetch(`${stack.url}/schema.graphql`);
  expect(response.status).toBe(404);
  await stack.close();
});
