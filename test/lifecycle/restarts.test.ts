import { expect, test } from 'vitest';
import { rollingRestarts } from './support/restarts.js';

/** Guards restarts of replicas without a dropped request. */

test('Behind a balancer that honours /readyz, no request is dropped while replicas are restarted in turn', async () => {
  const { answered, dropped } = await rollingRestarts(2);
  expect(dropped).toEqual([]);
  expect(answered).toBeGreaterThan(20);
});
