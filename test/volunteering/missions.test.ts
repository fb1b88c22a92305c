import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Era } from '../../sandbox/server/types.js';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import type { Json } from '../../sandbox/world/types.js';
import { mission, PUBLISHERS, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `m${String(index).padStart(3, '0')}`);

const MISSIONS = ids(60).map((id, index) =>
  mission(id, {
    domain: index % 2 === 0 ? 'sport' : 'sante',
    activity: index === 7 ? 'Soutien, Accompagnement' : 'Logistique',
    publisherId: PUBLISHERS[index % 3]?.id,
    publisherName: PUBLISHERS[index % 3]?.name,
    startAt: `2026-01-${String((index % 28) + 1).padStart(2, '0')}T00:00:00.000Z`,
    createdAt: `2025-${index < 30 ? '03' : '09'}-01T00:00:00.000Z`,
  }),
);

const harness = await startHarness(world({ missions: MISSIONS }));
const { service, send } = harness;

// Each test has its own key, so that nothing cached for one serves another.
let keyCount = 0;
const freshKey = () => ({ fingerprint: `test ${keyCount++}`, reveal: () => volunteeringKeys.operator });

beforeEach(() => {
  service.reset();
  // A range that is finished here is read page by page.
  service.order = 'stable';
});
afterAll(() => harness.close());

describe.each(['today', 'seed'] satisfies Era[])('missions, %s', (era) => {
  beforeEach(() => {
    service.era = era;
  });

  it('finds a single activity whose name has a comma', async () => {
    const query = '{ missions(activity: ["Soutien, Accompagnement"]) { totalCount nodes { id } } }';
    const { data } = await send(query, { key: freshKey() });
    expect(data.missions).toEqual({ totalCount: 1, nodes: [{ id: 'm007' }] });
  });

  it('requests every form of an id, and requests nothing for one that cannot be or would be another route', async () => {
    const forms = ['m000', '5f99dbe75eb1ad767733b206', '0b6c1f0e-7f0c-4f5e-9d2a-1c2b3d4e5f60', 'AVx_3-kQb0Zr1Y2w9T8u'];
    const others = ['a/b?c', '..', 'search', 'Search', '%73earch', 'a b', 'é', '', 'x'.repeat(65)];
    const fields = [...forms, ...others].map((id, n) => `m${n}: mission(id: ${JSON.stringify(id)}) { id }`);
    const { data, errors } = await send(`{ ${fields.join(' ')} }`, { key: freshKey() });
    expect(errors).toEqual([]);
    expect(Object.values(data)).toEqual([{ id: 'm000' }, ...Array(fields.length - 1).fill(null)]);
    expect(service.callLines()).toEqual(forms.map((id) => `GET /v0/mission/${id} operator`).sort());
  });

  it('never follows the address to apply at', async () => {
    const { data } = await send('{ missions(first: 2) { nodes { applicationUrl } } }', { key: freshKey() });
    expect(data.missions.nodes[0].applicationUrl).toMatch(/\/r\/m\d+\//);
    expect(service.calls.filter(({ url }) => url.startsWith('/r/'))).toEqual([]);
  });
});

describe('missions created within a range', () => {
  beforeEach(() => {
    service.era = 'today';
  });

  it('sends one bound and finishes the other here, through all pages', async () => {
    const key = freshKey();
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const query = `query ($after: String) {
        missions(first: 10, after: $after, createdAt: { after: "2025-01-01", before: "2025-06-01" }) {
          totalCount nodes { id createdAt } pageInfo { hasNextPage endCursor }
        }
      }`;
      const { data } = await send(query, { key, variables: { after } });
      expect(data.missions.totalCount).toBeNull();
      seen.push(...data.missions.nodes.map(({ id }: { id: string }) => id));
      after = data.missions.pageInfo.hasNextPage ? data.missions.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen.sort()).toEqual(ids(30));
    expect(new Set(service.calls.map(({ url }) => new URL(url, 'http://x').searchParams.get('createdAt')))).toEqual(
      new Set(['gt:2025-01-01']),
    );
  });

  it('keeps the source’s own count while one bound is enough', async () => {
    const query = '{ missions(createdAt: { before: "2025-06-01" }) { totalCount } }';
    expect((await send(query, { key: freshKey() })).data.missions.totalCount).toBe(30);
  });
});

/** A page as the service sends it. */
interface Served {
  readonly data: Json[];
  readonly total?: unknown;
}

/** A range that includes all missions; its second bound is applied by the subgraph. */
const DATED = ', createdAt: { after: "2000-01-01", before: "2100-01-01" }';

