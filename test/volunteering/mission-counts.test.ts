import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Era } from '../../sandbox/server/types.js';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { DOMAIN_LABELS } from '../../subgraphs/volunteering/missions/labels.js';
import { address, mission, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

const seineMaritime = { departmentCode: '76', departmentName: 'Seine-Maritime', city: 'Rouen' };
const seineSaintDenis = { departmentCode: '93', departmentName: 'Seine-St-Denis', city: 'Montreuil' };
const ajaccio = { departmentCode: null, departmentName: null, city: 'Ajaccio' };

const missions = [
  mission('paris', { domain: 'sport', activity: 'Sport, Soutien, Accompagnement' }),
  mission('rouen', { addresses: [address(seineMaritime)], domain: 'sport', activity: 'Sport', remote: 'possible' }),
  mission('both', { addresses: [address(seineSaintDenis), address(seineMaritime)], domain: 'animaux', activity: '' }),
  mission('corsica', { addresses: [address(ajaccio)], domain: null, activity: null, type: null }),
  mission('nowhere', { addresses: [], domain: 'inconnu', activity: 'Art', remote: 'full' }),
].map((row) => ({ ...row, organizationId: row['domain'] === 'sport' ? 'club' : null, organizationName: 'Un club' }));

const harness = await startHarness(world({ missions }));
const { service } = harness;

let keyCount = 0;
const freshKey = () => ({ fingerprint: `counts ${keyCount++}`, reveal: () => volunteeringKeys.operator });
const send = (query: string) => harness.send(query, { key: freshKey() });

async function countsOf(argument: string) {
  const { data, errors } = await send(
    `{ missionCounts(${argument}) { total counted complete groups { key label count } } }`,
  );
  expect(errors).toEqual([]);
  return data.missionCounts;
}

beforeEach(() => {
  service.reset();
  // Rows are changed by their places, and counted over several pages.
  service.order = 'stable';
  service.era = 'today';
});
afterAll(() => harness.close());

it('no two domains have one label, which a caller takes for one domain', () => {
  const labels = Object.values(DOMAIN_LABELS);
  expect(new Set(labels).size).toBe(labels.length);
});

describe('missionCounts', () => {
  it('has rates of départements, and none without a place', async () => {
    const { data } = await send(
      '{ missionCounts(by: [DOMAIN, DEPARTMENT]) { groups { key count perThousandInhabitants } } }',
    );
    const rateOf = (...key: unknown[]) =>
      data.missionCounts.groups.find((group: { key: unknown }) => JSON.stringify(group.key) === JSON.stringify(key))
        ?.perThousandInhabitants;
    // 1,260,964 inhabitants of Seine-Maritime in the official list.
    expect(rateOf('sport', '76')).toBeCloseTo(1_000 / 1_260_964, 9);
    expect(rateOf(null, null)).toBeNull();
  });

  it('counts all missions, the most frequent value first, and those without one as null', async () => {
    expect(await countsOf('by: DOMAIN')).toEqual({
      total: 5,
      counted: 5,
      complete: true,
      groups: [
        { key: ['sport'], label: ['Sport'], count: 2 },
        { key: ['animaux'], label: ['Animaux'], count: 1 },
        { key: ['inconnu'], label: ['inconnu'], count: 1 },
        { key: [null], label: ['Non renseigné'], count: 1 },
      ],
    });
    // How long the whole list is, one row says: it is hardly ever one page.
    expect(service.callLines()).toEqual([
      'GET /v0/mission/search?size=1&limit=1 operator',
      'GET /v0/mission/search?size=1000&limit=1000 operator',
    ]);
  });

  it('counts what one page holds with one call', async () => {
    expect(await countsOf('by: DOMAIN, remote: [NO]')).toMatchObject({ total: 3, counted: 3, complete: true });
    expect(service.callLines()).toEqual(['GET /v0/mission/search?remote=no&size=1000&limit=1000 operator']);
  });

  it.each([
    [
      'DEPARTMENT',
      [
        ['76', 'Seine-Maritime', 2],
        [null, 'Non renseigné', 2],
        ['75', 'Paris', 1],
        ['93', 'Seine-Saint-Denis', 1],
      ],
    ],
    [
      'ACTIVITY',
      [
        ['Sport', 'Sport', 2],
        [null, 'Non renseigné', 2],
        ['Art', 'Art', 1],
        ['Soutien, Accompagnement', 'Soutien, Accompagnement', 1],
      ],
    ],
    [
      'ORGANIZATION',
      [
        ['W922000733', 'Un club', 3],
        ['club', 'Un club', 2],
      ],
    ],
    [
      'REMOTE',
      [
        ['NO', 'Sur place', 3],
        ['FULL', 'À distance', 1],
        ['POSSIBLE', 'Sur place ou à distance', 1],
      ],
    ],
    [
      'TYPE',
      [
        ['benevolat', 'Bénévolat', 4],
        [null, 'Non renseigné', 1],
      ],
    ],
  ])('counts by %s', async (key, groups) => {
    const counts = await countsOf(`by: ${key}`);
    const rows = counts.groups.map((group: { key: unknown[]; label: unknown[]; count: number }) => [
      group.key[0],
      group.label[0],
      group.count,
    ]);
    expect(rows.sort(inOrder)).toEqual([...groups].sort(inOrder));
    expect(counts).toMatchObject({ total: 5, counted: 5, complete: true });
  });

  it.each(['today', 'seed'] satisfies Era[])('counts by the values of Mission.remote, %s', async (era) => {
    service.era = era;
    const words = ['LOCAL', 'hybride', null, 'local'];
    const set = Object.fromEntries(words.map((word, index) => [`/hits/${index}/remote`, word]));
    service.fault({ kind: 'wrong-type', set });
    const { data, errors } = await send(
      '{ missionSearch { nodes { remote } } missionCounts(by: REMOTE) { groups { key label count } } }',
    );
    expect(errors).toEqual([]);
    const values: (string | null)[] = data.missionSearch.nodes.map(({ remote }: { remote: string | null }) => remote);
    const groups: { key: (string | null)[]; count: number }[] = data.missionCounts.groups;
    const counts = new Map(groups.map(({ key, count }) => [key[0], count]));
    expect(counts).toEqual(
      new Map([...new Set(values)].map((value) => [value, values.filter((one) => one === value).length])),
    );
    expect(groups).toContainEqual({ key: ['OTHER'], label: ['Autre'], count: 2 });
  });

  it('counts pairs, one for each combination of the values of a mission', async () => {
    const { groups } = await countsOf('by: [DEPARTMENT, DOMAIN]');
    expect(groups).toContainEqual({ key: ['76', 'animaux'], label: ['Seine-Maritime', 'Animaux'], count: 1 });
    expect(groups).toContainEqual({ key: ['93', 'animaux'], label: ['Seine-Saint-Denis', 'Animaux'], count: 1 });
    expect(groups).toContainEqual({ key: [null, 'inconnu'], label: ['Non renseigné', 'inconnu'], count: 1 });
    expect(groups).toHaveLength(6);
  });

  it('takes the filters of a search, and finishes a range with two bounds here', async () => {
    expect(await countsOf('by: DOMAIN, department: "76", remote: [NO]')).toMatchObject({ total: 1, counted: 1 });
    const range = 'createdAt: { after: "2020-01-01", before: "2021-01-01" }';
    expect(await countsOf(`by: DOMAIN, ${range}`)).toEqual({ total: 0, counted: 0, complete: true, groups: [] });
    expect(await countsOf('by: DOMAIN, lat: 48.85, lon: 2.35, distance: 1')).toMatchObject({ complete: true });
    expect(service.callLines().at(-1)).toContain('distance=1km');
  });

  it('reads once for all keys that the same missions are counted by, also a second time within the minute', async () => {
    const key = freshKey();
    const of = 'remote: [NO, FULL, POSSIBLE]';
    const query = `{ a: missionCounts(by: DOMAIN, ${of}) { counted } b: missionCounts(by: [REMOTE, TYPE], ${of}) { counted } }`;
    for (let time = 0; time < 2; time++) expect((await harness.send(query, { key })).data.b.counted).toBe(5);
    const other = await harness.send(`{ missionCounts(by: ACTIVITY, ${of}) { counted } }`, { key });
    expect(other.data.missionCounts.counted).toBe(5);
    expect(service.calls).toHaveLength(1);
  });

  it('is another response than the search of the same size', async () => {
    const key = freshKey();
    for (const query of [
      '{ missionCounts(by: ACTIVITY) { counted } }',
      '{ missionSearch(first: 1000) { nodes { title } } }',
    ]) {
      const { data, errors } = await harness.send(query, { key });
      expect(errors).toEqual([]);
      if (data.missionSearch) expect(data.missionSearch.nodes[0].title).toEqual(expect.any(String));
    }
    expect(service.calls).toHaveLength(2);
  });

  it.each([
    ['by: []', 'by takes one key or two.'],
    ['by: [DOMAIN, TYPE, REMOTE]', 'by takes one key or two.'],
    ['by: [DOMAIN, DOMAIN]', 'by names a key twice.'],
    ['by: DOMAIN, lat: 91, lon: 2', expect.stringMatching(/^lat /)],
    ['by: DOMAIN, department: "999"', expect.stringMatching(/^department /)],
  ])('refuses %s before a call', async (argument, message) => {
    const { errors, messages } = await send(`{ missionCounts(${argument}) { total } }`);
    expect([errors, messages, service.calls]).toEqual([['BAD_USER_INPUT missionCounts'], [message], []]);
  });

  it.each([
    ['is left out', {}],
    ['is a text', { '/total': '5' }],
  ])('is not known to be complete where the total %s: the source may serve smaller pages', async (_what, set) => {
    service.fault({ kind: 'wrong-type', set, change: withoutTotal });
    expect(await countsOf('by: DOMAIN')).toMatchObject({ total: null, counted: 5, complete: false });
  });

  it('counts the documented service alike', async () => {
    service.era = 'seed';
    const { groups, ...numbers } = await countsOf('by: [DOMAIN]');
    expect(numbers).toEqual({ total: 5, counted: 5, complete: true });
    expect(groups[0]).toEqual({ key: ['sport'], label: ['Sport'], count: 2 });
  });

  it('tells organizations of different partners apart, although the documented service has the same id for both', async () => {
    const of = (organizationName: string, organizationRNA: string | null) => ({
      organizationClientId: '1685',
      organizationId: '1685',
      organizationName,
      organizationRNA,
    });
    const partners = await startHarness(
      world({
        missions: [
          mission('a', of('Coop’Az', 'W401009931')),
          mission('b', of('COOP’AZ', 'W401009931')),
          mission('c', of('Les Amis', null)),
          mission('d', of('Le Club', 'néant')),
        ],
      }),
    );
    partners.service.era = 'seed';
    const query = '{ missionCounts(by: ORGANIZATION) { groups { key count } } }';
    const { data, errors } = await partners.send(query);
    expect(errors).toEqual([]);
    expect(data.missionCounts.groups).toEqual([
      { key: ['W401009931'], count: 2 },
      { key: ['Le Club'], count: 1 },
      { key: ['Les Amis'], count: 1 },
    ]);
    partners.service.era = 'today';
    const key = freshKey();
    const today = await partners.send(query, { key });
    expect(today.data.missionCounts.groups).toEqual([{ key: ['1685'], count: 4 }]);
    await partners.close();
  });

  it('is the error of its own field when the service fails', async () => {
    service.fault({ kind: 'status', status: 500 });
    const { errors } = await send('{ missionCounts(by: DOMAIN) { total } }');
    expect(errors).toEqual([expect.stringMatching(/^UPSTREAM_\w+ missionCounts$/)]);
  });
});

describe('missionCounts of more than the source gives', () => {
  it('says of how many missions it counts', async () => {
    service.fault({ kind: 'wrong-type', set: { '/total': 10_050 } });
    expect(await countsOf('by: DOMAIN')).toMatchObject({ total: 10_050, counted: 5, complete: false });
    const range = 'createdAt: { after: "2020-01-01", before: "2030-01-01" }';
    expect(await countsOf(`by: DOMAIN, ${range}`)).toMatchObject({ total: null, counted: 5, complete: false });
    expect(service.calls).toHaveLength(5);
  });
});

describe.each(['today', 'seed'] satisfies Era[])('facets, %s', (era) => {
  it.each([1, 2, 5])('say of how many missions they are the counts: a page of %d', async (first) => {
    service.era = era;
    const { data, errors } = await send(
      `{ missionSearch(first: ${first}) { facets { counted domains { docCount } } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.missionSearch.facets.counted).toBe(era === 'today' ? first : 5);
  });

  it('are none of a page that is empty where they are those of the row that says whether any follow', async () => {
    service.era = era;
    const { data, errors } = await send(`{
      missionSearch(first: 0) {
        nodes { id }
        facets { counted departmentName { key docCount } activities { docCount } domains { docCount } }
      }
    }`);
    expect(errors).toEqual([]);
    const { nodes, facets } = data.missionSearch;
    expect(nodes).toEqual([]);
    if (era === 'today') expect(facets).toBeNull();
    else expect([facets.counted, facets.departmentName.length > 0]).toEqual([5, true]);
    expect(service.callLines()).toEqual(['GET /v0/mission/search?size=1&limit=1 operator']);
  });
});

function inOrder([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}

function withoutTotal(body: unknown): object {
  const { total: _, ...rest } = body as { total?: unknown };
  return rest;
}
