import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../sandbox/kit/types.js';
import { SERVICES } from '../../schema/services.js';
import { APPLY, applicationInput, CREATE, offerInput, withKey } from '../contract/support/offer-inputs.js';
import type { Answer } from '../scenarios/stack.js';
import { storeId } from '../work-study/support/records.js';
import { askAll, expectFailed, expectNothingTold, serviceOf } from './support/question.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { RNAS, ROMES } from './support/small-world.js';

/** What each service, and the proxies before them, say when there are too many calls; and headers that make no sense. */

let replicas: Replicas;
let replica: Replica;
beforeEach(async () => {
  replicas = await openReplicas({ CACHE_DIR: 'off' });
  replica = await replicas.open();
});
afterEach(() => replicas.close());

const ask = (number: number) => askAll(replica, replicas.sandbox, number);

/** Spoils the services that are named, all of them when none is. */
function spoil(fault: Fault, names = SERVICES): void {
  for (const name of names) serviceOf(replicas.sandbox, name).fault(fault);
}

/** Lines of all calls that were made for what is run. */
async function callsOf(run: () => Promise<Answer>): Promise<{ answer: Answer; calls: number }> {
  for (const { clearCalls } of replicas.sandbox.running) clearCalls();
  const answer = await run();
  return { answer, calls: replicas.sandbox.running.reduce((sum, { calls }) => sum + calls.length, 0) };
}

const waits = ({ errors }: Answer) => errors.map(({ extensions }) => extensions.retryAfterSeconds ?? 0);

describe('A refusal of the quota', () => {
  test("in each service's own dialect is told with its time, and stops the whole scope: nothing more is asked", async () => {
    spoil({ kind: 'rate-limit', times: 1 });
    const first = await callsOf(() => ask(0));
    expectFailed(first.answer, SERVICES, 'RATE_LIMITED');
    expect(first.calls).toBe(3);
    for (const seconds of waits(first.answer)) expect(seconds).toBeGreaterThanOrEqual(59);
    for (const seconds of waits(first.answer)) expect(seconds).toBeLessThanOrEqual(61);

    const second = await callsOf(() => ask(1));
    expectFailed(second.answer, SERVICES, 'RATE_LIMITED');
    expect(second.calls).toBe(0);
    for (const seconds of waits(second.answer)) expect(seconds).toBeGreaterThan(50);
    for (const seconds of waits(second.answer)) expect(seconds).toBeLessThanOrEqual(62);
    expectNothingTold(second.answer, replica, replicas.sandbox);
  });

  test('that names nothing but a time to come back is obeyed in the same way', async () => {
    const untold = { 'x-ratelimit-limit': null, 'x-ratelimit-remaining': null, 'x-ratelimit-reset': null };
    spoil({ kind: 'rate-limit', times: 1 });
    spoil({ kind: 'headers', headers: { ...untold, 'retry-after': '40' }, times: 1 });
    const first = await callsOf(() => ask(0));
    expectFailed(first.answer, SERVICES, 'RATE_LIMITED');
    expect(waits(first.answer)).toEqual([40, 40, 40]);
    const second = await callsOf(() => ask(1));
    expectFailed(second.answer, SERVICES, 'RATE_LIMITED');
    expect(second.calls).toBe(0);
  });

  test('by a proxy, which says nothing, is told with a second and passes by itself', async () => {
    spoil({ kind: 'proxy-rate-limit', times: 1 });
    const { answer, calls } = await callsOf(() => ask(0));
    expectFailed(answer, SERVICES, 'RATE_LIMITED');
    expect(calls).toBe(3);
    expect(waits(answer)).toEqual([1, 1, 1]);
    const again = await callsOf(() => ask(0));
    expect(again.answer.errors).toEqual([]);
    expect(again.calls).toBe(3);
  });

  test('is no refusal when it is a limit of the business on a write: no time helps, and reads go on', async () => {
    const { alice } = replicas.sandbox.keys.workStudy;
    const body = { error: 'max applications reached' };
    replicas.sandbox.workStudy.fault({ kind: 'status', status: 429, path: '/api/job/v1/apply' });
    replicas.sandbox.workStudy.fault({ kind: 'wrong-type', path: '/api/job/v1/apply', change: () => body });
    const { answer, calls } = await callsOf(() =>
      replica.ask(APPLY, withKey(alice, { input: applicationInput(storeId(1)) })),
    );
    expect(answer.errors.map(({ extensions: { code, retryAfterSeconds } }) => [code, retryAfterSeconds])).toEqual([
      ['BUSINESS_QUOTA', undefined],
    ]);
    expect(calls).toBe(1);
    expect((await replica.ask(`{ jobSearch(romes: ["${ROMES[0]}"]) { truncated } }`, withKey(alice))).errors).toEqual(
      [],
    );
  });

  test('whose reset is a moment is measured with the Date of the same answer, whatever our clock says', async () => {
    const { volunteering } = replicas.sandbox;
    // The service's clock is five minutes ahead of ours.
    const theirNow = Date.now() + 300_000;
    volunteering.fault({ kind: 'rate-limit', times: 1 });
    volunteering.fault({
      kind: 'headers',
      times: 1,
      headers: {
        date: new Date(theirNow).toUTCString(),
        'x-ratelimit-reset': String(Math.floor(theirNow / 1000) + 30),
        'retry-after': null,
      },
    });
    const { answer } = await callsOf(() => ask(0));
    expectFailed(answer, ['volunteering'], 'RATE_LIMITED');
    const [seconds] = waits(answer);
    expect(seconds).toBeGreaterThanOrEqual(30);
    expect(seconds).toBeLessThanOrEqual(31);
  });
});

