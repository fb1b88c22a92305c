import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainMissions, the } from './samples.js';
import { SHAPES, type Shape, type Stack, startStack } from './stack.js';

/** Long enough for a busy machine to return what is available, short beside the delay of the sources. */
const DEADLINE_MS = 2_500;

const stacks = new Map<Shape, Stack>();
beforeAll(async () => {
  const env = { REQUEST_DEADLINE_MS: String(DEADLINE_MS) };
  for (const shape of SHAPES) {
    const stack = await startStack({ shape, sandbox: { scale: 0.02 }, env });
    stacks.set(shape, stack);
    await stack.send('{ departements { nom } }');
  }
});
afterAll(async () => {
  for (const stack of stacks.values()) await stack.close();
});

// Concurrent, because they mostly wait.
describe.concurrent.each(SHAPES)('A source that is slower than the request may take, %s', (shape) => {
  const opened = () => {
    const stack = the(stacks.get(shape));
    return { stack, missions: plainMissions(stack.sandbox.world) };
  };

  test('behind a join nulls the joined field alone, and its call is cut', async () => {
    const { stack, missions } = opened();
    const { id, insee, rna } = the(missions[0]);
    const path = '/api/geographie/v1/commune';
    stack.sandbox.workStudy.fault({ kind: 'latency', path, ms: 60_000 });
    const { status, data, errors } = await stack.send(
      `{ mission(id: "${id}") { id commune { nom } organization { rna } } departements { nom } }`,
    );
    expect(status).toBe(200);
    expect(data.mission).toEqual({ id, commune: null, organization: { rna } });
    expect(data.departements).toHaveLength(stack.sandbox.world.departements.length);
    expect(errors).toMatchObject([{ path: ['mission', 'commune'], extensions: { code: 'DEADLINE_EXCEEDED' } }]);
    const call = await stack.sandbox.workStudy.seen(({ url, aborted }) => url.includes(insee) && aborted);
    expect(call.status).toBeNull();
  });

  test('at a root field nulls that field alone', async () => {
    const { stack, missions } = opened();
    const { id } = the(missions[1]);
    stack.sandbox.volunteering.fault({ kind: 'latency', path: `/v0/mission/${id}`, ms: 60_000 });
    const { data, errors, trace } = await stack.send(`{ mission(id: "${id}") { title } departements { nom } }`);
    expect(data.mission).toBeNull();
    expect(data.departements).toHaveLength(stack.sandbox.world.departements.length);
    expect(errors).toMatchObject([{ path: ['mission'], extensions: { code: 'DEADLINE_EXCEEDED' } }]);
    expect(the(trace).timings.totalMs).toBeGreaterThanOrEqual(DEADLINE_MS - 100);
    await stack.sandbox.volunteering.seen(({ url, aborted }) => url.includes(id) && aborted);
  });
});
