import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import type { Json, World } from '../../sandbox/world/types.js';
import { departmentWrittenAs } from '../../subgraphs/volunteering/values/departments.js';
import { address, mission, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

/** Guards counts and walks of more missions than a page has, whose order among equal starts changes with each call. */

const TYPES = ['volontariat_service_civique', 'benevolat', null];
const DOMAINS = ['sport', 'education', 'animaux', 'of another year', null];
const PLACES = [
  [address()],
  [address(), address({ departmentCode: '76', departmentName: 'Seine-Maritime' })],
  [address({ departmentCode: '93', departmentName: 'Seine-St-Denis' })],
  [],
];

/** 5,300 missions, 120 of which start on each day. */
const missions = Array.from({ length: 5_300 }, (_, index) =>
  mission(`m${index}`, {
    description: '',
    domain: DOMAINS[index % 5],
    // One of a kind has a group too.
    type: index === 0 ? 'volontariat_sapeurs_pompiers' : TYPES[index % 3],
    remote: index % 7 === 0 ? 'full' : index % 7 === 1 ? null : 'no',
    activity: index % 2 === 0 ? 'Sport, Soutien, Accompagnement' : 'Art',
    addresses: PLACES[index % 4],
    createdAt: new Date(Date.UTC(2026, 8 + (index % 3), 1)).toISOString(),
    startAt: index < 200 ? null : new Date(Date.UTC(2027, 0, 31 - Math.floor(index / 120))).toISOString(),
  }),
);

const MONTHS = { CREATED_MONTH: 'createdAt', START_MONTH: 'startAt' } as const;

/** The values that a mission counts by, read from the data as they are. */
function valuesIn(row: Json, key: string): readonly unknown[] {
  const places = (row['addresses'] as Json[]).map(({ departmentName }) => String(departmentName ?? ''));
  const found: Readonly<Record<string, () => readonly unknown[]>> = {
    DOMAIN: () => [row['domain']],
    TYPE: () => [row['type']],
    REMOTE: () => [typeof row['remote'] === 'string' ? row['remote'].toUpperCase() : null],
    ACTIVITY: () => (row['activity'] === 'Art' ? ['Art'] : ['Sport', 'Soutien, Accompagnement']),
    DEPARTMENT: () => [...new Set(places.map((name) => departmentWrittenAs(name)?.code ?? null))],
  };
  const month = MONTHS[key as keyof typeof MONTHS];
  const values = month === undefined ? found[key]?.() : [String(row[month] ?? '').slice(0, 7) || null];
  return values === undefined || values.length === 0 ? [null] : values;
}

/** Counts as they are; values that nothing asks for are none. */
function plainCounts(rows: readonly Json[], key: string, unknown: readonly unknown[] = []): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const row of rows) {
    for (const one of valuesIn(row, key)) {
      const value = unknown.includes(one) ? null : one;
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}

async function start(data: World) {
  const harness = await startHarness(data);
  let keys = 0;
  const freshKey = () => ({ fingerprint: `whole ${keys++}`, reveal: () => volunteeringKeys.operator });
  return {
    ...harness,
    freshKey,
    async countsOf(args: string, key = freshKey()) {
      const query = `{ missionCounts(${args}) { total counted complete groups { key count } } }`;
      const { data: sent, errors, messages } = await harness.send(query, { key });
      expect([errors, messages]).toEqual([[], []]);
      const { groups, ...numbers } = sent.missionCounts;
      const entries = groups.map(({ key: [value], count }: { key: unknown[]; count: number }) => [value, count]);
      return { ...numbers, groups: new Map<unknown, number>(entries) };
    },
    /** All identifiers of a walk, and what its last page says of them. */
    async walk(list: string, args: string) {
      const key = freshKey();
      const ids: string[] = [];
      for (let after = ''; ; ) {
        const query = `{ ${list}(${args}${after}) { nodes { id } complete pageInfo { hasNextPage endCursor } } }`;
        const { data: sent, errors } = await harness.send(query, { key });
        expect(errors).toEqual([]);
        const { nodes, complete, pageInfo } = sent[list];
        ids.push(...nodes.map(({ id }: { id: string }) => id));
        if (!pageInfo.hasNextPage) return { ids: ids.sort(), complete };
        after = `, after: "${pageInfo.endCursor}"`;
      }
    },
  };
}

const harness = await start(world({ missions }));
const { service, countsOf } = harness;
const idsOf = (rows: readonly Json[]) => rows.map((row) => String(row['id'])).sort();
const limits = () =>
  service.calls.map(({ url }) => Number(new URL(url, service.url).searchParams.get('limit'))).sort((a, b) => b - a);

beforeEach(() => {
  service.reset();
  service.era = 'today';
});
afterAll(() => harness.close());

describe('missionCounts of more missions than a page has', () => {
  it.each([
    ['TYPE', 5, []],
    ['REMOTE', 5, []],
    // The latest starts are in January: one total for the end of that month, and one for the beginning of each.
    ['START_MONTH', 4, []],
  ])('asks for a total for each value of %s, where that takes fewer calls', async (key, calls, unknown) => {
    const counts = await countsOf(`by: ${key}`);
    expect(counts).toEqual({
      ...{ total: 5_300, counted: 5_300, complete: true },
      groups: plainCounts(missions, key, unknown),
    });
    expect(limits()).toEqual(key === 'START_MONTH' ? [1_000, 1, 1, 1] : Array.from({ length: calls }, () => 1));
  });

  it.each(['DEPARTMENT', 'ACTIVITY', 'DOMAIN', 'CREATED_MONTH'])('reads all by %s, each mission once', async (key) => {
    const counts = await countsOf(`by: ${key}, remote: [NO, FULL]`);
    const rows = missions.filter((row) => row['remote'] !== null);
    expect(counts).toEqual({
      ...{ total: rows.length, counted: rows.length, complete: true },
      groups: plainCounts(rows, key),
    });
    const pages = limits().filter((limit) => limit === 1_000).length;
    expect([Math.max(...limits()), pages >= 5, pages <= 6]).toEqual([1_000, true, true]);
  });

  it('reads all where the filter is by the counted key, or is applied here', async () => {
    const sport = await countsOf('by: DOMAIN, domain: ["sport", "education"]');
    expect(sport).toMatchObject({ total: 2_120, counted: 2_120, complete: true });
    expect(limits()).toEqual([1_000, 1_000, 1_000]);
    const created = await countsOf('by: TYPE, createdAt: { after: "2026-08-31", before: "2026-10-02" }');
    const rows = missions.filter((row) => String(row['createdAt']) < '2026-10-02');
    expect(created).toMatchObject({ total: rows.length, complete: true, groups: plainCounts(rows, 'TYPE') });
  });

  it('counts missions that were read by another key without a call', async () => {
    const key = harness.freshKey();
    await countsOf('by: [ACTIVITY, REMOTE]', key);
    const { length } = service.calls;
    expect((await countsOf('by: TYPE', key)).groups).toEqual(plainCounts(missions, 'TYPE'));
    expect(service.calls).toHaveLength(length);
  });

  it('throws totals away that add up to more than there are, as in an era that ignores the filter', async () => {
    service.era = 'seed';
    // The documented search knows no `type`, and its words have hyphens.
    const { groups, ...numbers } = await countsOf('by: TYPE');
    expect(numbers).toEqual({ total: 5_300, counted: 5_300, complete: true });
    expect(groups.get('benevolat')).toBe(1_767);
  });

  it('begins no count that the request has too few calls for, and says the numbers', async () => {
    const query = '{ missionCounts(by: ACTIVITY) { total } }';
    const { errors, messages } = await harness.send(query, { key: harness.freshKey(), calls: 33 });
    expect(errors).toEqual(['COST_EXCEEDED missionCounts']);
    expect(messages).toEqual([
      expect.stringMatching(/these 5300 missions takes as much as 5 more calls of 1000 rows.* for 2 here/),
    ]);
    expect(service.calls).toHaveLength(1);
  });
});

describe('Walks over more missions than a page has', () => {
  it.each([
    ['missionSearch', 'first: 1000'],
    ['missions', 'first: 700'],
    ['missions', 'first: 10000'],
  ])('give each once: %s(%s)', async (list, args) => {
    expect(await harness.walk(list, args)).toEqual({ ids: idsOf(missions), complete: true });
    expect(Math.max(...limits())).toBeLessThanOrEqual(1_000);
  });

  it('give each once where a second bound of a date is applied here', async () => {
    const args = 'first: 60, startAt: { after: "2026-12-31", before: "2027-01-09" }';
    const rows = missions.filter(({ startAt }) => startAt !== null && '2026-12-31T00:00:00.000Z' < String(startAt));
    const found = rows.filter(({ startAt }) => String(startAt) < '2027-01-09');
    expect(found.length).toBeGreaterThan(500);
    expect(await harness.walk('missions', args)).toEqual({ ids: idsOf(found), complete: true });
  });

  it('count drift, and know what they lack, where what missions are sorted by has another name', async () => {
    const renamed = (body: unknown) => JSON.parse(JSON.stringify(body).replaceAll('"startAt":', '"startsAt":'));
    service.fault({ kind: 'wrong-type', path: '/v0/mission', change: renamed });
    const drifts = harness.drifts.length;
    const { ids, complete } = await harness.walk('missions', 'first: 500, domain: ["sport"]');
    expect(complete).toBe(new Set(ids).size === 1_060);
    expect(new Set(harness.drifts.slice(drifts))).toEqual(new Set(['Mission.startAt']));
    // Not from the first of the missions of no start, which would be all.
    expect(limits().filter((limit) => limit > 501)).toEqual([]);
  });
});
