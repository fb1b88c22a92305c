import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readExamples } from '../../gateway/web/home.js';
import { distanceKm, type Position } from '../../subgraphs/codes/distances.js';
import { SHAPES, type Stack, startStack } from './stack.js';

const examples = await readExamples();

describe.each(SHAPES)('The example questions of the analyst page, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape });
    await stack.exportLoaded();
  });
  afterAll(() => stack.close());

  test('there are at least ten', () => {
    expect(examples.length).toBeGreaterThanOrEqual(10);
  });

  test.each(examples.map((example) => [example.name, example] as const))(
    '%s is answered with rows',
    async (_name, example) => {
      stack.forgetCalls();
      const headers = { authorization: `Bearer ${stack.sandbox.keys.waste.token}` };
      const { data, errors, trace } = await stack.ask(example.query, { variables: example.variables, headers });
      expect(errors).toEqual([]);
      expect(longestList(data), 'no list of the answer has a row').toBeGreaterThan(0);

      const calls = stack.calls();
      expect(new Set(calls).size, 'a call is made twice').toBe(calls.length);
      expect(trace?.totals.callsMade).toBe(calls.length);
    },
  );

  test.each(examples.map((example) => [example.name, example] as const))(
    '%s costs nothing when asked again',
    async (_name, example) => {
      const headers = { authorization: `Bearer ${stack.sandbox.keys.waste.token}` };
      const asked = { variables: example.variables, headers };
      await stack.ask(example.query, asked);
      stack.forgetCalls();
      await stack.ask(example.query, asked);
      // Who somebody is, is asked each time: identity is never kept.
      expect(stack.calls().filter((line) => !line.startsWith('waste-identity'))).toEqual([]);
    },
  );

  test('the place shown beside a distance lies that far away, within the circle', async () => {
    const example = examples.find(({ name }) => name === 'missions-near-a-commune');
    if (example === undefined) throw new Error('The example of missions near a commune is gone.');
    const { insee, radius } = example.variables;
    const centre = await stack.ask(
      'query ($insee: INSEECode!) { commune(insee: $insee) { localisation { centre { coordinates } } } }',
      { variables: { insee } },
    );
    const [lon, lat] = centre.data.commune.localisation.centre.coordinates;
    const { data } = await stack.ask(example.query, { variables: example.variables });
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
});

interface Placed {
  readonly location: Position;
}

function longestList(value: unknown): number {
  if (Array.isArray(value)) return Math.max(value.length, ...value.map(longestList));
  return typeof value === 'object' && value !== null ? Math.max(0, ...Object.values(value).map(longestList)) : 0;
}
