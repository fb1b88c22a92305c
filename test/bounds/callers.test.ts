import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createPolicy } from '../../gateway/callers/caller-limits.js';

/** Guards the memory taken by callers from more addresses than can be remembered, which one IPv6 network has. */

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** The bound of one limiter, from docs/bounds.md. */
const BOUND_BYTES = 20e6;

test('Callers of any number of addresses take bounded memory, and whoever was seen lately is counted on', async () => {
  const limiter = createPolicy('requests', 2, null);
  const refused = async (callerId: string) => (await limiter.take(callerId)).isRefused;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  for (const mark of ['early', 'early', 'steady', 'steady']) expect(await refused(mark)).toBe(false);
  for (let network = 0; network < 25_000; network += 1) {
    await limiter.take(`address 2001:db8:${network.toString(16)}::/64`);
    if (network % 5_000 === 0) expect(await refused('steady')).toBe(true);
  }
  expect(heap() - before).toBeLessThan(BOUND_BYTES);
  expect(await refused('steady')).toBe(true);
  expect(await refused('early')).toBe(false);
});
