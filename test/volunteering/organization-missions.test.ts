import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import type { Json } from '../../sandbox/world/types.js';
import { mission, organization, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

const number = (index: number) => `W7610000${String(index).padStart(2, '0')}`;
const LARGE = number(25);
const SIZE = 600;

/** A day of 2026, so that later ones come first. */
const startOf = (day: number) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString();

const missions: Json[] = [
  ...Array.from({ length: SIZE }, (_, index) =>
    mission(`large-${String(index).padStart(3, '0')}`, {
      organizationRNA: LARGE,
      // 40 on a day, so that no page ends between two days.
      startAt: startOf(1_000 - Math.floor(index / 40)),
      domain: index % 3 === 0 ? 'sport' : 'sante',
    }),
  ),
  ...Array.from({ length: 24 }, (_, index) => [
    mission(`first-${index}`, { organizationRNA: number(index + 1), startAt: startOf(2) }),
    mission(`second-${index}`, { organizationRNA: number(index + 1), startAt: startOf(1) }),
    mission(`undated-${index}`, { organizationRNA: number(index + 1), startAt: null }),
  ]).flat(),
  mission('of-nobody', { organizationRNA: null }),
];
const organizations = [
  ...Array.from({ length: 25 }, (_, index) => organization(`o${index + 1}`, { rna: number(index + 1) })),
  organization('twin', { rna: number(1) }),
  organization('odd', { rna: 'W1,W2' }),
  organization('none', { rna: null }),
];

const harness = await startHarness(world({ missions, organizations }));
const { service } = harness;

let keyCount = 0;
const freshKey = () => ({ fingerprint: `${keyCount++}`, reveal: () => volunteeringKeys.operator });
const send = (query: string, key = freshKey()) => harness.send(query, { key });

const calls = () => service.callLines().filter((line) => line.startsWith('GET /v0/mission'));
const callOf = (numbers: readonly string[], rest = 'limit=500') => {
  const joined = numbers.toSorted().join('%2C');
  return `GET /v0/mission?associationRNA=${joined}&organizationRNA=${joined}&${rest} operator`;
};
const all = Array.from({ length: 25 }, (_, index) => number(index + 1));

beforeEach(() => {
  service.reset();
  service.era = 'today';
});
afterAll(() => harness.close());

interface Listed {
  readonly id: string;
  readonly rna: string | null;
  readonly missionsUnknown: string | null;
  readonly missions: { readonly totalCount: number | null; readonly nodes: readonly { readonly id: string }[] } | null;
}

async function list(args: string, more = ''): Promise<Listed[]> {
  const { data, errors } = await send(
    `{ organizations(first: 100) { nodes { id rna missionsUnknown missions${args} { totalCount nodes { id } ${more} } } } }`,
  );
  expect(errors).toEqual([]);
  return data.organizations.nodes;
}

describe('Organization.missions', () => {
  it('is not swamped by a large organization: it is read alone, and the others together', async () => {
    const listed = await list('(first: 2)');
    for (const { rna, missions: page } of listed) {
      if (page === null) continue;
      const index = Number(rna?.slice(-2)) - 1;
      expect(page).toEqual(
        rna === LARGE
          ? { totalCount: SIZE, nodes: [{ id: expect.stringMatching(/^large-0[0-3]/) }, { id: expect.anything() }] }
          : { totalCount: 3, nodes: [{ id: `undated-${index}` }, { id: `first-${index}` }] },
      );
    }
    expect(calls()).toEqual([callOf(all), callOf([LARGE]), callOf(all.slice(0, 24))].sort());
  });

  it('of an organization under a number twice, or without a valid one, costs no further call', async () => {
    const byId = new Map((await list('(first: 2)')).map((one) => [one.id, one]));
    expect(byId.get('twin')?.missions).toEqual(byId.get('o1')?.missions);
    const unknown = ['odd', 'none'].map((id) => [byId.get(id)?.missions, byId.get(id)?.missionsUnknown]);
    expect(unknown).toEqual([
      [null, 'MALFORMED_RNA'],
      [null, 'NO_RNA'],
    ]);
    expect(calls()).toHaveLength(3);
  });

  it('of two pages of one request reads the organizations once', async () => {
    const { data, errors } = await send(`{ organizations(first: 100, rna: "${number(3)}") { nodes {
      a: missions(first: 1) { nodes { id } pageInfo { hasNextPage } } b: missions(first: 5) { nodes { id } }
    } } }`);
    expect(errors).toEqual([]);
    expect(data.organizations.nodes).toEqual([
      {
        a: { nodes: [{ id: 'undated-2' }], pageInfo: { hasNextPage: true } },
        b: { nodes: [{ id: 'undated-2' }, { id: 'first-2' }, { id: 'second-2' }] },
      },
    ]);
    expect(calls()).toEqual([callOf([number(3)])]);
  });

  it('of a large organization goes on beyond the first 500, each mission once', async () => {
    const ids: string[] = [];
    const key = { fingerprint: 'walks', reveal: () => volunteeringKeys.operator };
    let after = '';
    for (let page = 0; page < 3; page++) {
      const { data, errors } = await send(
        `{ organization(rna: "${LARGE}") { missions(first: 250${after}) { totalCount complete nodes { id } pageInfo { hasNextPage endCursor } } } }`,
        key,
      );
      expect(errors).toEqual([]);
      const { totalCount, complete, nodes, pageInfo } = data.organization.missions;
      expect([totalCount, pageInfo.hasNextPage, complete]).toEqual([SIZE, page < 2, page < 2 ? null : true]);
      ids.push(...nodes.map(({ id }: { id: string }) => id));
      after = `, after: "${pageInfo.endCursor}"`;
    }
    // Some start on the days at the ends of pages and blocks, and the source gives those in another order each time.
    expect([ids.length, ids.toSorted()]).toEqual([SIZE, missions.slice(0, SIZE).map((row) => row['id'])]);
    // From the first mission of the day on which the block before ends.
    expect(calls()).toEqual([callOf([LARGE]), callOf([LARGE], 'skip=480&limit=520')]);
  });

  it('counts all missions, of a large organization by one further call', async () => {
    const listed = await list('(first: 1)', 'counts(by: DOMAIN) { total counted complete groups { key count } }');
    const counts = listed.map(({ rna, missions: page }) => [rna, (page as { counts?: object } | null)?.counts]);
    expect(new Map(counts as [string, object][]).get(LARGE)).toEqual({
      total: SIZE,
      counted: SIZE,
      complete: true,
      groups: [
        { key: ['sante'], count: 400 },
        { key: ['sport'], count: 200 },
      ],
    });
    expect(new Map(counts as [string, object][]).get(number(4))).toMatchObject({ total: 3, counted: 3 });
    expect(calls()).toHaveLength(4);
    expect(calls()).toContain(callOf([LARGE], 'limit=1000'));
  });

  it('applies filters before it counts, those that the source cannot apply too', async () => {
    const range = `startAt: { after: "${startOf(0)}", before: "${startOf(2)}" }`;
    const listed = await list(`(${range})`);
    const page = listed.find(({ rna }) => rna === number(5))?.missions;
    expect(page).toEqual({ totalCount: 1, nodes: [{ id: 'second-4' }] });
    const none = await list('(domain: ["animaux"])');
    expect(none.flatMap(({ missions: found }) => found?.totalCount ?? [])).toEqual(Array.from({ length: 26 }, () => 0));
  });

  it('does not know how many there are if a row may be anybody’s', async () => {
    service.fault({ kind: 'wrong-type', path: '/v0/mission', set: { '/data/1/organizationRNA': 7 } });
    const { data, errors } = await send(
      `{ organization(rna: "${number(2)}") { missions { totalCount nodes { id } pageInfo { hasNextPage } } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.organization.missions).toEqual({
      totalCount: null,
      nodes: [{ id: 'undated-1' }, { id: 'second-1' }],
      pageInfo: { hasNextPage: false },
    });
  });

  it('fails for the organizations of a call that fails, and not for the record', async () => {
    service.fault({ kind: 'status', path: '/v0/mission', status: 400 });
    const { data, errors } = await send(`{ organization(rna: "${number(2)}") { rna missions { totalCount } } }`);
    expect(data.organization).toEqual({ rna: number(2), missions: null });
    expect(errors).toEqual(['UPSTREAM_REFUSED_INPUT organization.missions']);
  });
});
