import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fault } from '../../sandbox/server/types.js';
import { POLLING } from '../polling.js';
import type { SendOptions, StackResponse } from '../scenarios/stack.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';

/** What one caller can provoke at a source without anybody else being refused for it: see docs/reliability.md. */

/** Enough to open a breaker, by failures in a row or by their share. */
const FAILURES = 12;
/** The same for slow failures: enough in a row to raise a doubt. */
const LONG_FAILURES = 5;

let replicas: Replicas;
let replica: Replica;
let requested = 0;
function nextNumber(): number {
  requested += 1;
  return requested;
}
beforeAll(async () => {
  // The wait before a retry is random; here it is always the shortest.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  replicas = await openReplicas({ CACHE_DIR: 'off' });
  replica = await replicas.open();
});
beforeEach(() => replicas.sandbox.volunteering.reset());
afterAll(async () => {
  await replicas.close();
  vi.restoreAllMocks();
});

const withKeyOf = (name: 'alice' | 'bob'): SendOptions => ({
  headers: { 'x-volunteering-key': replicas.sandbox.keys.volunteering[name] },
});

function missions(ids: readonly string[], options?: SendOptions): Promise<StackResponse> {
  // The values are in variables, so the operation is planned once.
  const names = ids.map((_, n) => `$id${n}: ID!`);
  const fields = ids.map((_, n) => `m${n}: mission(id: $id${n}) { title }`);
  const variables = Object.fromEntries(ids.map((id, n) => [`id${n}`, id]));
  return replica.send(`query (${names.join(' ')}) { ${fields.join(' ')} }`, { ...options, variables });
}

/** New queries by a caller with their own key and by one without. */
async function expectOthersServed(): Promise<void> {
  const { volunteering } = replicas.sandbox;
  for (const options of [withKeyOf('alice'), {}, withKeyOf('alice')]) {
    volunteering.clearCalls();
    const variables = { text: `nobody requested ${nextNumber()}` };
    const query = 'query ($text: String) { missionSearch(text: $text) { totalCount } }';
    const response = await replica.send(query, { ...options, variables });
    expect(response.errors).toEqual([]);
    expect(response.data).toEqual({ missionSearch: { totalCount: 0 } });
    expect(volunteering.callLines().filter((line) => line.includes('nobody'))).toHaveLength(1);
  }
}

/** Ids on which the service fails, as real services fail on values that their authors never thought of. */
const poison = (count = FAILURES) => Array.from({ length: count }, () => `poison-${nextNumber()}`);

describe('An id in which a route stands', () => {
  test.each(['mission(id: $id) { id }', 'formation(id: $id) { statut { catalogue } }'])(
    'costs no call in any spelling: %s',
    async (field) => {
      const { sandbox } = replicas;
      sandbox.workStudy.clearCalls();
      for (const id of [
        'Search',
        'SEARCH',
        'sEARCH',
        'search',
        'SeArCh',
        'searcH',
        'search/',
        '%73earch',
        'a/../search',
        '..',
        '',
      ]) {
        const { data, errors } = await replica.send(`query ($id: ID!) { found: ${field} }`, { variables: { id } });
        expect(data).toEqual({ found: null });
        for (const { extensions } of errors) expect(extensions.code).toBe('BAD_USER_INPUT');
      }
      expect(sandbox.volunteering.callLines()).toEqual([]);
      expect(sandbox.workStudy.callLines().filter((line) => line.includes('formation'))).toEqual([]);
      await expectOthersServed();
    },
  );
});

type Provoked = Omit<Fault, 'path'>;
const ofStatus = (status: number): Provoked => ({ kind: 'status', status });

