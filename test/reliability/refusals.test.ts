import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import type { Fault } from '../../sandbox/server/types.js';
import { APPLY, applicationInput, CREATE, offerInput, withKey } from '../contract/support/offer-inputs.js';
import type { StackResponse } from '../scenarios/stack.js';
import { storeId } from '../work-study/support/records.js';
import { expectFailed, expectNothingReported, sendAll } from './support/all-services.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { ROMES } from './support/small-world.js';

/** What each service and the proxies before it send when there are too many calls, and senseless headers. */

let replicas: Replicas;
let replica: Replica;

// A refusal stops its scope for as long as it says, so each test has its own process.
beforeEach(async () => {
  replicas = await openReplicas({ CACHE_DIR: 'off' });
  replica = await replicas.open();
});
afterEach(() => replicas.close());

const send = (number: number) => sendAll(replica, replicas.sandbox, number);

/** Adds a fault to the named services, to all of them by default. */
function spoil(fault: Fault, names: readonly ServiceName[] = SERVICES): void {
  for (const name of names) replicas.sandbox.serviceOf(name).fault(fault);
}

/** Runs something, and counts the calls that all services received for it. */
async function callsOf(run: () => Promise<StackResponse>): Promise<{ response: StackResponse; calls: number }> {
  for (const { clearCalls } of replicas.sandbox.running) clearCalls();
  const response = await run();
  return { response, calls: replicas.sandbox.running.reduce((sum, { calls }) => sum + calls.length, 0) };
}

const waits = ({ errors }: StackResponse) => errors.map(({ extensions }) => extensions.retryAfterSeconds ?? 0);

describe('A refusal of the quota', () => {
  test("in each service's own dialect is told with its time, and stops the whole scope: nothing more is asked", async () => {
    spoil({ kind: 'rate-limit', times: 1 });
    const first = await callsOf(() => send(0));
    expectFailed(first.response, SERVICES, 'RATE_LIMITED');
    expect(first.calls).toBe(SERVICES.length);
    for (const seconds of waits(first.response)) expect(seconds).toBeGreaterThanOrEqual(59);
    for (const seconds of waits(first.response)) expect(seconds).toBeLessThanOrEqual(61);

    const second = await callsOf(() => send(1));
    expectFailed(second.response, SERVICES, 'RATE_LIMITED');
    expect(second.calls).toBe(0);
    for (const seconds of waits(second.response)) expect(seconds).toBeGreaterThan(50);
    for (const seconds of waits(second.response)) expect(seconds).toBeLessThanOrEqual(62);
    expectNothingReported(second.response, replica, replicas.sandbox);
  });

  test('is no refusal when it is a limit of the business on a write: no time helps, and reads go on', async () => {
    const { alice } = replicas.sandbox.keys.workStudy;
    const body = { error: 'max applications reached' };
    replicas.sandbox.workStudy.fault({ kind: 'status', status: 429, path: '/api/job/v1/apply' });
    replicas.sandbox.workStudy.fault({ kind: 'wrong-type', path: '/api/job/v1/apply', change: () => body });
    const { response, calls } = await callsOf(() =>
      replica.send(APPLY, withKey(alice, { input: applicationInput(storeId(1)) })),
    );
    expect(response.errors.map(({ extensions: { code, retryAfterSeconds } }) => [code, retryAfterSeconds])).toEqual([
      ['BUSINESS_QUOTA', undefined],
    ]);
    expect(calls).toBe(1);
    expect((await replica.send(`{ jobSearch(romes: ["${ROMES[0]}"]) { truncated } }`, withKey(alice))).errors).toEqual(
      [],
    );
  });

  test.each(['rate-limit', 'proxy-rate-limit'] as const)(
    'on a write (%s) is not taken for a limit of the business: it passes, and the write is not sent again',
    async (kind) => {
      const { alice } = replicas.sandbox.keys.workStudy;
      replicas.sandbox.workStudy.fault({ kind, path: '/api/job/v1/apply' });
      const { response, calls } = await callsOf(() =>
        replica.send(APPLY, withKey(alice, { input: applicationInput(storeId(1)) })),
      );
      expect(response.errors.map(({ extensions: { code } }) => code)).toEqual(['RATE_LIMITED']);
      expect(waits(response)[0]).toBeGreaterThanOrEqual(1);
      expect(calls).toBe(1);
    },
  );
});

describe('Headers of the quota', () => {
  test('that announce a spent window are obeyed before anything is refused, and longer than two windows nobody is shut out', async () => {
    spoil({ kind: 'headers', headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4102444800' } });
    await send(0);
    const { response, calls } = await callsOf(() => send(1));
    expectFailed(response, SERVICES, 'RATE_LIMITED');
    for (const seconds of waits(response)) expect(seconds).toBeLessThanOrEqual(121);
    expect(calls).toBe(0);
  });
});

describe('A write', () => {
  const create = () => replica.send(CREATE, withKey(replicas.sandbox.keys.workStudy.alice, { input: offerInput() }));

  test('that leaves on an idle connection as this closes is sent once: nobody knows whether it arrived', async () => {
    expect((await create()).errors).toEqual([]);
    spoil({ kind: 'idle-close' }, ['work-study']);
    const { response, calls } = await callsOf(create);
    expect(response.errors.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(calls).toBe(1);
  });
});
