import { afterEach, describe, expect, test } from 'vitest';
import type { OperationContext } from '../../schema/operation.js';
import { type OpenedGateway, openGateway } from './support/open-gateway.js';

const QUERY = '{ organization { id title } }';

let gateway: OpenedGateway;
afterEach(() => gateway.close());

/** Opens a gateway with this resolver for `organization`; returns the `way` of three equal requests. */
async function waysOf(organization: (context: { readonly operation: OperationContext }) => unknown) {
  const resolve = (_root: unknown, _args: unknown, context: { readonly operation: OperationContext }) =>
    organization(context);
  gateway = await openGateway({ resolvers: { volunteering: { Query: { organization: resolve } } } });
  const bodies = new Set<string>();
  for (const _time of [1, 2, 3]) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: QUERY }),
    });
    bodies.add((await response.text()).replace(/"requestId":"[^"]*"/g, ''));
  }
  expect(bodies.size).toBe(1);
  return gateway.log.filter(({ message }) => message === 'request answered').map(({ fields }) => fields['way']);
}

const ORGANIZATION = { id: 'o1', title: 'Les Amis' };

describe('A run that takes only what is at hand', () => {
  test('answers what resolvers give at once', async () => {
    expect(await waysOf(() => ORGANIZATION)).toEqual(['unknown', 'direct', 'direct']);
  });

  test('ends where its text is too long for one turn, and is not tried again', async () => {
    expect(await waysOf(() => ({ ...ORGANIZATION, title: 'x'.repeat(1024 * 1024) }))).toEqual([
      'unknown',
      'large',
      'large',
    ]);
  });

  test('ends where a resolver waits', async () => {
    expect(await waysOf(async () => ORGANIZATION)).toEqual(['unknown', 'waits', 'waits']);
  });

  test('ends where a value would be coerced', async () => {
    expect(await waysOf(() => ({ ...ORGANIZATION, title: 7 }))).toEqual(['unknown', 'unfit', 'unfit']);
  });

  test('ends where a value is an error, which is none of its fields', async () => {
    const given: unknown[] = [ORGANIZATION, new Error('not today')];
    const resolve = () => given.shift();
    gateway = await openGateway({ resolvers: { volunteering: { Query: { organization: resolve } } } });
    const query = '{ organization { title siret } }';
    const headers = { 'x-passerelle-trace': '0' };
    expect((await gateway.send(query, { headers })).errors).toBeUndefined();
    given.push(new Error('not today'));
    const { data, errors } = await gateway.send(query, { headers });
    expect(data).toEqual({ organization: null });
    expect(errors).toMatchObject([{ path: ['organization'] }]);
    expect(gateway.log.findLast(({ message }) => message === 'request answered')?.fields['way']).toBe('failed');
  });

  test('ends where something is missing, also when a resolver goes on as if it were not', async () => {
    const ways = await waysOf(({ operation }) => {
      try {
        operation.atHand?.giveUp('missing');
      } catch {
        return { ...ORGANIZATION, title: 'a guess' };
      }
      return ORGANIZATION;
    });
    expect(ways).toEqual(['unknown', 'missing', 'missing']);
  });

  test('is followed by an execution at once where making the calls ahead did not help a moment ago', async () => {
    let times = 0;
    const ways = await waysOf(({ operation }) => {
      operation.atHand?.giveUp('missing');
      times += 1;
      return ORGANIZATION;
    });
    expect(ways).toEqual(['unknown', 'missing', 'missing']);
    // Executed, then run ahead and executed, then only executed.
    expect(times).toBe(4);
  });
});
