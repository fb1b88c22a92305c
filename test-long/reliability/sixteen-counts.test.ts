import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ONE_SHAPE, type Stack, startStack } from '../../test/scenarios/stack.js';

/** Rows in flight above which the service's test environment ends, which has 512 MiB (volunteering 6.1). */
const DIES_ABOVE = 5_000;
const ALIASES = Array.from({ length: 16 }, (_, index) => `c${index}`);

interface Counts {
  readonly total: number;
  readonly counted: number;
  readonly complete: boolean;
}

/** Guards that counts of whole lists, as many as one operation may have, hurt neither the service nor other callers. */
describe('Sixteen counts at once', () => {
  let stack: Stack;
  // Each has a quota of its own: what the counts of one leave of it is too little for those of another.
  beforeEach(async () => {
    const volunteering = { timing: true, diesAbove: DIES_ABOVE };
    stack = await startStack({
      shape: ONE_SHAPE,
      sandbox: { size: 'real', services: ['volunteering'], volunteering },
      // That size takes more time of a busy machine than its model says.
      env: { REQUEST_DEADLINE_MS: '60000' },
      awaitsExport: false,
    });
  });
  afterEach(() => stack.close());

  test.each([
    ['by totals or pages', 'DOMAIN', 2100],
    ['by pages', 'ACTIVITY', 2200],
  ])('%s are exact or refused with a code, and keep nobody waiting', async (_way, key, year) => {
    const { volunteering } = stack.sandbox;
    // Each is of a list of its own, of all missions that have a start.
    const fields = ALIASES.map(
      (alias, n) =>
        `${alias}: missionCounts(by: ${key}, startAt: { before: "${year + n}-01-01" }) { total counted complete }`,
    );
    stack.forgetCalls();
    const counts = stack.send(`{ ${fields.join(' ')} }`);
    await volunteering.seen(({ url }) => url.includes('limit=1000'));
    const small = await stack.send('{ missions(first: 1, domain: ["sport"]) { nodes { id } } }', {
      headers: { 'x-volunteering-key': stack.sandbox.keys.volunteering.alice },
    });
    expect([small.errors, small.data.missions.nodes.length]).toEqual([[], 1]);

    const { data, errors } = await counts;
    const whole = await stack.send(`{ missions(first: 1, startAt: { before: "${year}-01-01" }) { totalCount } }`);
    const { totalCount: total } = whole.data.missions;
    const answered = ALIASES.flatMap((alias) => (data?.[alias] ?? []) as Counts[]);
    expect(answered.length).toBeGreaterThan(0);
    expect(answered.length + errors.length).toBe(ALIASES.length);
    for (const one of answered) expect(one).toEqual({ total, counted: total, complete: true });
    for (const { extensions } of errors) {
      expect(['COST_EXCEEDED', 'RATE_LIMITED']).toContain(extensions.code);
    }
    const load = volunteering.load();
    expect(load).toMatchObject({ deaths: 0, rowsInFlight: 0 });
    expect(load.mostRowsOfLargePages).toBeLessThanOrEqual(1_000);
    // By the model's own time: what another caller's row waited for at most, and until the service is free again.
    expect(load.mostQueueMs).toBeLessThan(1_000);
    expect(load.queueMs).toBeLessThan(5_000);
  });
});
