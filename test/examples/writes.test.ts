import { createServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../examples/apollo/src/__generated__/persisted-documents.json' with { type: 'json' };
import { type WriteRoute, write, writesAt } from '../../examples/shared/writes.js';
import { freePorts } from '../bounds/support/free-port.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { APPLICATION } from '../work-study/support/application.js';

/** Guards the route through which the examples write: what goes on with the key, and what never does. */

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 } });
});
afterAll(() => stack.close());

const hashOf = (name: string) => Object.entries(manifest).find(([, text]) => text.includes(`${name}(`))?.[0] ?? '';
const extensionsOf = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

const routeNow = (): WriteRoute => ({ gateway: stack.url, key: stack.sandbox.keys.workStudy.alice, manifest });

function sent(body: unknown, site = 'same-origin') {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': site },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** Not those of the export, which is loaded meanwhile. */
const writes = () => stack.calls().filter((call) => call.includes('/apply'));

const send = (body: unknown, site?: string) =>
  write(new Request('http://page.example/write', sent(body, site)), routeNow());

describe('A route of your own for writes', () => {
  const input = { ...APPLICATION, recipientId: `partners_${'0'.repeat(24)}` };

  test('sends a listed mutation on with the key', async () => {
    const response = await send({ variables: { input }, extensions: extensionsOf(hashOf('mutation Apply')) });
    const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
    // The service knows no such recipient; without the key it would not have been asked.
    expect(errors?.[0]?.extensions.code).not.toBe('CREDENTIALS_REQUIRED');
    expect(writes()).toEqual([expect.stringContaining('POST')]);
  });

  test.each([
    ['a listed query', { variables: { name: 'Paris' }, extensions: extensionsOf(hashOf('query Communes')) }],
    ['a text', { query: 'mutation { __typename }' }],
    ['a hash that is not listed', { extensions: extensionsOf('0'.repeat(64)) }],
    ['nothing', null],
    ['what is no JSON', '{'],
  ])('sends nothing else on: %s', async (_what, body) => {
    const before = writes().length;
    expect((await send(body)).status).toBe(404);
    expect(writes()).toHaveLength(before);
  });

  test('sends another text beside a listed hash on as the listed one', async () => {
    const other = {
      query: '{ departements { nom } }',
      extensions: extensionsOf(hashOf('mutation Apply')),
      variables: { input },
    };
    const { data } = (await (await send(other)).json()) as { data: object };
    expect(Object.keys(data)).toContain('applyToJob');
  });

  test('sends nothing for the page of another site', async () => {
    expect((await send({ extensions: extensionsOf(hashOf('mutation Apply')) }, 'cross-site')).status).toBe(404);
  });

  test('passes on what the gateway says, in no encoding that it no longer has', async () => {
    const texts = Object.fromEntries(Object.keys(input).map((name) => [`${name}Misspelt`, '']));
    const response = await send({ variables: { input: texts }, extensions: extensionsOf(hashOf('mutation Apply')) });
    expect((await response.clone().text()).length).toBeGreaterThan(1_000);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    for (const name of ['content-encoding', 'content-length']) expect(response.headers.get(name)).toBeNull();
  });

  test('answers in Vite’s own server, which goes on when the gateway is away', async () => {
    let gateway = `http://127.0.0.1:${await freePorts(1)}`;
    const plugins = [writesAt('/write', () => ({ ...routeNow(), gateway }))];
    const page = await createServer({
      configFile: false,
      logLevel: 'silent',
      plugins,
      server: { host: '127.0.0.1', port: 0, ws: false, watch: null },
    });
    await page.listen();
    const url = new URL('/write', page.resolvedUrls?.local[0]);
    const apply = sent({ variables: { input }, extensions: extensionsOf(hashOf('mutation Apply')) });
    expect((await fetch(url, apply)).status).toBe(500);
    gateway = stack.url;
    expect(await (await fetch(url, apply)).json()).toMatchObject({ data: { applyToJob: { id: null } } });
    await page.close();
  });
});
