import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runs } from '../runs.js';
import { plainMissions, the } from '../scenarios/samples.js';
import { onlyInProcess, type Stack, startStack } from '../scenarios/stack.js';
import { generatedOperation, type Operation, type Root } from './support/generated-operation.js';
import { post } from './support/post.js';

/** 2,000 in a long run; `TEST_SEED=17` runs the operation of this seed alone. */
const ONLY = env['TEST_SEED'];
const SEEDS = ONLY === undefined ? Array.from({ length: runs(12) }, (_, seed) => seed) : [Number(ONLY)];
/** Longer than anything may be served stale, and a window of each service's quota. */
const [FORGOTTEN_MS, WINDOW_MS] = [9 * 24 * 3600_000, 61_000];

/** Lists without `first` that are longer than most: of the postal code with most communes, of offers, of all départements. */
const LONG_LISTS: readonly string[] = [
  '{ communes(code: "51300") { nom missions(first: 1) { totalCount } } }',
  '{ communes(code: "76000") { formations(first: 1) { nodes { id } } } }',
  '{ jobSearch(latitude: 48.85, longitude: 2.35, radius: 200) { jobs { workplace { commune { nom } } } } }',
  '{ jobSearch(departements: ["75"]) { jobs { formations(first: 1) { nodes { id } } } } }',
  '{ departements { nom jobSearch { jobs { id } } } }',
];

describe('The price of an operation', () => {
  let stack: Stack;
  let sent = 0;
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    stack = await startStack({
      shape: 'in process',
      sandbox: { scale: 0.1 },
      env: { MAX_CALLS_PER_REQUEST: '1000000' },
    });
  });
  afterAll(async () => {
    await stack.close();
    vi.useRealTimers();
  });

  /** What it costs dry and for real; null if it is refused. */
  async function costOf(operation: Operation, afterMs: number) {
    const { volunteering } = stack.sandbox;
    vi.setSystemTime(Date.now() + afterMs);
    for (const service of stack.sandbox.running) service.reset();
    [volunteering.order, volunteering.callsPerMinute] = ['stable', 1_000_000];
    const headers = { authorization: `Bearer ${stack.sandbox.keys.waste.token}` };
    // A document that was never sent before, so that nobody knows what it needs.
    const body = { ...operation, query: `${operation.query} # ${sent++}` };
    const response = await fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-passerelle-dry-run': '1', ...headers },
      body: JSON.stringify(body),
    });
    const { extensions } = (await response.json()) as { extensions?: { passerelle?: { price?: { total: number } } } };
    const price = extensions?.passerelle?.price;
    if (price === undefined) return null;
    stack.forgetCalls();
    await post(stack.url, body, headers);
    return { announced: price.total, made: stack.calls().length };
  }

  test.skipIf(onlyInProcess('apart, fetches are priced one by one'))(
    'is never below the calls made: long lists, and generated operations, with and without what was read before',
    async () => {
      const [mission] = plainMissions(stack.sandbox.world);
      const roots = rootsOf(the(mission));
      const operations = [
        ...(ONLY === undefined ? LONG_LISTS : []).map((query) => ({ query, variables: {} })),
        ...SEEDS.map((seed) => generatedOperation(seed, roots)),
      ];
      const below: string[] = [];
      let calls = 0;
      for (const [place, operation] of operations.entries()) {
        const cost = await costOf(operation, place % 3 === 2 ? WINDOW_MS : FORGOTTEN_MS);
        if (cost === null) continue;
        calls += cost.made;
        if (cost.announced >= cost.made) continue;
        below.push(`${place - LONG_LISTS.length}: ${cost.announced} announced, ${cost.made} made\n${operation.query}`);
      }
      expect(below).toEqual([]);
      expect(calls).toBeGreaterThan(operations.length / 2);
    },
  );
});

function rootsOf({ id, rna, insee }: { readonly id: string; readonly rna: string; readonly insee: string }): Root[] {
  return [
    ...['51300', '76000', '29200', '75001'].map((code) => ({ name: 'communes', values: { code } })),
    { name: 'jobSearch', values: { latitude: 45.76, longitude: 4.83, radius: 20 } },
    { name: 'departements', values: {}, depth: 3 },
    { name: 'missionsLocales', values: { latitude: 48.85, longitude: 2.35, radius: 20 } },
    { name: 'communesByName', values: { name: 'saint', first: 3 } },
    { name: 'communesByName', values: { name: 'mar' } },
    { name: 'missions', values: { first: 7 } },
    { name: 'missionSearch', values: { first: 4, lat: 48.85, lon: 2.35, distance: 20 } },
    { name: 'missionCounts', values: { by: ['DEPARTMENT'] } },
    { name: 'certifications', values: { rncp: 'RNCP37537', first: 3 } },
    { name: 'formations', values: { rncp: 'RNCP37537', first: 2 } },
    { name: 'exportedOffers', values: { first: 3 } },
    { name: 'organismes', values: { first: 2 } },
    { name: 'viewer', values: {} },
    { name: 'mission', values: { id } },
    { name: 'organization', values: { rna } },
    { name: 'commune', values: { insee } },
  ];
}
