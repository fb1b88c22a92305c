import { expect, it } from 'vitest';
import {
  createLimitedReplicas,
  isRefused,
  LIMIT,
  type LimitedReplicas,
  WINDOW_MS,
} from '../support/limited-replicas.js';

/** Guards the quota when a stranger spends part of the window. */

const SECOND = 1_000;
const FIVE_WINDOWS = 310 * SECOND;
/** Calls that a stranger spends in each window. */
const STRANGERS = 0.3 * LIMIT;

const STRANGER: Readonly<Record<string, (world: LimitedReplicas) => void>> = {
  'now and then': ({ clock, dice, service }) => {
    const everyMs = WINDOW_MS / STRANGERS;
    const again = () => {
      service.spend(1);
      clock.after(everyMs * 2 * dice(), again);
    };
    clock.after(everyMs * dice(), again);
  },
  'at the start of each window': ({ clock, service }) => {
    const again = () => {
      service.spend(STRANGERS);
      clock.after(WINDOW_MS, again);
    };
    again();
  },
};

/** Sends until accepted: a refused caller retries at the time that the refusal gives, or a little later. */
async function retryUntilAccepted(world: LimitedReplicas): Promise<void> {
  const outcome = await world.send(20 * SECOND);
  if (!isRefused(outcome)) return;
  const waitMs = (Number(outcome.extensions['retryAfterSeconds']) + 15 * world.dice()) * SECOND;
  await new Promise<void>((resolve) => void world.clock.after(waitMs, resolve));
  await retryUntilAccepted(world);
}

it.each([
  { replicas: 3, when: 'now and then', most: 10 },
  { replicas: 1, when: 'at the start of each window', most: 0 },
  { replicas: 3, when: 'at the start of each window', most: 0 },
])(
  'a stranger who spends 30 % of the key $when costs $replicas replica(s) at most $most refusals in five windows',
  async ({ replicas, when, most }) => {
    const world = createLimitedReplicas(replicas);
    STRANGER[when]?.(world);
    for (let caller = 0; caller < 300; caller += 1) void retryUntilAccepted(world);
    await world.clock.advance(FIVE_WINDOWS);
    expect(world.service.refused).toBeLessThanOrEqual(most);
    expect(world.service.answered).toBeGreaterThanOrEqual(5 * (LIMIT - STRANGERS));
    // Nobody sends into a window that is known to have refused a call.
    const refused = world.calls.filter((call) => call.refused);
    const known = refused.filter(({ sentMs }) =>
      refused.some(({ heardMs }) => sentMs > heardMs && sentMs < heardMs + SECOND),
    );
    expect(known).toEqual([]);
  },
);
