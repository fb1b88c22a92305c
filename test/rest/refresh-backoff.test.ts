import { expect, it } from 'vitest';
import { RefreshBackoff } from '../../subgraphs/rest/stages/cache.js';
import { createVirtualClock } from './support/virtual-clock.js';

/** Guards the pauses between failed refreshes. */

const NEVER = Number.NEGATIVE_INFINITY;

it('the wait after a failed refresh doubles from ten seconds to five minutes', async () => {
  const clock = createVirtualClock();
  const backoff = new RefreshBackoff(clock);
  for (const seconds of [10, 20, 40, 80, 160, 300, 300]) {
    backoff.failed('a', 'OUTAGE');
    await clock.advance(seconds * 1000 - 1);
    expect(backoff.holds('a', NEVER)).toBe('OUTAGE');
    expect(backoff.holds('b', NEVER)).toBeNull();
    await clock.advance(1);
    expect(backoff.holds('a', NEVER)).toBeNull();
  }
});

it('the wait ends with a success: of the refresh, or of the same routes since then', async () => {
  const clock = createVirtualClock();
  const backoff = new RefreshBackoff(clock);
  await clock.advance(1);
  backoff.failed('a', 'QUOTA');
  expect(backoff.holds('a', 0)).toBe('QUOTA');
  // A refusal by quota also counts as a sign of life at that very moment, and must not end its own pause.
  expect(backoff.holds('a', clock.monotonicMs())).toBe('QUOTA');
  await clock.advance(1);
  expect(backoff.holds('a', clock.monotonicMs())).toBeNull();
  backoff.succeeded('a');
  expect(backoff.holds('a', 0)).toBeNull();
});
