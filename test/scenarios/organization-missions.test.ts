import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Price } from '../../kernel/price.js';
import type { Account } from '../../sandbox/volunteering/accounts.js';
import { createAccounts } from '../../sandbox/volunteering/accounts.js';
import { the } from './samples.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

interface Organization {
  readonly rna: string | null;
  readonly missionsUnknown: string | null;
  readonly missions: Missions | null;
}

interface Missions {
  readonly totalCount: number | null;
  readonly nodes: readonly { readonly id: string; readonly domain: string | null }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly counts: Counts;
}

interface Counts {
  readonly total: number;
  readonly counted: number;
  readonly complete: boolean;
  readonly groups: readonly { readonly key: readonly [string | null]; readonly count: number }[];
}

const COUNTS = 'counts(by: DOMAIN) { total counted complete groups { key count } }';
const MISSIONS = `missions(first: 100) { totalCount nodes { id domain } pageInfo { hasNextPage endCursor } ${COUNTS} }`;
const LIST = `{ organizations(first: 25) { nodes { rna missionsUnknown ${MISSIONS} } } }`;

describe.each(USUAL_SHAPE)('The missions of organizations, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterEach(() => stack.sandbox.volunteering.reset());
  afterAll(() => stack.close());

  /** Identifiers of the published missions that name a number, as an account sees them. */
  const expected = (rna: string | null, account: Account = accountOf('operator')) =>
    stack.sandbox.world.missions
      .filter((row) => row['organizationRNA'] === rna && row['statusCode'] === 'ACCEPTED' && !row['deletedAt'])
      .filter((row) => account.sees(row['publisherId']))
      .map((row) => String(row['_id']))
      .sort();

  const accountOf = (name: string) => the(createAccounts(stack.sandbox.world.publishers).get(name));

  const missionCalls = () => stack.calls().filter((line) => line.startsWith('volunteering GET /v0/mission?'));

  test('of a page of 25 take one call, are those of all missions that name the number, and are counted', async () => {
    const { data, errors } = await stack.send(LIST);
    expect(errors).toEqual([]);
    const organizations = data.organizations.nodes as Organization[];
    expect(organizations).toHaveLength(25);
    const numbers = organizations.flatMap(({ rna }) => rna ?? []).sort();
    const joined = numbers.join('%2C');
    expect(numbers.length).toBeGreaterThan(15);
    expect(stack.calls()).toEqual([
      `volunteering GET /v0/mission?associationRNA=${joined}&organizationRNA=${joined}&limit=500 operator`,
      'volunteering GET /v0/organization?limit=26 operator',
    ]);
    for (const { rna, missions, missionsUnknown } of organizations) {
      expect([missions === null, missionsUnknown]).toEqual(rna === null ? [true, 'NO_RNA'] : [false, null]);
      if (missions === null) continue;
      const ids = missions.nodes.map(({ id }) => id);
      expect(ids.toSorted()).toEqual(expected(rna));
      expect(missions.totalCount).toBe(ids.length);
      expect(missions.counts).toEqual(countsOf(missions.nodes));
    }
    expect(organizations.some(({ missions }) => (missions?.totalCount ?? 0) > 1)).toBe(true);

    stack.forgetCalls();
    expect((await stack.send(LIST)).data).toEqual(data);
    expect(stack.calls(), 'asked again').toEqual([]);
  });

  test('of organizations that are looked up one by one take one call, too', async () => {
    const query = `{ missions(first: 40) { nodes { organization { rna ${MISSIONS} } } } }`;
    const { data, errors } = await stack.send(query);
    expect(errors).toEqual([]);
    const found = (data.missions.nodes as { organization: Organization | null }[]).flatMap(
      (one) => one.organization ?? [],
    );
    expect(new Set(found.map(({ rna }) => rna)).size).toBeGreaterThan(10);
    for (const { rna, missions } of found) if (rna !== null) expect(missions?.totalCount).toBe(expected(rna).length);
    expect(missionCalls()).toHaveLength(2);
  });

  test('are priced as the calls that they may take, if each had many: here it is one', async () => {
    const query = '{ organizations(first: 24) { nodes { missions(first: 2) { totalCount } } } }';
    const { trace } = await stack.send(query, { headers: { 'x-passerelle-dry-run': '1' } });
    const { price } = trace as unknown as { price: Price };
    // To halve 24 organizations until each is alone takes 47 calls.
    expect([price.total, stack.calls()]).toEqual([1 + 47, []]);
    await stack.send(query);
    expect(stack.calls()).toHaveLength(2);
  });

  test('come page by page, each once, whatever order the source has them in', async () => {
    const rna = the(
      stack.sandbox.world.organizations
        .map((row) => row['rna'])
        .filter((code) => typeof code === 'string')
        .toSorted((a, b) => expected(b).length - expected(a).length)[0],
    );
    stack.sandbox.volunteering.order = 'turning';
    const ids: string[] = [];
    for (let after: string | null = null; ; ) {
      const query = `query ($after: String) { organization(rna: "${rna}") { rna missionsUnknown missions(first: 1, after: $after, type: ["benevolat"]) { totalCount nodes { id domain } pageInfo { hasNextPage endCursor } } } }`;
      const response = await stack.send(query, { variables: { after } });
      const missions: Missions = response.data.organization.missions;
      ids.push(...missions.nodes.map(({ id }) => id));
      if (!missions.pageInfo.hasNextPage) break;
      after = missions.pageInfo.endCursor;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(expected(rna)).toEqual(expect.arrayContaining(ids));
  });

  test('are each caller’s own', async () => {
    const { alice, bob } = stack.sandbox.keys.volunteering;
    const query = LIST.replace('first: 25', 'first: 23');
    const answers = await Promise.all(
      [alice, bob].map((key) => stack.send(query, { headers: { 'x-volunteering-key': key } })),
    );
    for (const [index, name] of ['alice', 'bob'].entries()) {
      const organizations = answers[index]?.data.organizations.nodes as Organization[];
      for (const { rna, missions } of organizations) {
        if (rna !== null) expect(missions?.nodes.map(({ id }) => id).sort()).toEqual(expected(rna, accountOf(name)));
      }
    }
    expect(answers[0]?.data).not.toEqual(answers[1]?.data);
    expect(missionCalls().map((line) => line.split(' ').at(-1))).toEqual(['alice', 'bob']);
  });

  test('of a service that ignores the filter are refused, never everybody’s', async () => {
    stack.sandbox.volunteering.rnaFilter = 'ignored';
    const { data, errors } = await stack.send(LIST.replace('first: 25', 'first: 22'));
    const organizations = data.organizations.nodes as Organization[];
    expect(organizations.map(({ missions }) => missions)).toEqual(organizations.map(() => null));
    expect(errors).toHaveLength(organizations.filter(({ rna }) => rna !== null).length);
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['UPSTREAM_INVALID_RESPONSE']));
    expect(errors[0]?.message).toContain('does not filter missions by RNA number');
    expect(missionCalls()).toHaveLength(1);
  });

  test('of the documented service are found by the other parameter', async () => {
    stack.sandbox.volunteering.era = 'seed';
    const { data, errors } = await stack.send(LIST.replace('first: 25', 'first: 21'));
    expect(errors).toEqual([]);
    for (const { rna, missions } of data.organizations.nodes as Organization[]) {
      if (rna === null || rna === '') expect(missions).toBeNull();
      else expect(missions?.nodes.map(({ id }) => id).sort()).toEqual(expected(rna));
    }
    expect(missionCalls()).toHaveLength(1);
  });

  test('take their call along when the client leaves', async () => {
    const { volunteering } = stack.sandbox;
    volunteering.fault({ kind: 'latency', path: '/v0/mission', ms: 60_000 });
    const client = new AbortController();
    const left = stack.send(LIST.replace('first: 25', 'first: 20'), { signal: client.signal }).catch(() => 'left');
    await volunteering.seen(({ url }) => url.startsWith('/v0/mission?'));
    client.abort();
    expect(await left).toBe('left');
    await volunteering.seen(({ url, aborted }) => url.startsWith('/v0/mission?') && aborted);
    expect(missionCalls()).toHaveLength(1);
  });

  test('around a commune are counted as listed, without a further call, where facets count others', async () => {
    const page = 'first: 1000, radius: 10';
    const listed = await stack.send(
      `{ commune(insee: "75056") { missions(${page}) { totalCount truncated nodes { id domain } ${COUNTS} } } }`,
    );
    expect(listed.errors).toEqual([]);
    const { totalCount, truncated, nodes, counts } = listed.data.commune.missions;
    expect([truncated, nodes.length]).toEqual([false, totalCount]);
    expect(nodes.length).toBeGreaterThan(5);
    expect(counts).toEqual(countsOf(nodes));
    expect(stack.calls().filter((line) => line.startsWith('volunteering'))).toHaveLength(1);

    const square = await stack.send('{ missionCounts(by: REMOTE, lat: 48.8566, lon: 2.3522, distance: 10) { total } }');
    expect(square.data.missionCounts.total).toBeGreaterThan(totalCount);
  });
});

/** Counts of missions by domain, as the list has them. */
function countsOf(nodes: Missions['nodes']): Counts {
  const groups = new Map<string | null, number>();
  for (const { domain } of nodes) groups.set(domain, (groups.get(domain) ?? 0) + 1);
  return {
    total: nodes.length,
    counted: nodes.length,
    complete: true,
    groups: [...groups]
      .map(([key, count]) => ({ key: [key] as const, count }))
      .sort((a, b) => b.count - a.count || (JSON.stringify(a.key) < JSON.stringify(b.key) ? -1 : 1)),
  };
}
