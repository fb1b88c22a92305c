import { describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { address, mission, organization, PUBLISHERS, world } from '../sandbox/volunteering/small-world.js';
import { selectionOf } from './support/documented.js';
import { type RulesStack, stackOfRules } from './support/stack-of-rules.js';

/** Missions as the service sends them: volunteering 12.1 to 12.3, 12.4.1 and 12.4.3. */

const [PARTICIPE, RESERVE] = PUBLISHERS;
const lyon = address({ city: 'Lyon', departmentName: 'Rhône', departmentCode: '69', country: 'France' });

const sandbox = {
  world: world({
    organizations: [organization('68f0b6f2c1a7d90011aa22bb', { rna: 'W922000733' })],
    missions: [
      mission('m1', { startAt: '2025-09-01T00:00:00.000Z', addresses: [lyon], organizationRNA: 'W691000001' }),
      mission('m2', { startAt: '2025-08-01T00:00:00.000Z', publisherId: RESERVE.id, publisherName: RESERVE.name }),
      mission('m3', {
        startAt: '2025-07-01T00:00:00.000Z',
        organizationRNA: null,
        organizationSiren: null,
        remote: 'full',
      }),
      mission('m4', { startAt: '2025-06-01T00:00:00.000Z', remote: 'possible', type: 'volontariat_service_civique' }),
      mission('m5', { startAt: '2025-05-01T00:00:00.000Z', addresses: [address({ city: 'Nantes' })] }),
      mission('refused', { statusCode: 'REFUSED', statusComment: 'Description trop courte' }),
      mission('removed', { deletedAt: '2026-01-05T10:00:00.000Z' }),
    ],
  }),
};
const seed = stackOfRules({ sandbox: { ...sandbox, era: 'seed' } });
const today = stackOfRules({ sandbox });
const ERAS: readonly (readonly [string, RulesStack])[] = [
  ['seed', seed],
  ['today', today],
];

/** Identifiers of the missions in a list with these arguments. */
async function listed(args: string, stack = seed): Promise<string[]> {
  const { missions } = await stack.read(`{ missions${args} { nodes { id } } }`);
  return missions.nodes.map(({ id }: { id: string }) => id);
}

const byId = async (id: string, selection: string, stack = seed): Promise<Json> =>
  (await stack.read(`{ mission(id: "${id}") { ${selection} } }`)).mission;

describe('the service', () => {
  test('VO-2, VO-3 every call is a GET under the base address and v0, and the graph has no mutation on it', async () => {
    await seed.read(
      '{ missions { totalCount } missionSearch { totalCount } mission(id: "m1") { title organization { id } } organizations { totalCount } }',
    );
    const { calls, url, origin } = seed.sandbox.volunteering;
    expect(calls.length).toBeGreaterThanOrEqual(5);
    for (const call of calls) {
      expect(call.method).toBe('GET');
      expect(`${origin}${call.url}`.startsWith(`${url}/v0/`)).toBe(true);
    }
    const { __schema } = await seed.read('{ __schema { mutationType { fields { name } } } }');
    const mutations = __schema.mutationType.fields.map(({ name }: { name: string }) => name).sort();
    expect(mutations).toEqual(['applyToJob', 'createJobOffer', 'generateAppointmentLink', 'updateJobOffer']);
  });

  test('VO-4, VO-47 missions are listed, searched and fetched by identifier, one path each', async () => {
    const found = await seed.read(
      '{ missions(city: "Nantes") { nodes { id } } missionSearch(text: "Nantes") { nodes { id } } mission(id: "m5") { id } }',
    );
    expect(found).toEqual({
      missions: { nodes: [{ id: 'm5' }] },
      missionSearch: { nodes: [{ id: 'm5' }] },
      mission: { id: 'm5' },
    });
    expect(seed.stack.calls()).toEqual([
      'volunteering GET /v0/mission/m5 operator',
      'volunteering GET /v0/mission/search?text=Nantes&size=25&limit=25 operator',
      'volunteering GET /v0/mission?city=Nantes&limit=25 operator',
    ]);
  });

  test.each(ERAS)('VO-6 what a caller sees depends on his key, and answers never mix: %s', async (_era, stack) => {
    const { alice, bob } = stack.sandbox.keys.volunteering;
    const as = async (key: string) => {
      const { missions } = await stack.read('{ missions { totalCount nodes { id applicationUrl } } }', {
        headers: { 'x-volunteering-key': key },
      });
      return missions;
    };
    // Alice does not see the missions of the second publisher.
    for (const round of [1, 2]) {
      expect((await as(alice)).totalCount, `round ${round}`).toBe(4);
      expect((await as(bob)).totalCount, `round ${round}`).toBe(5);
    }
    expect((await as(alice)).nodes[0].applicationUrl).not.toBe((await as(bob)).nodes[0].applicationUrl);
  });
});

describe('fields', () => {
  test('VO-7 a value of another type than those seen is an error of its own, the rest of the list stands', async () => {
    seed.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      set: { '/data/1/title': 7, '/data/2/tasks': 'one' },
    });
    const { data, errors } = await seed.send('{ missions(country: "FR") { nodes { id title tasks } } }');
    expect(errors.map(({ extensions, path = [] }) => `${extensions.code} ${path.join('.')}`).sort()).toEqual([
      'UPSTREAM_INVALID_RESPONSE missions.nodes.1.title',
      'UPSTREAM_INVALID_RESPONSE missions.nodes.2.tasks',
    ]);
    expect(data.missions.nodes).toHaveLength(4);
    expect(data.missions.nodes[1]).toMatchObject({ title: null, tasks: [] });
    expect(data.missions.nodes[2]).toMatchObject({ title: 'Titre de la mission', tasks: null });
  });

  test('VO-8 deletedAt, associationSiren and associationRNA may be null', async () => {
    expect(await byId('m3', 'deletedAt associationSiren associationRNA')).toEqual({
      deletedAt: null,
      associationSiren: null,
      associationRNA: null,
    });
    expect(await byId('m1', 'associationSiren associationRNA')).toEqual({
      associationSiren: '332737394',
      associationRNA: 'W691000001',
    });
  });

  test('VO-9 clientId is the id at the partner, whom the four publisher fields describe', async () => {
    const { missions } = await seed.read(
      '{ missions(clientId: "client-m2") { nodes { id clientId publisherId publisherName publisherUrl publisherLogo } } }',
    );
    expect(missions.nodes).toEqual([
      {
        id: 'm2',
        clientId: 'client-m2',
        publisherId: RESERVE.id,
        publisherName: RESERVE.name,
        publisherUrl: RESERVE.url,
        publisherLogo: RESERVE.logo,
      },
    ]);
  });

  test('VO-10 companyName and companyUrl are of the list: null without an error elsewhere', async () => {
    const company = 'companyName companyUrl';
    const {
      missions,
      missionSearch,
      mission: one,
    } = await seed.read(
      `{ missions(clientId: "client-m1") { nodes { ${company} } } missionSearch(text: "Lyon") { nodes { ${company} } } mission(id: "m1") { ${company} } }`,
    );
    expect(missions.nodes).toEqual([{ companyName: 'Mon asso', companyUrl: 'https://asso.example.org' }]);
    expect([missionSearch.nodes[0], one]).toEqual(Array(2).fill({ companyName: null, companyUrl: null }));
  });

  test('VO-11 remote is no, possible or full; another word is OTHER with its text', async () => {
    const { missions } = await seed.read('{ missions { nodes { remote remoteRaw } } }');
    expect(missions.nodes.slice(1, 4)).toEqual(
      ['NO', 'FULL', 'POSSIBLE'].map((remote) => ({ remote, remoteRaw: null })),
    );
    seed.sandbox.volunteering.fault({ kind: 'wrong-type', path: '/v0/mission/m2', set: { '/data/remote': 'lune' } });
    expect(await byId('m2', 'remote remoteRaw')).toEqual({ remote: 'OTHER', remoteRaw: 'lune' });
  });

  test('VO-12 deleted is one boolean, be it a boolean by id or a text in hits; today it is a boolean in both', async () => {
    for (const [, stack] of ERAS) {
      const { missionSearch, mission: one } = await stack.read(
        '{ missionSearch(text: "Lyon") { nodes { id deleted } } mission(id: "m1") { id deleted } }',
      );
      expect([missionSearch.nodes, one]).toEqual([[{ id: 'm1', deleted: false }], { id: 'm1', deleted: false }]);
    }
    const raw = await fetch(`${seed.sandbox.volunteering.url}/v0/mission/search?text=Lyon`, {
      headers: { apikey: seed.sandbox.keys.volunteering.bob },
    });
    expect(((await raw.json()) as { hits: Json[] }).hits[0]?.['deleted']).toBe('no');
  });

  test('VO-20 two status codes are known, another is OTHER with its text', async () => {
    const status = 'statusCode statusCodeRaw';
    expect([await byId('m4', status), await byId('refused', status)]).toEqual([
      { statusCode: 'ACCEPTED', statusCodeRaw: null },
      { statusCode: 'REFUSED', statusCodeRaw: null },
    ]);
    seed.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission/removed',
      set: { '/data/statusCode': 'WAITING' },
    });
    const waiting = await byId('removed', status);
    expect(waiting).toEqual({ statusCode: 'OTHER', statusCodeRaw: 'WAITING' });
  });

  test('VO-21 a refused mission says why; today it is unknown', async () => {
    expect(await byId('refused', 'statusComment')).toEqual({ statusComment: 'Description trop courte' });
    expect(await byId('refused', 'statusComment', today)).toBeNull();
  });

  test('VO-22 a removed mission says so by id; today it is unknown', async () => {
    const { keys } = seed.sandbox;
    const { mission: removed } = await seed.read('{ mission(id: "removed") { deleted deletedAt } }', {
      headers: { 'x-volunteering-key': keys.volunteering.bob },
    });
    expect(removed).toEqual({ deleted: true, deletedAt: '2026-01-05T10:00:00.000Z' });
    expect(await byId('removed', 'deleted', today)).toBeNull();
  });
});

