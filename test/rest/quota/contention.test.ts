import { expect, it } from 'vitest';
import type { QuotaStore } from '../../../subgraphs/rest/ports/ports.js';
import { createSharedLedger } from '../../../subgraphs/rest/quota/ledger.js';
import { createVirtualClock } from '../support/virtual-clock.js';
import { createVirtualQuotaStore } from '../support/virtual-quota-store.js';

/** Guards replicas that change one account concurrently. */

const SECOND = 1_000;
const SCOPE = { kind: 'window', name: 'search', limit: 60, windowMs: 60 * SECOND } as const;

/** A store in which another replica changes the account first, `times` times in a row. */
function contended(store: QuotaStore, times: number): QuotaStore {
  let versions = 0;
  return {
    async compareAndSet(service, key, change) {
      const isOfReplicas = key === 'replicas';
      if (!isOfReplicas && change.next !== null && versions < times) {
        versions += 1;
        const { version, value } = await store.compareAndSet(service, key, { ...change, version: '', next: null });
        await store.compareAndSet(service, key, { ...change, version, next: { version: `other.${versions}`, value } });
      }
      return store.compareAndSet(service, key, change);
    },
  };
}

async function open(times: number) {
  const clock = createVirtualClock();
  const reasons: (string | null)[] = [];
  const ledger = createSharedLedger({
    store: contended(
      createVirtualQuotaStore(() => clock.monotonicMs()),
      times,
    ),
    clock,
    service: 'service',
    replica: 'r0',
    onFallback: (reason) => reasons.push(reason),
  });
  await clock.advance(20 * SECOND);
  const take = () => ledger.open(SCOPE).take({ ids: ['r0.1'], leaseMs: SECOND, headroom: 0 });
  return { ledger, reasons, take };
}

it('a replica that loses to the others for the length of a burst is no replica without a store', async () => {
  const { ledger, reasons, take } = await open(300);
  expect(await take()).toMatchObject({ granted: 1 });
  expect(reasons).toEqual([]);
  ledger.close();
});

it('a store that takes no change at all is given up', async () => {
  const { ledger, reasons, take } = await open(Number.POSITIVE_INFINITY);
  expect(await take()).toMatchObject({ granted: 1 });
  expect(reasons).toEqual(['The shared store took none of 1000 attempts to change it.']);
  ledger.close();
});
