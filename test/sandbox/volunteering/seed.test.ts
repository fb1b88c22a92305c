import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVolunteering, type VolunteeringService, volunteeringKeys } from '../../../sandbox/volunteering/index.js';
import { readJson } from '../read-json.js';
import { SEED_MISSION_KEYS, SEED_ORGANIZATION_KEYS } from './documented-keys.js';
import { address, mission, organization, PUBLISHERS, world } from './small-world.js';

const missions = [
  mission('near', { title: 'Lecture à haute voix', createdAt: '2026-01-01T00:00:00.000Z', type: null }),
  mission('far', {
    addresses: [address({ lat: 48.8541 + 45 / 111.2, departmentName: 'Oise', city: 'Chantilly' })],
    createdAt: '2025-01-01T00:00:00.000Z',
    type: 'volontariat_service_civique',
    organizationRNA: null,
    organizationSiren: null,
    domain: 'sport',
  }),
  mission('further', {
    addresses: [address({ lat: 48.8541 + 55 / 111.2, city: 'Creil' })],
    createdAt: '2024-01-01T00:00:00.000Z',
    publisherId: PUBLISHERS[1].id,
    publisherName: PUBLISHERS[1].name,
    description: 'Tri des livres',
    remote: 'local',
    activity: null,
  }),
  mission('refused', { statusCode: 'REFUSED', statusComment: 'Titre manquant' }),
  mission('removed', { deletedAt: '2026-01-01T00:00:00.000Z' }),
];

const organizations = [
  organization('68f0b6f2c1a7d90011aa22bb', { title: 'CROIX ROUGE', rna: 'W751206979', siret: '77567227221138' }),
  ...Array.from({ length: 30 }, (_, index) => organization(`many-${index}`, { title: 'AMICALE' })),
];

let service: VolunteeringService;

beforeAll(async () => {
  service = await startVolunteering({ world: world({ missions, organizations }), era: 'seed' });
});
afterAll(() => service.close());

const get = (path: string, key: string = volunteeringKeys.operator) =>
  fetch(`${service.url}/v0${path}`, { headers: { apikey: key } });

async function ids(path: string): Promise<unknown> {
  const body = Object(await readJson(get(path)));
  return (body.hits ?? body.data ?? []).map((row: { _id: string }) => row._id);
}

describe('the mission list of the seed (volunteering 12.4.1)', () => {
  it('has the documented envelope and fields, companyName and companyUrl included (volunteering 12.2.1)', async () => {
    const body = await readJson(get('/mission?limit=1'));
    expect(Object.keys(Object(body)).sort()).toEqual(['data', 'limit', 'ok', 'skip', 'total']);
    expect(body).toMatchObject({ ok: true, total: 3, limit: 1, skip: 0 });
    const row = Object(await readJson(get('/mission?limit=1'), 'data.0'));
    for (const key of [...SEED_MISSION_KEYS, 'companyName', 'companyUrl']) expect(row).toHaveProperty(key);
    expect(row).toMatchObject({
      address: '46 Rue Saint-Antoine',
      adresse: '46 Rue Saint-Antoine',
      lonlat: [2.3643, 48.8541],
    });
  });

  it('filters by its own parameters, comma-separated where documented', async () => {
    expect(await ids('/mission?city=Creil,Chantilly')).toEqual(['far', 'further']);
    expect(await ids('/mission?departmentName=Oise')).toEqual(['far']);
    expect(await ids('/mission?type=volontariat-service-civique')).toEqual(['far']);
    expect(await ids('/mission?associationRNA=W922000733,W000000000&limit=1')).toEqual(['near']);
    expect(await ids('/mission?clientId=client-near,client-far')).toEqual(['near', 'far']);
    const associationId = String(await readJson(get('/mission/near'), 'data.associationId'));
    expect(await ids(`/mission?associationId=${associationId}`)).toHaveLength(3);
  });

  it('pages by skip and limit, not by from and size', async () => {
    expect(await ids('/mission?skip=1&limit=1')).toEqual(['far']);
    expect(await ids('/mission?from=1&size=1')).toHaveLength(3);
  });

  it('reports a bad number as an object inside message (volunteering 5.2)', async () => {
    expect(await readJson(get('/mission?limit=abc'))).toEqual({
      ok: false,
      code: 'INVALID_QUERY',
      message: {
        issues: [
          {
            code: 'invalid_type',
            expected: 'number',
            received: 'nan',
            path: ['limit'],
            message: 'Expected number, received nan',
          },
        ],
        name: 'ZodError',
      },
    });
  });
});

