import { describe, expect, it } from 'vitest';
import { runs } from '../../runs.js';
import { createLimitedReplicas, isRefused, LIMIT, WINDOW_MS } from '../support/limited-replicas.js';

const SECOND = 1_000;
/** By then, the replicas know how many they are. */
const ACQUAINTED_MS = 20 * SECOND;

/** Makes `count` searches over `overMs`, by all replicas in turn; each must succeed or be refused. */
async function burst(world: ReturnType<typeof createLimitedReplicas>, count: number, overMs: number) {
  const outcomes: unknown[] = [];
  for (let n = 0; n < count; n += 1) {
    world.clock.after((n * overMs) / count, () => {
      void world.send(20 * SECOND).then((outcome) => outcomes.push(outcome));
    });
  }
  await world.clock.advance(WINDOW_MS + 2 * SECOND);
  expect(outcomes).toHaveLength(count);
  expect(outcomes.filter((outcome) => outcome instanceof Error && !isRefused(outcome))).toEqual([]);
}

describe('three hundred searches by three replicas', () => {
  it.each([
    { overMs: 150, lostAtMs: 20 },
    { overMs: 2_000, lostAtMs: 150 },
  ])(
    'within $overMs ms: at least 58 are answered and none is refused when all lose the account after $lostAtMs ms',
    async ({ overMs, lostAtMs }) => {
      const world = createLimitedReplicas(3);
      await world.clock.advance(ACQUAINTED_MS);
      world.clock.after(lostAtMs, () => {
        for (const line of world.lines) line.cut = true;
      });
      await burst(world, 300, overMs);
      expect(world.service.refused).toBe(0);
      expect(world.service.answered).toBeGreaterThanOrEqual(58);
    },
  );

  it('are refused by no service when the account was never there: each replica keeps to its quarter', async () => {
    const world = createLimitedReplicas(3);
    for (const line of world.lines) line.cut = true;
    await burst(world, 300, 50);
    expect(world.service.refused).toBe(0);
    expect(world.service.answered).toBeLessThanOrEqual((3 * LIMIT) / 4);
    // One call at a time of each: one of them may be too late.
    expect(world.service.answered).toBeGreaterThanOrEqual((3 * LIMIT) / 4 - 1);
  });
});

it('a replica that alone has lost the account costs no more than the calls in flight when a window is spent', async () => {
  const world = createLimitedReplicas(3);
  await world.clock.advance(ACQUAINTED_MS);
  for (const line of world.lines.slice(0, 1)) line.cut = true;
  for (let window = 1; window <= runs(3); window += 1) {
    const before = world.service.refused;
    await burst(world, 90, 50);
    // Six calls in flight of the replicas that share, and two of the one whose share is twenty.
    expect(world.service.refused - before).toBeLessThanOrEqual(6 + 2);
    expect(world.service.answered).toBe(window * LIMIT);
  }
  expect(world.service.refused).toBeLessThanOrEqual(10);
});
