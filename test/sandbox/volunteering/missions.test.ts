import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startVolunteering, type VolunteeringService, volunteeringKeys } from '../../../sandbox/volunteering/index.js';
import { readJson } from '../read-json.js';
import { ADDRESS_KEYS, FLAT_KEYS, MISSION_KEYS } from './documented-keys.js';
import { address, mission, PUBLISHERS, world } from './small-world.js';

const NICE = { city: 'Nice', departmentName: 'Alpes-Maritimes', postalCode: '06000', lat: 43.7, lon: 7.27 };

const missions = [
  mission('old', { startAt: '2024-01-01T00:00:00.000Z', createdAt: '2024-01-01T00:00:00.000Z', type: null }),
  mission('tie-1', { domain: 'sport', activity: 'Soutien, Accompagnement, Logistique' }),
  mission('tie-2', { title: 'Aider à la RECYCLERIE', snu: true, remote: 'full', openToMinors: 'no' }),
  mission('tie-3', { publisherId: PUBLISHERS[1].id, organizationName: 'Croix Verte', openToMinors: null }),
  mission('two', { addresses: [address(), address(NICE)], startAt: '2025-06-01T00:00:00.000Z', domain: 'sport' }),
  mission('local', { addresses: [], remote: 'local', startAt: null, domain: null, activity: null }),
  mission('bare', { addresses: [address({ lat: null, city: null })], startAt: '2024-06-01T00:00:00.000Z' }),
  mission('refused', { statusCode: 'REFUSED' }),
  mission('removed', { deletedAt: '2026-01-01T00:00:00.000Z' }),
];

let service: VolunteeringService;

beforeAll(async () => {
  service = await startVolunteering({ world: world({ missions }), now: () => Date.UTC(2026, 0, 1) });
});
afterAll(() => service.close());
afterEach(() => service.reset());
// What is sent is compared row by row.
beforeEach(() => {
  service.order = 'stable';
});

const get = (path: string, key: string = volunteeringKeys.operator) =>
  fetch(`${service.url}/v0${path}`, { headers: { 'x-api-key': key } });

/** Ids of a list's `data` or a search's `hits`, in order. */
async function ids(path: string): Promise<unknown> {
  const body = await readJson(get(path));
  if (typeof body !== 'object' || body === null) return body;
  const rows: unknown = 'hits' in body ? body.hits : 'data' in body ? body.data : [];
  return Array.isArray(rows) ? rows.map(({ _id }) => _id) : rows;
}

describe('the list (volunteering 2, 4.1)', () => {
  it('has the envelope and the keys that the serializer writes', async () => {
    const body = await readJson(get('/mission?limit=2&skip=1'));
    expect(Object.keys(Object(body))).toEqual(['ok', 'total', 'data', 'limit', 'skip']);
    expect(body).toMatchObject({ ok: true, total: 7, limit: 2, skip: 1 });
    const row = await readJson(get('/mission?clientId=client-two'), 'data.0');
    expect(Object.keys(Object(row)).sort()).toEqual([...MISSION_KEYS, ...FLAT_KEYS].sort());
    expect(Object.keys(Object(await readJson(get('/mission/two'), 'data.addresses.0'))).sort()).toEqual(ADDRESS_KEYS);
  });

  it('leaves flat address keys out where there is no address', async () => {
    const row = await readJson(get('/mission/local'), 'data');
    expect(Object.keys(Object(row)).sort()).toEqual([...MISSION_KEYS].sort());
  });

  it('shows accepted missions that are not removed, latest start first and missing starts before all (2.3, 2.4)', async () => {
    expect(await ids('/mission')).toEqual(['local', 'two', 'tie-1', 'tie-2', 'tie-3', 'bare', 'old']);
  });
});