describe('Headers of the quota', () => {
  const SENSELESS: [name: string, headers: Record<string, string | null>][] = [
    ['that are missing', { 'x-ratelimit-limit': null, 'x-ratelimit-remaining': null, 'x-ratelimit-reset': null }],
    [
      'that are no numbers',
      { 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '-5', 'x-ratelimit-reset': 'soon' },
    ],
    ['with a negative reset', { 'x-ratelimit-reset': '-60' }],
    ['with a reset in the year 2100', { 'x-ratelimit-reset': '4102444800' }],
    ['with a reset in fractions', { 'x-ratelimit-reset': '12.5' }],
    ['with a remaining that grows', { 'x-ratelimit-remaining': '999999' }],
    ['without a Date', { date: null }],
  ];

  test.each(SENSELESS)('%s spoil nothing: all is answered, this time and the next', async (_name, headers) => {
    spoil({ kind: 'headers', headers });
    for (const number of [0, 1]) {
      const { answer, calls } = await callsOf(() => ask(number));
      expect(answer.errors).toEqual([]);
      expect(calls).toBe(3);
    }
  });

  test('that announce a spent window are obeyed before anything is refused, and longer than two windows nobody is shut out', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4102444800' };
    replicas.sandbox.volunteering.fault({ kind: 'headers', headers, times: 1 });
    await ask(0);
    const { answer } = await callsOf(() => ask(1));
    expectFailed(answer, ['volunteering'], 'RATE_LIMITED');
    expect(waits(answer)[0]).toBeLessThanOrEqual(121);
    expect(replicas.sandbox.volunteering.calls).toHaveLength(0);
  });
});

describe('A value of the wrong type', () => {
  test('fails at its own field; its siblings, the list and the other services stand', async () => {
    const { volunteering } = replicas.sandbox;
    volunteering.fault({ kind: 'wrong-type', set: { '/data/0/title': { not: 'a text' } } });
    const query = `{ organization(rna: "${RNAS[0]}") { rna title } jobSearch(romes: ["${ROMES[0]}"]) { truncated } }`;
    const { data, errors } = await replica.ask(query);
    expect(data).toEqual({ organization: { rna: RNAS[0], title: null }, jobSearch: { truncated: false } });
    expect(errors.map(({ path, extensions: { code, service } }) => ({ path, code, service }))).toEqual([
      { path: ['organization', 'title'], code: 'UPSTREAM_INVALID_RESPONSE', service: 'volunteering' },
    ]);
  });
});

describe('A write', () => {
  const FAILURES: [name: string, fault: Fault][] = [
    ['that is answered with 503', { kind: 'status' }],
    ['whose connection is closed', { kind: 'drop' }],
    ['whose answer is cut', { kind: 'cut' }],
  ];

  test.each(FAILURES)('%s is sent once and never again', async (_name, fault) => {
    const { keys, workStudy } = replicas.sandbox;
    workStudy.fault({ ...fault, times: 1 });
    const { answer, calls } = await callsOf(() =>
      replica.ask(CREATE, withKey(keys.workStudy.alice, { input: offerInput() })),
    );
    expect(answer.errors.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(calls).toBe(1);
  });
});