describe('the mission search of the seed (volunteering 12.4.2)', () => {
  it('has total, hits and facets over the whole match, and no ok', async () => {
    const body = Object(await readJson(get('/mission/search?size=1')));
    expect(Object.keys(body).sort()).toEqual(['facets', 'hits', 'total']);
    expect(body.hits).toHaveLength(1);
    expect(body.total).toBe(3);
    expect(body.facets).toEqual({
      departmentName: [
        { key: 'Paris', doc_count: 2 },
        { key: 'Oise', doc_count: 1 },
      ],
      activities: [
        { key: 'Logistique', doc_count: 2 },
        { key: '', doc_count: 1 },
      ],
      domains: [
        { key: 'environnement', doc_count: 2 },
        { key: 'sport', doc_count: 1 },
      ],
    });
  });

  it('says deleted as a text, leaves company fields out, and knows no local missions (volunteering 12.2.1)', async () => {
    const row = Object(await readJson(get('/mission/search?text=creil'), 'hits.0'));
    expect(row).toMatchObject({ _id: 'further', deleted: 'no', remote: 'no', activity: '' });
    expect(row).not.toHaveProperty('companyName');
    expect(row).not.toHaveProperty('_distance');
  });

  it('pages by size and from', async () => {
    expect(await ids('/mission/search?size=2&from=1')).toEqual(['far', 'further']);
  });

  it.each([
    ['title', 'lecture', ['near']],
    ['description', 'tri%20livres', ['further']],
    ['publisherName', 'reserve', ['further']],
    ['city', 'chantilly', ['far']],
    ['no other field', 'environnement', []],
  ])('searches text in %s', async (_, text, expected) => {
    expect(await ids(`/mission/search?text=${text}`)).toEqual(expected);
  });

  it('searches a circle of 50 km by default', async () => {
    expect(await ids('/mission/search?lat=48.8541&lon=2.3643')).toEqual(['near', 'far']);
    expect(await ids('/mission/search?lat=48.8541&lon=2.3643&distance=60')).toEqual(['near', 'far', 'further']);
    const corner = 'lat=48.765&lon=2.23&distance=10km';
    expect(await ids(`/mission/search?${corner}`)).toEqual([]);
  });

  it('sorts by creation or around the point, and only then says the distance', async () => {
    expect(await ids('/mission/search?sortBy=createdAt')).toEqual(['near', 'far', 'further']);
    const around = 'lat=49.35&lon=2.3643&distance=100km';
    expect(await ids(`/mission/search?${around}&sortBy=localisation`)).toEqual(['further', 'far', 'near']);
    expect(await readJson(get(`/mission/search?${around}&sortBy=localisation`), 'hits.0._distance')).toBeCloseTo(
      0.14,
      1,
    );
    expect(await readJson(get(`/mission/search?${around}`), 'hits.0._distance')).toBeUndefined();
  });

  it('filters by dates, publisher names, yes and no', async () => {
    expect(await ids('/mission/search?createdAt=gt:2025-06-01T00:00:00.000Z')).toEqual(['near']);
    expect(await ids('/mission/search?publisher=R%C3%A9serve,Nobody')).toEqual(['further']);
    expect(await ids('/mission/search?openToMinors=no')).toEqual([]);
    expect(await ids('/mission/search?domain=sport&departmentName=Oise')).toEqual(['far']);
  });
});

describe('a mission of the seed by id (volunteering 12.3, 12.4.3)', () => {
  it('shows removed and refused missions, deleted as a boolean', async () => {
    expect(await readJson(get('/mission/removed'))).toMatchObject({
      ok: true,
      data: { _id: 'removed', deleted: true },
    });
    expect(await readJson(get('/mission/refused'), 'data')).toMatchObject({
      statusCode: 'REFUSED',
      statusComment: 'Titre manquant',
      deleted: false,
    });
  });

  it('may have null in the three nullable fields', async () => {
    expect(await readJson(get('/mission/far'), 'data')).toMatchObject({
      deletedAt: null,
      associationSiren: null,
      associationRNA: null,
    });
  });

  it('answers an unknown id and what the key may not see with 403', async () => {
    for (const response of [await get('/mission/nothing'), await get('/mission/further', volunteeringKeys.alice)]) {
      expect(response.status).toBe(403);
      expect(await readJson(response)).toEqual({ ok: false, data: null, error: 'Id not valid' });
    }
  });
});

describe('the organizations of the seed (volunteering 12.4.4)', () => {
  it('come with a total, 25 at a time', async () => {
    expect(await readJson(get('/organization?q=amicale'))).toMatchObject({ ok: true, total: 30, data: { length: 25 } });
    expect(await ids('/organization?q=amicale&skip=25')).toHaveLength(5);
  });

  it('have the documented fields, empty texts instead of null', async () => {
    const row = Object(await readJson(get('/organization?rna=W751206979'), 'data.0'));
    expect(Object.keys(row).sort()).toEqual([...SEED_ORGANIZATION_KEYS].sort());
    expect(row).toMatchObject({ website: '', names: ['CROIX ROUGE'], __v: 0 });
    expect(row.esId).toBe(await readJson(get('/mission/near'), 'data.associationId'));
  });

  it.each([
    ['a word of the title', 'q=croix', 1],
    ['an RNA', 'q=W751206979', 1],
    ['a SIRET', 'q=77567227221138', 1],
    ['a whole SIRET', 'siret=77567227221138', 1],
    ['a prefix of a SIRET', 'siret=775672272', 0],
    ['a prefix of an RNA', 'rna=W75120', 0],
  ])('are found by %s', async (_, query, count) => {
    expect(await ids(`/organization?${query}`)).toHaveLength(count);
  });
});

describe('limits of the seed', () => {
  it('are not shown: no response has a rate limit header (volunteering 12.8.4)', async () => {
    expect((await get('/mission')).headers.get('x-ratelimit-limit')).toBeNull();
  });
});
