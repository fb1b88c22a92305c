import { afterEach, describe, expect, test } from 'vitest';
import { type OpenedGateway, openGateway, post } from './support/open-gateway.js';

let gateway: OpenedGateway;
afterEach(() => gateway.close());

const ORGANIZATION = { id: 'o1', title: 'Les Amis' };
const QUERY = '{ organization { id title } }';

/** How requests were answered, and why those that were executed were not answered from memory. */
function ways(): unknown[] {
  const lines = gateway.log.filter(({ message }) => message === 'request answered');
  return lines.map(({ fields: { way, reason } }) => (reason === undefined ? way : `${way}, ${reason}`));
}

/** Sends a query three times to a gateway with this resolver for `organization`; returns how it was answered. */
async function waysBy(organization: () => unknown, parameters: object = { query: QUERY }): Promise<unknown[]> {
  const resolvers = { volunteering: { Query: { organization } } };
  gateway = await openGateway({ resolvers, isRemembered: true });
  const data = [];
  for (const _time of [1, 2, 3]) data.push((await post(`${gateway.url}/graphql`, parameters)).data);
  expect(new Set(data.map((one) => JSON.stringify(one))).size).toBe(1);
  return ways();
}

const REMEMBERED = ['schema, unknown', 'whole response', 'whole response'];
const EXECUTED = ['schema, unknown', 'schema, unknown', 'schema, unknown'];

describe('A whole response', () => {
  test.each([
    ['given at once', () => ORGANIZATION],
    ['waited for', async () => ORGANIZATION],
    ['coerced', () => ({ ...ORGANIZATION, title: 7 })],
  ])('is remembered, be its values %s', async (_how, organization) => {
    expect(await waysBy(organization)).toEqual(REMEMBERED);
  });

  test('is executed again where it has more than 256 kB', async () => {
    expect(await waysBy(() => ({ ...ORGANIZATION, title: 'x'.repeat(256 * 1024) }))).toEqual(EXECUTED);
  });

  test('is executed again where it has an error, also beside data', async () => {
    const failing = () => ({ ...ORGANIZATION, title: new Error('not today') });
    expect(await waysBy(failing)).toEqual(EXECUTED);
  });

  test('is that of its operation: of its text, of the name that is run, and of its variables', async () => {
    const query = 'query A($of: Float) { organization { id } half(of: $of) } query B { organization { title } }';
    gateway = await openGateway({
      isRemembered: true,
      resolvers: {
        volunteering: { Query: { organization: () => ORGANIZATION, half: (_: unknown, { of = 0 }) => of / 2 } },
      },
    });
    const of = async (operationName: string, variables?: object) =>
      (await post(`${gateway.url}/graphql`, { query, operationName, variables })).data;
    for (const _time of [1, 2]) {
      expect(await of('A', { of: 4 })).toEqual({ organization: { id: 'o1' }, half: 2 });
      expect(await of('A', { of: 6 })).toEqual({ organization: { id: 'o1' }, half: 3 });
      expect(await of('B')).toEqual({ organization: { title: 'Les Amis' } });
    }
    expect(ways()).toEqual([...EXECUTED, 'whole response', 'whole response', 'whole response']);
  });
});
