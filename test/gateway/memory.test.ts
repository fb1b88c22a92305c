import { afterEach, describe, expect, test } from 'vitest';
import type { OperationContext } from '../../kernel/operation.js';
import { type OpenedGateway, openGateway } from './support/open-gateway.js';

const QUERY = '{ organization { id title } }';

interface Context {
  readonly operation: OperationContext;
}

let gateway: OpenedGateway;
afterEach(() => gateway.close());

/** How requests were answered, and why those that were executed were not answered from memory. */
function answersOf({ log }: OpenedGateway): unknown[] {
  const lines = log.filter(({ message }) => message === 'request answered');
  return lines.map(({ fields: { way, reason } }) => (reason === undefined ? way : `${way}, ${reason}`));
}

/** Opens a gateway with this resolver for `organization`; returns how three equal requests were answered. */
async function answersBy(organization: (context: Context) => unknown) {
  const resolve = (_root: unknown, _args: unknown, context: Context) => organization(context);
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
  return answersOf(gateway);
}

/** How an operation is answered that is not known yet. */
const EXECUTED = 'schema, unknown';
const ORGANIZATION = { id: 'o1', title: 'Les Amis' };

describe('A cached run', () => {
  test('ways what resolvers give at once', async () => {
    expect(await answersBy(() => ORGANIZATION)).toEqual([
      EXECUTED,
      'texts',
      expect.stringMatching(/^(same body|whole response)$/),
    ]);
  });

  test('A cached run ends where its text is too long for one turn, and is not tried again', async () => {
    expect(await answersBy(() => ({ ...ORGANIZATION, title: 'x'.repeat(1024 * 1024) }))).toEqual([
      EXECUTED,
      'schema, large',
      'schema, large',
    ]);
  });

  test('A cached run ends where a resolver waits', async () => {
    expect(await answersBy(async () => ORGANIZATION)).toEqual([EXECUTED, 'schema, waits', 'schema, waits']);
  });

  test('A cached run ends where a value would be coerced', async () => {
    expect(await answersBy(() => ({ ...ORGANIZATION, title: 7 }))).toEqual([
      EXECUTED,
      'schema, unfit',
      'schema, unfit',
    ]);
  });

  test('A cached run ends where a value is an error, which is none of its fields', async () => {
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
    expect(answersOf(gateway).at(-1)).toBe('schema, failed');
  });

  test('A cached run ends where something is missing, also when a resolver goes on as if it were not', async () => {
    const ways = await answersBy(({ operation }) => {
      try {
        operation.cachedRun?.bailOut('missing');
      } catch {
        return { ...ORGANIZATION, title: 'a guess' };
      }
      return ORGANIZATION;
    });
    expect(ways).toEqual([EXECUTED, 'schema, missing', 'schema, missing']);
  });
});
