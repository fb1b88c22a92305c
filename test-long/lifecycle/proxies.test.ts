import { describe, expect, test } from 'vitest';
import { floodBehind, restartBehind } from '../../test/lifecycle/support/behind-proxy.js';
import { whyMissing } from '../../test/lifecycle/support/proxies.js';

/** Guards what the proxies of deploy/ promise: bounds for one address, and restarts that lose nothing. */

const MAX_CONNECTIONS = 256;

describe.each(['nginx', 'haproxy'] as const)('The shipped file of %s', (name) => {
  const why = whyMissing(name);
  if (why !== null) console.warn(`What ${name} does was left out: ${why}.`);

  test.skipIf(why !== null)(
    'lets one address hold so many half requests and no more, and answers others within a second',
    async () => {
      const { dropped, held, slowestMs } = await floodBehind(name, 9_000, 20);
      expect([dropped, held]).toEqual([[], MAX_CONNECTIONS]);
      expect(slowestMs).toBeLessThan(1_000);
    },
  );

  test.skipIf(why !== null)('loses no request while replicas restart fifty times', async () => {
    const { answered, dropped } = await restartBehind(name, 25);
    expect(dropped).toEqual([]);
    expect(answered).toBeGreaterThan(1_000);
  });
});