describe('missions while the source misbehaves', () => {
  const responseTo = (query: string) => send(query, { key: freshKey() });

  beforeEach(() => {
    service.era = 'today';
  });

  it('does not mind what is not selected', async () => {
    service.fault({ kind: 'wrong-type', set: { '/data/0/title': 7 } });
    expect((await responseTo('{ missions(first: 1) { nodes { id } } }')).errors).toEqual([]);
  });

  it('makes a row that is no object the error of that row', async () => {
    service.fault({ kind: 'wrong-type', set: { '/data/1': 'mission' } });
    const { data, errors } = await responseTo('{ missions(first: 3) { nodes { id } edges { node { id } cursor } } }');
    expect(data.missions.nodes.map((node: unknown) => node !== null)).toEqual([true, false, true]);
    // Both lists are read at once: neither is always the first.
    expect(errors.toSorted()).toEqual([
      'UPSTREAM_INVALID_RESPONSE missions.edges.1.node',
      'UPSTREAM_INVALID_RESPONSE missions.nodes.1',
    ]);
  });

  it.each([
    ['missions', '/data'],
    ['missionSearch', '/hits'],
  ])(
    'refuses a list that is null: %s has none only where the list is empty, and caches nothing of it',
    async (field, place) => {
      const key = freshKey();
      const query = `{ ${field}(first: 2) { totalCount nodes { id } } }`;
      service.fault({ kind: 'wrong-type', set: { [place]: null } });
      const { data, errors } = await send(query, { key });
      expect([data, errors]).toEqual([{ [field]: null }, [`UPSTREAM_INVALID_RESPONSE ${field}`]]);
      service.clearFaults();
      expect((await send(query, { key })).data[field]).toMatchObject({ totalCount: 60, nodes: { length: 2 } });
    },
  );

  it.each([
    ['a total of all', '', (body: Served) => body, 60],
    ['no total', '', ({ total: _, ...body }: Served) => body, 60],
    ['a total that is a text', '', (body: Served) => ({ ...body, total: String(body.total) }), 60],
    ['pages of at most ten', '', (body: Served) => ({ ...body, data: body.data.slice(0, 10) }), 60],
    ['pages of at most ten', DATED, (body: Served) => ({ ...body, data: body.data.slice(0, 10) }), 60],
    ['an empty page', DATED, (body: Served) => ({ ...body, data: [] }), 0],
  ])('walks to the end where the source sends %s%s', async (_what, filter, sent, count) => {
    service.fault({ kind: 'wrong-type', path: '/v0/mission', change: (body) => sent(body as unknown as Served) });
    const seen: string[] = [];
    const key = freshKey();
    const query = `query ($after: String) {
      missions(first: 20, after: $after ${filter}) { nodes { id } pageInfo { hasNextPage endCursor } }
    }`;
    for (let after = null, more = true; more && service.calls.length < 20; ) {
      const { data } = await send(query, { key, variables: { after } });
      seen.push(...data.missions.nodes.map(({ id }: { id: string }) => id));
      more = data.missions.pageInfo.hasNextPage;
      after = data.missions.pageInfo.endCursor;
    }
    expect(seen).toHaveLength(count);
    expect(new Set(service.callLines()).size).toBe(service.calls.length);
  });

  it.each([
    ['missions', '/data'],
    ['missionSearch', '/hits'],
    ['organizations', '/data'],
  ])('reads no more rows of %s than were requested, however many the source sends', async (field, place) => {
    harness.drifts.length = 0;
    service.fault({ kind: 'wrong-type', set: { [place]: Array(1_000).fill(1) } });
    const { data } = await responseTo(`{ ${field}(first: 3) { nodes { id } pageInfo { hasNextPage } } }`);
    expect(data[field]).toEqual({ nodes: [null, null, null], pageInfo: { hasNextPage: true } });
    expect(harness.drifts.length).toBeLessThanOrEqual(4);
  });

  /** As many wrong items in the first list of the next response. */
  const wrongItems = (count: number) =>
    service.fault({ kind: 'wrong-type', set: { '/data/0/tasks': Array(count).fill(1) } });

  it('makes one error of a list with more wrong items than any page has rows', async () => {
    wrongItems(20_000);
    harness.drifts.length = 0;
    const more = await responseTo('{ missions(first: 3) { nodes { tasks } } }');
    expect(more.data.missions.nodes[0].tasks).toBeNull();
    expect(more.data.missions.nodes[1].tasks).not.toBeNull();
    expect(more.errors).toEqual(['UPSTREAM_INVALID_RESPONSE missions.nodes.0.tasks']);
    expect(harness.drifts.length).toBeLessThanOrEqual(10_002);
  });

  it('makes a whole number that the graph cannot say the error of its field', async () => {
    service.fault({ kind: 'wrong-type', set: { '/total': 3_000_000_000 } });
    const { data, errors } = await responseTo('{ missions(first: 2) { totalCount nodes { id } } }');
    expect(errors).toEqual(['UPSTREAM_INVALID_RESPONSE missions.totalCount']);
    expect(data.missions.nodes).toHaveLength(2);
  });

  it('takes a number for an identifier only where JSON carries each of its digits', async () => {
    const [whole, exact, rounded, broken] = [7, Number.MAX_SAFE_INTEGER, 2 ** 60, 1.5];
    const set = { '/data/0/_id': whole, '/data/1/_id': exact, '/data/2/_id': rounded, '/data/3/_id': broken };
    service.fault({ kind: 'wrong-type', set });
    const { data, errors } = await responseTo('{ missions(first: 4) { nodes { id } } }');
    expect(data.missions.nodes).toEqual([{ id: '7' }, { id: '9007199254740991' }, { id: null }, { id: null }]);
    expect(errors).toEqual([
      'UPSTREAM_INVALID_RESPONSE missions.nodes.2.id',
      'UPSTREAM_INVALID_RESPONSE missions.nodes.3.id',
    ]);
  });

  it('takes an empty identifier for a missing one: entities must not share it', async () => {
    service.fault({ kind: 'wrong-type', set: { '/data/0/_id': '' } });
    const { data, errors } = await responseTo('{ missions(first: 2) { nodes { id } } }');
    expect(data.missions.nodes).toEqual([{ id: null }, { id: expect.any(String) }]);
    expect(errors).toEqual(['UPSTREAM_INVALID_RESPONSE missions.nodes.0.id']);
  });

  it('passes today’s own refusal of an unknown type on', async () => {
    const { errors, messages } = await responseTo('{ missions(type: ["no-such-type"]) { totalCount } }');
    expect(errors).toEqual(['UPSTREAM_REFUSED_INPUT missions']);
    expect(messages[0]).toMatch(/^The volunteering service refused type/);
  });
});
