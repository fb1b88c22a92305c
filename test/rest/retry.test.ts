import { describe, expect, it } from 'vitest';
import type { TransportFailureKind } from '../../subgraphs/rest/ports/transport.js';
import { createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

const SECOND = 1_000;

/** A service that fails `times` times, then succeeds. */
function failing(times: number, failure: { status: number; headers?: Record<string, string> } | TransportFailureKind) {
  const harness = createHarness({}, { random: () => 0 });
  let left = times;
  harness.transport.respond = () => {
    if (left <= 0) return { body: { good: true } };
    left -= 1;
    if (typeof failure !== 'string') return { body: '<html>', ...failure };
    // The call fails once the toolkit has it on the wire.
    queueMicrotask(() => harness.transport.sent.at(-1)?.fail(failure));
    return undefined as never;
  };
  return harness;
}

describe('a second try', () => {
  it.each<[string, { status: number } | TransportFailureKind]>([
    ['a 502', { status: 502 }],
    ['a 503', { status: 503 }],
    ['a 504', { status: 504 }],
    ['a refused connection', 'refused'],
    ['a connection that is reset', 'reset'],
    ['a body that is cut', 'cut'],
  ])('is made after %s, and its row says so', async (_what, failure) => {
    const { toolkit, transport, clock } = failing(1, failure);
    const operation = createOperation();
    const call = toolkit.call(search(), operation);
    await clock.advance(99);
    expect(transport.sent).toHaveLength(1);
    await clock.advance(1);
    expect(await call).toEqual({ good: true });
    expect(operation.rows).toMatchObject([{ sent: 2, retries: 1, status: 200, cache: 'MISS' }]);
  });

  it.each<[string, { status: number } | TransportFailureKind]>([
    ['a 500', { status: 500 }],
    ['a 429', { status: 429 }],
    ['a 400', { status: 400 }],
    ['an answer that cannot be read', 'unreadable'],
    ['an answer that is too large', 'too-large'],
  ])('is not made after %s', async (_what, failure) => {
    const { toolkit, transport, clock } = failing(1, failure);
    const call = expect(toolkit.call(search(), createOperation())).rejects.toThrow();
    await clock.advance(10 * SECOND);
    await call;
    expect(transport.sent).toHaveLength(1);
  });

  it.each([
    [3000, 2],
    [3001, 1],
  ])(
    'a 504 after %i ms is followed by %i calls in all: a backend that hangs is not waited for twice',
    async (ms, calls) => {
      const { toolkit, transport, clock } = createHarness({}, { random: () => 0 });
      const call = toolkit.call(search(), createOperation()).catch(({ code }: { code: string }) => code);
      await clock.advance(ms);
      transport.respond = () => ({ body: { good: true } });
      transport.sent[0]?.respond('', 504);
      await clock.advance(SECOND);
      expect(await call).toEqual(calls === 2 ? { good: true } : 'UPSTREAM_TIMEOUT');
      expect(transport.sent).toHaveLength(calls);
    },
  );

  it('is the last: two attempts in all', async () => {
    const { toolkit, transport, clock } = failing(5, { status: 503 });
    const call = expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    });
    await clock.advance(10 * SECOND);
    await call;
    expect(transport.sent).toHaveLength(2);
  });

  it('is never made of a write, nor of background work', async () => {
    const { toolkit, transport, clock } = failing(5, { status: 503 });
    const write = search({ method: 'POST', cache: 'never', body: {} });
    const calls = Promise.allSettled([
      toolkit.call(write, createOperation()),
      toolkit.call(search(), { ...createOperation(), background: true }),
    ]);
    await clock.advance(10 * SECOND);
    await calls;
    expect(transport.sent).toHaveLength(2);
  });

  it('waits as long as the service says, unless that is after the deadline', async () => {
    const { toolkit, transport, clock } = failing(1, { status: 503, headers: { 'retry-after': '5' } });
    const call = toolkit.call(search(), createOperation());
    await clock.advance(5 * SECOND + 99);
    expect(transport.sent).toHaveLength(1);
    await clock.advance(1);
    expect(await call).toEqual({ good: true });

    const hasty = failing(1, { status: 503, headers: { 'retry-after': '5' } });
    const failed = hasty.toolkit.call(search(), createOperation({ remainingMs: () => 5 * SECOND }));
    await expect(failed).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  it('is not made of the call whose failure leaves the service alone, though the budget would bear it', async () => {
    const { toolkit, transport, clock } = failing(10, { status: 503 });
    const send = (number: number) =>
      toolkit.call(search({ path: `/${number}` }), createOperation()).catch(({ code }: { code: string }) => code);
    const early = Promise.all([send(1), send(2)]);
    await clock.advance(SECOND);
    await early;
    expect(transport.sent).toHaveLength(4);
    // The fifth failure in a row, which opens the breaker; two of the budget's three retries are used.
    const late = send(3);
    await clock.advance(0);
    expect(clock.pending).toBe(0);
    expect(await late).toBe('UPSTREAM_UNAVAILABLE');
    expect(transport.sent).toHaveLength(5);
  });

  it('ends with its caller', async () => {
    const { toolkit, transport, clock } = failing(1, { status: 503 });
    const operation = createOperation();
    const call = toolkit.call(search(), operation).catch(() => 'left');
    await clock.advance(50);
    operation.leave();
    expect(await call).toBe('left');
    await clock.advance(SECOND);
    expect(transport.sent).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});

describe('the budget of second tries', () => {
  it('allows three at once, and then one each ten seconds or ten successes', async () => {
    const { toolkit, transport, clock } = createHarness({}, { random: () => 0 });
    let number = 0;
    const fail = async (count: number) => {
      transport.respond = () => ({ body: '', status: 503 });
      const before = transport.sent.length;
      for (let n = 0; n < count; n += 1) {
        number += 1;
        // Each in its own group of routes, so that no breaker interferes.
        const route = `/group${number}/${number}`;
        void toolkit.call(search({ path: route, template: route }), createOperation()).catch(() => {});
        await clock.advance(100);
      }
      return transport.sent.length - before - count;
    };
    expect(await fail(10)).toBe(3);
    await clock.advance(9 * SECOND);
    expect(await fail(3)).toBe(1);
    transport.respond = () => ({ body: {} });
    for (let n = 0; n < 10; n += 1) await toolkit.call(search({ path: `/good/${n}` }), createOperation());
    expect(await fail(3)).toBe(1);
  });

  it('charges a timeout of the service twice', async () => {
    const { toolkit, transport, clock } = createHarness({}, { random: () => 0 });
    transport.respond = () => ({ body: '', status: 504 });
    for (const route of ['/a/a', '/b/b']) {
      void toolkit.call(search({ path: route, template: route }), createOperation()).catch(() => {});
    }
    await clock.advance(SECOND);
    expect(transport.sent).toHaveLength(3);
  });
});
