import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../examples/apollo/src/__generated__/persisted-documents.json' with { type: 'json' };
import { write } from '../../examples/shared/writes.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { APPLICATION } from '../work-study/support/application.js';

/** Guards the route through which the examples write: what goes on with the key, and what never does. */

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, awaitsExport: false });
});
afterAll(() => stack.close());

const hashOf = (name: string) => Object.entries(manifest).find(([, text]) => text.includes(`${name}(`))?.[0] ?? '';
const extensionsOf = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

async function send(body: object, site = 'same-origin') {
  const request = new Request('http://page.example/write', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': site },
    body: JSON.stringify(body),
  });
  return write(request, { gateway: stack.url, key: stack.sandbox.keys.workStudy.alice, manifest });
}

describe('A route of your own for writes', () => {
  const input = { ...APPLICATION, recipientId: `partners_${'0'.repeat(24)}` };

  test('sends a listed mutation on with the key', async () => {
    const response = await send({ variables: { input }, extensions: extensionsOf(hashOf('mutation Apply')) });
    const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
    // The service knows no such recipient; without the key it would not have been asked.
    expect(errors?.[0]?.extensions.code).not.toBe('CREDENTIALS_REQUIRED');
    expect(stack.calls()).toEqual([expect.stringContaining('POST')]);
  });

  test.each([
    ['a listed query', { variables: { name: 'Paris' }, extensions: extensionsOf(hashOf('query Communes')) }],
    ['a text', { query: 'mutation { __typename }' }],
    ['a hash that is not listed', { extensions: extensionsOf('0'.repeat(64)) }],
  ])('sends nothing else on: %s', async (_what, body) => {
    const before = stack.calls().length;
    expect((await send(body)).status).toBe(404);
    expect(stack.calls()).toHaveLength(before);
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
});
