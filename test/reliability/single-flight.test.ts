import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StackResponse } from '../scenarios/stack.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { ROMES } from './support/small-world.js';

/**
 * Two callers send the same query at the same time and leave in every order; each test has its own query. What counts
 * is what the service sees.
 */

let replicas: Replicas;
let replica: Replica;
let tests = 0;
beforeAll(async () => {
  replicas = await openReplicas({ CACHE_DIR: 'off' });
  replica = await replicas.open();
});
beforeEach(() => {
  tests += 1;
});
afterEach(() => {
  workStudy().clearFaults();
  workStudy().clearCalls();
});
afterAll(() => replicas.close());

const QUERY = 'query ($rome: ROMECode!) { jobSearch(romes: [$rome]) { truncated } }';
const workStudy = () => replicas.sandbox.workStudy;

interface Caller {
  readonly response: Promise<StackResponse | 'gone'>;
  /** Closes the connection. */
  leave(): void;
}

function call(key?: string): Caller {
  const controller = new AbortController();
  const headers = key === undefined ? {} : { 'x-work-study-key': key };
  const response = replica
    .send(QUERY, { variables: { rome: ROMES[tests] }, signal: controller.signal, headers })
    .catch((reason: unknown) => (controller.signal.aborted ? ('gone' as const) : Promise.reject(reason)));
  return { response, leave: () => controller.abort() };
}

/** A leader whose call the service has received, and a waiter who joined it. */
async function twoCallers(): Promise<{ leader: Caller; waiter: Caller }> {
  const leader = call();
  await workStudy().seen(({ url }) => url.includes('/search'));
  const waiter = call();
  // A different query, sent after the waiter's, has been answered, so the waiter's has been read.
  await replica.send('{ missionsLocales { nom } }');
  return { leader, waiter };
}

const searches = () => workStudy().calls.filter(({ url }) => url.includes('/search'));

async function expectSuccess({ response }: Caller): Promise<void> {
  expect(await response).toMatchObject({ errors: [], data: { jobSearch: { truncated: false } } });
}

/** The connection closes soon after the last caller has left, long before the service would have answered. */
async function expectBrokenOff(): Promise<void> {
  const broken = await workStudy().seen(({ aborted, url }) => aborted && url.includes('/search'));
  expect(broken.status).toBeNull();
}

describe('Two callers with the same query', () => {
  /** Lets the service answer, once the callers that leave have left. */
  let respond: () => void;
  beforeEach(() => {
    const until = new Promise<void>((resolve) => {
      respond = resolve;
    });
    workStudy().fault({ kind: 'latency', until, path: '/api/job/v1/search' });
  });

  test('cost one call, which both are answered from', async () => {
    const { leader, waiter } = await twoCallers();
    respond();
    await expectSuccess(leader);
    await expectSuccess(waiter);
    expect(searches().map(({ status }) => status)).toEqual([200]);
    const shared = (await waiter.response) as StackResponse;
    expect(shared.trace?.calls.map(({ cache }) => cache)).toEqual(['COALESCED']);
    expect(shared.trace?.totals).toMatchObject({ callsMade: 0, savedBySharing: 1 });
  });

  test('the leader leaves: the waiter is answered, by the same call', async () => {
    const { leader, waiter } = await twoCallers();
    leader.leave();
    expect(await leader.response).toBe('gone');
    respond();
    await expectSuccess(waiter);
    expect(searches().map(({ status, aborted }) => ({ status, aborted }))).toEqual([{ status: 200, aborted: false }]);
  });

  test('the waiter leaves: the leader is answered, by the same call', async () => {
    const { leader, waiter } = await twoCallers();
    waiter.leave();
    expect(await waiter.response).toBe('gone');
    respond();
    await expectSuccess(leader);
    expect(searches().map(({ status, aborted }) => ({ status, aborted }))).toEqual([{ status: 200, aborted: false }]);
  });

  test.each([
    ['the leader first', ['leader', 'waiter']],
    ['the waiter first', ['waiter', 'leader']],
  ] as const)('both leave, %s: the last one closes the connection', async (_name, order) => {
    const callers = await twoCallers();
    for (const name of order) {
      callers[name].leave();
      expect(await callers[name].response).toBe('gone');
    }
    await expectBrokenOff();
    expect(searches()).toHaveLength(1);
  });

  test('both leave, and a third who comes after is answered by a call of his own', async () => {
    const { leader, waiter } = await twoCallers();
    leader.leave();
    waiter.leave();
    await expectBrokenOff();
    workStudy().clearFaults();
    await expectSuccess(call());
    expect(searches().map(({ status }) => status)).toEqual([null, 200]);
  });

  test('with keys of their own share nothing', async () => {
    const { alice, bob } = replicas.sandbox.keys.workStudy;
    workStudy().clearFaults();
    const [one, other] = [call(alice), call(bob)];
    await expectSuccess(one);
    await expectSuccess(other);
    expect(
      searches()
        .map(({ key }) => key)
        .sort(),
    ).toEqual(['alice', 'bob']);
  });
});
