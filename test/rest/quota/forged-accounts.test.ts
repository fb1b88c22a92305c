import { describe, expect, it } from 'vitest';
import type { PaceScope, WindowScope } from '../../../subgraphs/rest/quota/account.js';
import { paceRules, windowRules } from '../../../subgraphs/rest/quota/account-rules.js';
import { createSharedLedger } from '../../../subgraphs/rest/quota/ledger.js';
import { createVirtualClock } from '../support/virtual-clock.js';
import { createVirtualQuotaStore } from '../support/virtual-quota-store.js';

/** Guards that what somebody else wrote into an account in Redis holds nobody up for ever, and takes no memory. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** After that, an account that nobody touches is dropped from the store. */
const FORGOTTEN_MS = 10 * MINUTE;
const WINDOW: WindowScope = { kind: 'window', name: 'search', limit: 60, windowMs: MINUTE };
const PACE: PaceScope = { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 };
const FOR_EVER = 1e18;

const request = { ids: ['r0.1'], leaseMs: 10 * SECOND, headroom: 0 };

describe('an account that somebody else wrote', () => {
  it.each([
    ['is blocked for ever', [null, null, FOR_EVER, [], 0]],
    ['has calls that count for ever', [null, null, 0, [['r1.@1', 2, FOR_EVER, 60]], 0]],
    ['has no calls left for ever', [null, [-FOR_EVER, FOR_EVER], 0, [], 0]],
    ['has a limit of less than nothing', [-FOR_EVER, null, 0, [], FOR_EVER]],
    ['has more calls than there can be', [null, null, 0, [['r1.@1', 2, MINUTE, 1e9]], 0]],
    ['has words for numbers', ['all', ['no', 'never'], 'always', [['r1.@1', 'gone', 'never', 'many']], 'no']],
    ['is of an earlier version', [60, null, 0, []]],
  ])('grants calls again within ten minutes where it %s', (_what, snapshot) => {
    const rules = windowRules(WINDOW);
    const account = rules.read(JSON.stringify(snapshot), 0);
    const [, later] = rules.take(account, request, { kind: 'shared', nowMs: FORGOTTEN_MS + SECOND });
    expect(later.granted).toBe(1);
    // What it is written as ends no later either.
    const again = rules.read(rules.write(account, MINUTE), MINUTE);
    expect(rules.take(again, request, { kind: 'shared', nowMs: FORGOTTEN_MS + SECOND })[1].granted).toBe(1);
    const [, now] = rules.take(account, request, { kind: 'shared', nowMs: 0 });
    expect(now.startsInMs(0)).toBeLessThanOrEqual(FORGOTTEN_MS);
  });

  it.each([
    ['nothing in it for ever', [-FOR_EVER, 1, 0]],
    ['no pace', [0, 0, 0]],
    ['a time in the future', [0, 1, -FOR_EVER]],
    ['words for numbers', ['none', 'slow', 'later']],
  ])('lets a paced call through within a few seconds where it has %s', (_what, snapshot) => {
    const rules = paceRules(PACE);
    const account = rules.read(JSON.stringify(snapshot), 0);
    const [, grant] = rules.take(account, request, { kind: 'shared', nowMs: 5 * SECOND });
    expect(grant.granted).toBe(1);
  });

  it('counts no replica for ever', async () => {
    const clock = createVirtualClock();
    const store = createVirtualQuotaStore(() => clock.monotonicMs());
    const written: string[] = [];
    const line = {
      compareAndSet: async (...[service, key, change]: Parameters<typeof store.compareAndSet>) => {
        if (key === 'replicas' && change.next !== null) written.push(change.next.value);
        return store.compareAndSet(service, key, change);
      },
    };
    const forged = { version: 'forged', value: JSON.stringify([['ghost', -FOR_EVER]]) };
    await store.compareAndSet('service', 'replicas', { epoch: null, version: '', next: forged });
    createSharedLedger({ store: line, clock, service: 'service', replica: 'r0' });
    await clock.advance(30 * SECOND);
    expect(written.at(-1)).toContain('r0');
    expect(written.at(-1)).not.toContain('ghost');
  });
});
