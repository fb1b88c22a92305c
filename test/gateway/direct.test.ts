import { afterEach, describe, expect, test, vi } from 'vitest';
import type { OperationContext } from '../../schema/operation.js';
import { POLLING } from '../polling.js';
import { type OpenedGateway, openGateway } from './support/open-gateway.js';

const QUERY = '{ organization { id title } }';

interface Context {
  readonly operation: OperationContext;
}

let gateway: OpenedGateway;
afterEach(() => gateway.close());

/** Opens a gateway with this resolver for `organization`; returns the `way` of three equal requests. */
async function waysOf(organization: (context: Context) => unknown) {
  const resolve = (_root: unknown, _args: unknown, context: Context) => organization(context);
  gateway = await openGateway({ resolvers: { volunteering: { Query: { organization: resolve } } } });
  const bodies = new Set<string>();
  for (const _time of [1, 2, 3]) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: QUERY }),
    });
    bodies.add((await response.text()).replace(/"requestId":"[^"]*"/g, ''));
  }
  expect(bodies.size).toBe(1);
  return gateway.log.filter(({ message }) => message === 'request answered').map(({ fields }) => fields['way']);
}

const ORGANIZATION = { id: 'o1', title: 'Les Amis' };

describe('A run that takes only what is at hand', () => {
  test('answers what resolvers give at once', async () => {
    expect(await waysOf(() => ORGANIZATION)).toEqual(['unknown', 'direct', 'direct']);
  });

  test('ends where its text is too long for one turn, and is not tried again', async () => {
    expect(await waysOf(() => ({ ...ORGANIZATION, title: 'x'.repeat(1024 * 1024) }))).toEqual([
      'unknown',
      'large',
      'large',
    ]);
  });

  test('ends where a resolver waits', async () => {
    expect(await waysOf(async () => ORGANIZATION)).toEqual(['unknown', 'waits', 'waits']);
  });

  test('ends where a value would be coerced', async () => {
    expect(await waysOf(() => ({ ...ORGANIZATION, title: 7 }))).toEqual(['unknown', 'unfit', 'unfit']);
  });

  test('ends where a value is an error, which is none of its fields', async () => {
    const given: unknown[] = [ORGANIZATION, new Error('not today')];
    const resolve = () => given.shift();
    gateway = await openGateway({ resolvers: { volunteering: { Query: { organization: resolve } } } });
    const query = '{ organization { title siret } }';
    const headers = { 'x-passerelle-trace': '0' };
    expect((await gateway.send(query, { headers })).errors).toBeUndefined();
    given.push(new Error('not today'));
    const { data, errors } = await gateway.send(query, { headers });
    expect(data).toEqual({ organization: null });
    expect(errors).toMatchObject([{ path: ['organization'] }]);
    expect(gateway.log.findLast(({ message }) => message === 'request answered')?.fields['way']).toBe('failed');
  });

  test('ends where something is missing, also when a resolver goes on as if it were not', async () => {
    const ways = await waysOf(({ operation }) => {
      try {
        operation.atHand?.giveUp('missing');
      } catch {
        return { ...ORGANIZATION, title: 'a guess' };
      }
      return ORGANIZATION;
    });
    expect(ways).toEqual(['unknown', 'missing', 'missing']);
  });

  test('is followed by an execution at once where making the calls ahead did not help a moment ago', async () => {
    let times = 0;
    const ways = await waysOf(({ operation }) => {
      operation.atHand?.giveUp('missing');
      times += 1;
      return ORGANIZATION;
    });
    expect(ways).toEqual(['unknown', 'missing', 'missing']);
    // Executed, then run ahead and executed, then only executed.
    expect(times).toBe(4);
  });

  test('leaves the event loop to others between two responses that waited for the same call', async () => {
    let respond = () => {};
    const called = new Promise<void>((resolve) => {
      respond = resolve;
    });
    let state: 'executed' | 'missing' | 'there' = 'executed';
    let waiting = 0;
    let turn = 0;
    const writtenIn: number[] = [];
    const organization = (_root: unknown, _args: unknown, { operation: { atHand } }: Context) => {
      if (state === 'executed') return ORGANIZATION;
      if (state === 'missing') atHand?.giveUp('missing');
      if (atHand === undefined) {
        waiting += 1;
        return called.then(() => ORGANIZATION);
      }
      writtenIn.push(turn);
      const startedMs = performance.now();
      while (performance.now() - startedMs < 2);
      return ORGANIZATION;
    };
    gateway = await openGateway({ resolvers: { volunteering: { Query: { organization } } } });
    const headers = { 'x-passerelle-trace': '0' };
    const sendAll = () =>
      Promise.all(['a', 'b', 'c', 'd'].map((name) => gateway.send(`{ ${name}: organization { id } }`, { headers })));
    await sendAll();
    state = 'missing';
    const sent = sendAll();
    await vi.waitFor(() => expect(waiting).toBe(4), POLLING);
    state = 'there';
    const count = () => {
      turn += 1;
      if (writtenIn.length < 4) setImmediate(count);
    };
    count();
    respond();
    await sent;
    expect(new Set(writtenIn).size).toBe(4);
  });
});
