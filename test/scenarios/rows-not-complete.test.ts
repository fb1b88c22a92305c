import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseCsv } from '../web/support.js';
import { the } from './samples.js';
import { ONE_SHAPE, type Stack, startStack } from './stack.js';

const LACK = 'the list is not complete: its rows and counts are a lower bound';

describe('The rows of a list that is not complete', () => {
  let stack: Stack;
  let release = () => {};
  beforeAll(async () => {
    stack = await startStack({
      shape: ONE_SHAPE,
      sandbox: { scale: 0.02 },
      prepare: ({ workStudy }) => workStudy.fault({ kind: 'status', path: '/api/job/v1/export', status: 403 }),
    });
  });
  afterEach(() => release());
  afterAll(() => stack.close());

  const fileOf = async (query: string, more: Record<string, string> = {}) => {
    const response = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query, format: 'csv', ...more })}`);
    const name = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    const rows = parseCsv(await response.text()).slice(1);
    return { name, rows, incomplete: response.headers.get('x-passerelle-incomplete') };
  };

  test.each(['complete', 'counted total'])(
    'is marked in name, header and last line where counts say so by %s',
    async (said) => {
      const query = (where: string) => `{ missionCounts(by: [DOMAIN]${where}) { ${said} groups { key count } } }`;
      expect(await fileOf(query(', country: "FR"'))).toMatchObject({ name: 'groups.csv', incomplete: null });
      const change = (body: unknown) => ({ ...(body as object), total: 17_571 });
      release = stack.sandbox.volunteering.fault({ kind: 'wrong-type', path: '/v0/mission/search', change });
      const { name, rows, incomplete } = await fileOf(query(''));
      expect([name, incomplete]).toEqual(['groups-incomplete.csv', LACK]);
      expect(rows.at(-1)?.[0]).toBe(`# incomplete: cut after ${rows.length - 1} rows: ${LACK}`);
    },
  );

  test('are marked where facets are those of one page of the list', async () => {
    const path = 'missionSearch.facets.domains';
    const query = (filter: string) =>
      `{ missionSearch(first: 3${filter}) { totalCount facets { counted domains { key docCount } } } }`;
    expect(await fileOf(query(''), { path })).toMatchObject({ name: 'domains-incomplete.csv', incomplete: LACK });
    const none = query(', city: "Nulle part"');
    expect(await fileOf(none, { path })).toMatchObject({ name: 'domains.csv', incomplete: null });
  });

  test('are marked also where the query does not select what says it', async () => {
    const { organizations, offers } = stack.sandbox.world;
    const sirets = new Set(offers.map((offer) => (offer['workplace'] as { siret: string }).siret));
    const { siret } = the(organizations.find((one) => sirets.has(String(one['siret']))));
    const query = `{ organization(siret: "${siret}") { jobOffers(first: 1) { nodes { id } } workplaces { name } } }`;
    expect((await fileOf(query)).incomplete).toMatch(/^one page of 1 row; pages=all gives more, as far as its source/);
    expect(await fileOf(query, { pages: 'all' })).toMatchObject({ name: 'jobOffers-incomplete.csv', incomplete: LACK });
    const path = 'organization.workplaces';
    expect(await fileOf(query, { path })).toMatchObject({ name: 'workplaces-incomplete.csv', incomplete: LACK });
  });
});
