import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { distanceKm, type Position } from '../../subgraphs/codes/places.js';
import { sampleQueries } from '../queries/read.js';
import { the } from './samples.js';
import { expectCallsMade, type Stack, type StackResponse, startStack, USUAL_SHAPE } from './stack.js';

const examples = sampleQueries();

describe.each(USUAL_SHAPE)('The sample queries, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape });
    // How many communes the first missions have, and so the calls, depends on which are first.
    stack.sandbox.volunteering.order = 'stable';
  });
  afterAll(() => stack.close());

  test.each(examples.map((example) => [example.name, example] as const))(
    '%s is answered with rows, and costs nothing when asked again',
    async (_name, example) => {
      stack.forgetCalls();
      const headers = { authorization: `Bearer ${stack.sandbox.keys.waste.token}` };
      const requested = { variables: example.variables, headers };
      const { data, errors, trace } = await stack.send(example.query, requested);
      expect(errors).toEqual([]);
      expect(longestList(data), 'no list of the answer has a row').toBeGreaterThan(0);

      const calls = stack.calls();
      expect(new Set(calls).size, 'a call is made twice').toBe(calls.length);
      expectCallsMade(trace, calls.length);
      expect(calls.length, 'the calls it names').toBeLessThanOrEqual(example.calls);
      if (trace !== undefined) {
        // What another example left in the cache would otherwise have been a call.
        const cold = calls.length + trace.totals.savedByCache + trace.totals.savedBySharing;
        expect(cold, 'the calls it names').toBeGreaterThanOrEqual(example.calls * 0.8);
      }

      stack.forgetCalls();
      await stack.send(example.query, requested);
      // Identity is never cached, so it is requested each time.
      expect(stack.calls().filter((line) => !line.startsWith('waste-identity'))).toEqual([]);
    },
  );

  test('the place shown beside a distance lies that far away, within the circle', async () => {
    const example = examples.find(({ name }) => name === 'missions-near-a-commune');
    if (example === undefined) throw new Error('The example of missions near a commune is gone.');
    const { insee, radius } = example.variables;
    const centre = await stack.send(
      'query ($insee: INSEECode!) { commune(insee: $insee) { localisation { centre { coordinates } } } }',
      { variables: { insee } },
    );
    const [lon, lat] = centre.data.commune.localisation.centre.coordinates;
    const { data } = await stack.send(example.query, { variables: example.variables });
    const rows: { distance: number; place: Position }[] = data.commune.missions.edges.map(
      ({ distance, address, node }: { distance: number; address?: Placed; node: Placed }) => ({
        distance,
        place: (address ?? node).location,
      }),
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const { distance, place } of rows) {
      expect(distanceKm({ lon, lat }, place)).toBeCloseTo(distance, 6);
      expect(distance).toBeLessThanOrEqual(Number(radius));
    }
  });

  test('the first query of the README is answered as it says', async () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const fenced = (pattern: RegExp) => the(pattern.exec(readme)?.[1]);
    const { query } = JSON.parse(fenced(/-d '(\{"query".*\})'/)) as { query: string };
    const token = fenced(/authorization: (Bearer \w+)/);
    const expected = JSON.parse(fenced(/```json\n([\s\S]*?)```/)) as { data: unknown };
    const { data, errors } = await stack.send(query, { headers: { authorization: token } });
    expect(errors).toEqual([]);
    expect(data).toEqual(expected.data);
  });
});

describe.each(USUAL_SHAPE)('Of a world that is read page by page, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
    stack.sandbox.volunteering.order = 'stable';
  });
  afterAll(() => stack.close());

  test('the counts by domain and department equal a count over all pages', async () => {
    const example = examples.find(({ name }) => name === 'mission-domains');
    if (example === undefined) throw new Error('The example of counts is gone.');
    const missions = await allMissions(stack);
    const { data } = await stack.send(example.query, { variables: example.variables });
    expect(data.domains).toMatchObject({ total: missions.length, counted: missions.length, complete: true });
    const byDomain = missions.map(({ domain }) => domain);
    expect(data.domains.groups.map(({ count }: Group) => count)).toEqual(tally(byDomain).map(([, count]) => count));

    // Different spellings of a département share one code; a mission counts in each in which it has an address.
    const byDepartment = missions.flatMap(({ addresses }) => {
      const codes = new Set(addresses.map(({ departmentCode }) => departmentCode).filter((code) => code !== null));
      return codes.size > 0 ? [...codes] : [null];
    });
    const counted = data.departments.groups.map(({ key, count }: Group) => [key?.[0] ?? null, count]);
    expect(new Map(counted)).toEqual(new Map(tally(byDepartment)));
  });
});

interface Group {
  readonly key?: readonly (string | null)[];
  readonly count: number;
}

interface ListedMission {
  readonly domain: string | null;
  readonly addresses: readonly { readonly departmentCode: string | null }[];
}

/** Every mission of the sandbox, page by page. */
async function allMissions(stack: Stack): Promise<ListedMission[]> {
  const missions: ListedMission[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const query = `query ($after: String) { missions(first: 300, after: $after) {
      nodes { domain addresses { departmentCode } } pageInfo { hasNextPage endCursor } } }`;
    const { data, errors }: StackResponse = await stack.send(query, { variables: { after } });
    expect(errors).toEqual([]);
    missions.push(...data.missions.nodes);
    after = data.missions.pageInfo.endCursor;
    more = data.missions.pageInfo.hasNextPage;
  }
  return missions;
}

/** How often each value occurs, most frequent first. */
function tally<T>(values: readonly T[]): [T, number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

interface Placed {
  readonly location: Position;
}

function longestList(value: unknown): number {
  if (Array.isArray(value)) return Math.max(value.length, ...value.map(longestList));
  return typeof value === 'object' && value !== null ? Math.max(0, ...Object.values(value).map(longestList)) : 0;
}
