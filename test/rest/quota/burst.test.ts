import { expect, it } from 'vitest';
import { createLimitedReplicas, isRefused, LIMIT } from '../support/limited-replicas.js';

/** Guards the quota against a burst of searches. */

const SECOND = 1_000;
/** By then, the replicas know how many they are. */
const ACQUAINTED_MS = 20 * SECOND;

interface Settled {
  readonly outcome: unknown;
  readonly atMs: number;
}

/** Sends three hundred searches to three replicas at once; records the outcomes so far, and when they came. */
async function burst(deadlineMs: number, latencyMs?: () => number) {
  const world = createLimitedReplicas(3, latencyMs);
  await world.clock.advance(ACQUAINTED_MS);
  const startMs = world.clock.monotonicMs();
  const settled: Settled[] = [];
  for (let caller = 0; caller < 300; caller += 1) {
    void world.send(deadlineMs).then((outcome) => settled.push({ outcome, atMs: world.clock.monotonicMs() - startMs }));
  }
  return { ...world, settled, refused: () => settled.filter(({ outcome }) => isRefused(outcome)) };
}

it('three hundred searches at once with ten seconds: sixty are answered, the others refused before any time passes', async () => {
  const { clock, service, settled, refused } = await burst(10 * SECOND);
  await clock.advance(10 * SECOND);
  expect(service).toMatchObject({ answered: LIMIT, refused: 0 });
  expect(settled).toHaveLength(300);
  expect(refused()).toHaveLength(240);
  expect(new Set(refused().map(({ atMs }) => atMs))).toEqual(new Set([0]));
});

it('three hundred searches at once with 130 seconds: what three windows hold is answered, and the service refuses none', async () => {
  const { clock, service, settled, refused } = await burst(130 * SECOND, () => 100);
  await clock.advance(130 * SECOND);
  expect(service).toMatchObject({ answered: 3 * LIMIT, refused: 0 });
  expect(settled).toHaveLength(300);
  expect(refused()).toHaveLength(300 - 3 * LIMIT);
});

it.each([0, 7, 55])(
  'who is refused %i seconds after a burst is told within a second when he could be sent',
  async (seconds) => {
    const { clock, send, calls } = await burst(10 * SECOND);
    await clock.advance(seconds * SECOND);
    const calledMs = clock.monotonicMs();
    const outcome = await send(SECOND);
    void send(100 * SECOND);
    await clock.advance(70 * SECOND);
    if (!isRefused(outcome)) throw new Error('The window is spent.');
    const saidMs = Number(outcome.extensions['retryAfterSeconds']) * SECOND;
    const sentMs = (calls[LIMIT]?.sentMs ?? 0) - calledMs;
    // Sent a second after the service would accept it, because services round the end of a window.
    expect(Math.abs(sentMs - SECOND - saidMs)).toBeLessThanOrEqual(SECOND);
  },
);