describe('the list', () => {
  test('VO-24 needs no parameter', async () => {
    expect(await listed('')).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    const { volunteering, keys } = seed.sandbox;
    const raw = await fetch(`${volunteering.url}/v0/mission`, { headers: { apikey: keys.volunteering.operator } });
    expect([raw.status, ((await raw.json()) as { data: Json[] }).data.length]).toEqual([200, 5]);
  });

  test('VO-25 five parameters take several values, joined by a comma', async () => {
    const { missions } = await seed.read('{ missions(clientId: "client-m1") { nodes { associationId } } }');
    const [{ associationId }] = missions.nodes;
    seed.stack.forgetCalls();
    expect(await listed('(city: ["Lyon", "Nantes"])')).toEqual(['m1', 'm5']);
    expect(await listed(`(publisher: ["${PARTICIPE.name}", "${RESERVE.id}"])`)).toHaveLength(5);
    expect(await listed(`(associationId: ["${associationId}", "x"])`)).toHaveLength(5);
    expect(await listed('(associationRNA: ["W691000001", "W922000733"])')).toEqual(['m1', 'm2', 'm4', 'm5']);
    expect(await listed('(clientId: ["client-m1", "client-m2"])')).toEqual(['m1', 'm2']);
    const queries = seed.sandbox.volunteering.calls.map(({ url }) => new URL(url, 'http://x').searchParams);
    expect(
      queries.map((query) =>
        ['city', 'publisher', 'associationId', 'associationRNA', 'clientId'].flatMap((name) => query.getAll(name)),
      ),
    ).toEqual([
      ['Lyon,Nantes'],
      [`${PARTICIPE.name},${RESERVE.id}`],
      [`${associationId},x`],
      ['W691000001,W922000733'],
      ['client-m1,client-m2'],
    ]);
  });

  test('VO-25 today publishers are told by their identifiers, and RNA numbers have another name', async () => {
    expect(await listed(`(publisher: ["${RESERVE.id}", "x"])`, today)).toEqual(['m2']);
    expect(await listed(`(publisher: ["${RESERVE.name}"])`, today)).toEqual([]);
    expect(await listed('(associationRNA: ["W691000001"])', today)).toEqual(['m1']);
  });

  test.each(ERAS)('VO-26 departmentName, country and type narrow it: %s', async (era, stack) => {
    expect(await listed('(departmentName: "Rhône")', stack)).toEqual(['m1']);
    expect(await listed('(country: "France")', stack)).toEqual(['m1']);
    const type = era === 'seed' ? 'volontariat-service-civique' : 'volontariat_service_civique';
    expect(await listed(`(type: "${type}")`, stack)).toEqual(['m4']);
  });

  test.each(ERAS)(
    'VO-28, VO-29, VO-30 skip and limit page through all of it once, and the total is that of the whole list: %s',
    async (_era, stack) => {
      const ids: string[] = [];
      let after: string | null = null;
      for (let page = 0; page < 3; page += 1) {
        const {
          missions,
        }: {
          missions: {
            totalCount: number;
            nodes: { id: string }[];
            pageInfo: { endCursor: string; hasNextPage: boolean };
          };
        } = await stack.read(
          'query ($after: String) { missions(first: 2, after: $after) { totalCount nodes { id } pageInfo { endCursor hasNextPage } } }',
          { variables: { after } },
        );
        expect(missions.totalCount).toBe(5);
        expect(missions.pageInfo.hasNextPage).toBe(page < 2);
        ids.push(...missions.nodes.map(({ id }) => id));
        after = missions.pageInfo.endCursor;
      }
      expect(ids).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
      expect(stack.stack.calls()).toEqual([
        'volunteering GET /v0/mission?limit=2 operator',
        'volunteering GET /v0/mission?skip=1&limit=7 operator',
      ]);
    },
  );

  test('VO-29 its envelope is read whole: the nodes are its data', async () => {
    const { volunteering, keys } = seed.sandbox;
    const raw = await fetch(`${volunteering.url}/v0/mission?limit=3`, {
      headers: { apikey: keys.volunteering.operator },
    });
    const body = (await raw.json()) as { data: Json[] };
    expect(Object.keys(body).sort()).toEqual(['data', 'limit', 'ok', 'skip', 'total']);
    const { missions } = await seed.read(`{ missions(first: 3) { nodes { ${selectionOf('Mission')} } } }`);
    expect(missions.nodes.map(({ id, title, version }: Json) => [id, title, version])).toEqual(
      body.data.map((row) => [row['_id'], row['title'], row['__v']]),
    );
  });
});