describe('What a caller makes a service answer with its words', () => {
  /** Calls without a response until their ten seconds are over, while the other tests run. */
  let hanging: Promise<StackResponse>;
  beforeAll(async () => {
    replicas.sandbox.volunteering.fault({ kind: 'silent', path: '/v0/mission/poison' });
    hanging = missions(poison(LONG_FAILURES), withKeyOf('bob'));
    await vi.waitFor(() => expect(silentCalls()).toHaveLength(LONG_FAILURES), POLLING);
    await expectOthersServed();
  });

  const faults: readonly Provoked[] = [
    ...[400, 404, 500].map(ofStatus),
    { kind: 'html', status: 401 },
    { kind: 'html-404' },
    { kind: 'cut' },
    { kind: 'wrong-type', change: () => 'another form' },
  ];
  test.each(faults)('is its own trouble alone: $kind $status', async (fault) => {
    replicas.sandbox.volunteering.fault({ ...fault, path: '/v0/mission/poison' });
    for (const options of [withKeyOf('bob'), {}]) {
      const { data } = await missions(poison(), options);
      expect(Object.values(data)).toEqual(Array(FAILURES).fill(null));
      await expectOthersServed();
    }
  });
  test('is its own trouble alone: nothing, and they leave', async () => {
    replicas.sandbox.volunteering.fault({ kind: 'silent', path: '/v0/mission/poison' });
    for (let time = 0; time < FAILURES; time += 1) {
      replicas.sandbox.volunteering.clearCalls();
      const caller = new AbortController();
      const left = missions(poison(1), { ...withKeyOf('bob'), signal: caller.signal }).catch(String);
      await vi.waitFor(() => expect(silentCalls()).toHaveLength(1), POLLING);
      caller.abort();
      await left;
    }
    await expectOthersServed();
  });

  test('is its own trouble alone: nothing, until their time is over', async () => {
    const { errors } = await hanging;
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(Array(LONG_FAILURES).fill('UPSTREAM_TIMEOUT'));
    await expectOthersServed();
  });

  test('is the trouble of its own key alone: that it is refused', async () => {
    replicas.sandbox.volunteering.fault({ kind: 'status', status: 401, path: '/v0/mission/poison' });
    // A refused key is remembered, and Bob's is still needed.
    const { errors } = await missions(poison(), { headers: { 'x-volunteering-key': 'invented' } });
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['CREDENTIALS_REJECTED']));
    await expectOthersServed();
  });

  test.each<Provoked>([{ kind: 'status', status: 500 }, { kind: 'html', status: 401 }, { kind: 'reset' }])(
    'is its own trouble alone, whatever is requested with their key: $kind $status',
    async (fault) => {
      replicas.sandbox.volunteering.fault({ ...fault, key: 'bob' });
      for (let time = 0; time < FAILURES; time += 1) await missions([`sound-${nextNumber()}`], withKeyOf('bob'));
      await expectOthersServed();
    },
  );

  // From here on, the quota of Bob's key is spent.
  test.each<Provoked>([{ kind: 'rate-limit' }, { kind: 'proxy-rate-limit' }])(
    'is the trouble of its own key alone: $kind',
    async (fault) => {
      replicas.sandbox.volunteering.fault({ ...fault, path: '/v0/mission/poison' });
      await missions(poison(), withKeyOf('bob'));
      await expectOthersServed();
    },
  );

  test('is the trouble of its own key alone: that its quota is spent', async () => {
    const { volunteering } = replicas.sandbox;
    const headers = { 'x-ratelimit-remaining': '0' };
    volunteering.fault({ kind: 'headers', headers, path: '/v0/mission/poison' });
    await missions(poison(1), withKeyOf('bob'));
    volunteering.clearCalls();
    const { errors } = await missions(poison(), withKeyOf('bob'));
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['RATE_LIMITED']));
    expect(volunteering.callLines()).toEqual([]);
    await expectOthersServed();
  });
});

const silentCalls = () => replicas.sandbox.volunteering.callLines().filter((line) => line.includes('poison'));

describe('Arguments that make no address', () => {
  test.each([
    ['of more than 8 kB', 'BAD_USER_INPUT', { city: Array.from({ length: 150 }, (_, at) => `${at}${'x'.repeat(60)}`) }],
    ['in a list of more than 200', 'BAD_USER_INPUT', { city: Array(201).fill('Lyon') }],
    ['with text that is not Unicode', 'BAD_REQUEST', { city: ['\ud800'] }],
  ])('cost no call: %s', async (_what, code, variables) => {
    replicas.sandbox.volunteering.clearCalls();
    const { errors } = await replica.send(
      'query ($city: [String!]) { missions(first: 1, city: $city) { totalCount } }',
      {
        variables,
      },
    );
    expect(errors.map(({ extensions }) => extensions.code)).toEqual([code]);
    expect(replicas.sandbox.volunteering.callLines()).toEqual([]);
    await expectOthersServed();
  });
});