describe('parameters (volunteering 2.1, 2.2)', () => {
  const table: [string, string, string[]][] = [
    ['one value', 'city=Nice', ['two']],
    ['a comma list, trimmed', 'city=Nice%2C%20Lyon', ['two']],
    ['a repeated key', 'domain=sport&domain=memoire', ['two', 'tie-1']],
    ['items of a repeated key, which are not split', 'city=Nice,Lyon&city=Lyon', []],
    ['an exact case', 'city=nice', []],
    ['a value with a comma, which cannot be sent alone', 'activity=Soutien,%20Accompagnement', []],
    [
      'a value with a comma, sent twice',
      'activity=Soutien,%20Accompagnement&activity=Soutien,%20Accompagnement',
      ['tie-1'],
    ],
    ['one activity of several', 'activity=Logistique&domain=sport', ['two', 'tie-1']],
    ['keywords in any case in the title', 'keywords=recycl', ['tie-2']],
    ['keywords, whatever text says', 'keywords=croix%20v&text=recycl', ['tie-3']],
    ['keywords in any city', 'keywords=nic', ['two']],
    ['a wildcard in keywords', 'keywords=n_ce%25', ['two']],
    ['an escaped wildcard in keywords', 'keywords=n%5C_ce', []],
    ['a partner', `publisher=${PUBLISHERS[1].id}`, ['tie-3']],
    ['an empty list of partners, which lets nothing through', 'publisher=,', []],
    ['a type', 'type=benevolat&type=benevolat&snu=true', ['tie-2']],
    ['remote', 'remote=full', ['tie-2']],
    ['yes and no in any of their words', 'openToMinors=FALSE', ['tie-2']],
    ['a client id', 'clientId=client-old,client-two', ['two', 'old']],
    ['two conditions', 'domain=sport&city=Nice', ['two']],
    ['a null, which no word names', 'type=benevolat&domain=null', []],
    ['createdAt after', 'createdAt=gt:2025-01-01&domain=sport', ['two', 'tie-1']],
    ['createdAt with any other operator, which means before', 'createdAt=gte:2025-01-01', ['old']],
  ];
  it.each(table)('filters by %s', async (_, query, expected) => {
    expect(await ids(`/mission?${query}`)).toEqual(expected);
  });

  it.each([
    ['an unknown key', 'cityname=Nice'],
    ['brackets', 'city[]=Nice'],
    ['an empty value', 'city='],
    ['snu=false', 'snu=false'],
    ['an unknown yes or no', 'openToMinors=perhaps'],
    ['a date in the printed form', 'startAt=%3E2026-01-01'],
    ['sortBy, associationId and size of the seed', 'sortBy=createdAt&associationId=x&size=1'],
    ['one coordinate alone', 'lat=48.85'],
  ])('drops %s silently', async (_, query) => {
    expect(await readJson(get(`/mission?${query}`), 'total')).toBe(7);
  });

  const refused: [string, string, object][] = [
    ['limit over its bound', 'limit=10001', { code: 'too_big', maximum: 10000, path: ['limit'] }],
    ['a negative skip', 'skip=-1', { code: 'too_small', minimum: 0, path: ['skip'] }],
    ['a word for a number', 'lat=north', { code: 'invalid_type', received: 'NaN', path: ['lat'] }],
    ['a type in a comma list', 'type=benevolat,benevolat', { code: 'invalid_union', path: ['type'] }],
    ['a date sent twice', 'startAt=gt:2024-01-01&startAt=lt:2025-01-01', { code: 'invalid_type', path: ['startAt'] }],
    ['another word for snu', 'snu=yes', { code: 'invalid_value', path: ['snu'] }],
  ];
  it.each(refused)('refuses %s: the issues are a text inside message (5.2)', async (_, query, issue) => {
    const response = await get(`/mission/search?${query}`);
    expect(response.status).toBe(400);
    const body = await readJson(response);
    expect(body).toEqual({
      ok: false,
      code: 'INVALID_QUERY',
      message: { name: 'ZodError', message: expect.stringMatching(/^\[\n {2}\{\n/) },
    });
    const [first] = JSON.parse(String(Object(body).message.message));
    expect(first).toMatchObject(issue);
  });
});

describe('pages (volunteering 3.1)', () => {
  const table: [string, number, number, number][] = [
    ['', 25, 0, 7],
    ['limit=', 0, 0, 0],
    ['limit=0', 0, 0, 0],
    ['size=2', 25, 0, 7],
    ['limit=10000&size=2', 2, 0, 2],
    ['from=5', 25, 5, 2],
    ['skip=6&from=5', 25, 6, 1],
  ];
  it.each(table)('understands `%s` as limit %d and skip %d', async (query, limit, skip, count) => {
    expect(await readJson(get(`/mission?${query}`))).toMatchObject({ limit, skip, total: 7, data: { length: count } });
  });
});

describe('the search (volunteering 3)', () => {
  it('searches a rectangle with any address, adds every local mission and measures to the first address (3.3, 3.5)', async () => {
    const body = await readJson(get('/mission/search?lat=43.7&lon=7.27&distance=10km'));
    expect(Object.keys(Object(body))).toEqual(['ok', 'total', 'hits', 'facets']);
    expect(body).toMatchObject({ total: 2, hits: [{ _id: 'local' }, { _id: 'two' }] });
    const [local, two] = Object(body).hits;
    expect(local).not.toHaveProperty('_distance');
    expect(two._distance).toBeGreaterThan(600);
  });

  it('reaches into the corners of the rectangle', async () => {
    const corner = 'lat=48.765&lon=2.23&distance=10km';
    expect(await ids(`/mission/search?${corner}&domain=sport`)).toEqual(['two', 'tie-1']);
    expect(await readJson(get(`/mission/search?${corner}&domain=sport`), 'hits.0._distance')).toBeGreaterThan(13);
  });

  it('wants the same address to satisfy place and distance', async () => {
    expect(await ids('/mission/search?lat=43.7&lon=7.27&city=Paris&remote=no')).toEqual([]);
    expect(await ids('/mission/search?lat=43.7&lon=7.27&city=Nice&remote=no')).toEqual(['two']);
  });

  it('leaves local missions out when remote is sent without that word', async () => {
    expect(await ids('/mission/search?lat=43.7&lon=7.27&city=Paris')).toEqual(['local']);
    expect(await ids('/mission/search?lat=43.7&lon=7.27&remote=no')).toEqual(['two']);
  });

  it.each(['lat=0&lon=7.27', 'lat=43.7&lon=0'])('switches geography off for %s', async (query) => {
    expect(await readJson(get(`/mission/search?${query}`), 'total')).toBe(7);
  });
});

describe('applicationUrl', () => {
  it('records a click on it as a call', async () => {
    const response = await fetch(`${service.url}/r/tie-1/60cd04a0d2321e05a743fa8e`, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(service.callLines()).toEqual(['GET /r/tie-1/60cd04a0d2321e05a743fa8e none']);
  });
});
