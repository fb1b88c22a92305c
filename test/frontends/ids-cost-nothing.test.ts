import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SERVICES } from '../../kernel/services.js';
import { plainMissions, the } from '../scenarios/samples.js';
import { type Stack, startStack, USUAL_SHAPE } from '../scenarios/stack.js';

/** Selections without and with the ids that a client's cache adds. */
const PAIRS: readonly (readonly [without: string, withIds: string])[] = [
  ['commune { nom }', 'id commune { id nom }'],
  [
    'commune { nom departement { nom region { nom } } }',
    'id commune { id nom departement { id nom region { id nom } } }',
  ],
  ['commune { missions { totalCount } }', 'id commune { id missions { totalCount } }'],
  ['organization { title commune { nom } }', 'id organization { id title commune { id nom } }'],
  ['communeMatch { candidates { nom } }', 'id communeMatch { candidates { id nom } }'],
];

describe.each(USUAL_SHAPE)('Ids in a query, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  test.each(PAIRS)('add no fetch to the plan and no call: %s', async (without, withIds) => {
    const [first, second] = plainMissions(stack.sandbox.world).slice(2 * PAIRS.findIndex(([one]) => one === without));
    const requested = async (selection: string, { id }: { id: string }) => {
      stack.forgetCalls();
      const { errors, trace } = await stack.send(`{ mission(id: "${id}") { ${selection} } }`);
      expect(errors).toEqual([]);
      return { calls: stack.calls().length, fetches: fetchesOf(trace?.plan) };
    };
    expect(await requested(withIds, the(first))).toEqual(await requested(without, the(second)));
  });

  test('of sources come without a fetch of their own', async () => {
    const { data, trace } = await stack.send('{ sources { id } }');
    expect(data.sources).toEqual(SERVICES.map((id) => ({ id })));
    // It makes no call, so in one process it is in no plan.
    expect(fetchesOf(trace?.plan)).toEqual(shape === 'in process' ? [] : ['work-study']);
  });

  test('may be names of other fields: an alias takes nothing from the join that needs the key', async () => {
    const { id, insee } = the(plainMissions(stack.sandbox.world).at(-1));
    const { data, errors } = await stack.send(
      `{ mission(id: "${id}") { commune { id: nom code: id key: code { insee } missions(first: 1) { totalCount } } } }`,
    );
    expect(errors).toEqual([]);
    const { commune } = data.mission;
    expect(commune).toMatchObject({ code: `Commune:${insee}`, key: { insee } });
    expect(commune.id).not.toBe(insee);
    expect(commune.missions.totalCount).toBeGreaterThan(0);
  });

  // The last one, because the breaker of the service stays open.
  test('of communes are never null where a code is known, also while their service is down', async () => {
    stack.sandbox.workStudy.fault({ kind: 'status', status: 503 });
    const { data, errors } = await stack.send(
      '{ communesByName(name: "Saint", first: 30) { id nom missionLocale { id } } missions(first: 50) { nodes { commune { id } } } }',
    );
    expect(data.communesByName).toHaveLength(30);
    for (const { id, nom } of data.communesByName)
      expect([id, nom]).toEqual([expect.stringMatching(/^Commune:\w{5}$/), expect.any(String)]);
    expect(errors.map(({ path }) => path?.at(-1))).toContain('missionLocale');
    // What is joined fails as a whole, never at its id.
    expect(errors.map(({ path }) => path?.at(-1))).toContain('commune');
    expect(errors.filter(({ path }) => path?.at(-1) === 'id')).toEqual([]);
  });
});

/** The services of a plan's fetches, in its order. */
function fetchesOf(plan: unknown): string[] {
  if (Array.isArray(plan)) return plan.flatMap(fetchesOf);
  if (typeof plan !== 'object' || plan === null) return [];
  const own = 'service' in plan && typeof plan.service === 'string' ? [plan.service] : [];
  return [...own, ...Object.values(plan).flatMap(fetchesOf)];
}
