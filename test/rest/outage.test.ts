import { describe, expect, it } from 'vitest';
import { createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';
import { settle } from './support/virtual-clock.js';

const SECOND = 1_000;

/** A service that is down until it is healed, and calls to it. */
function down() {
  const harness = createHarness();
  let number = 0;
  const fail = () => ({ body: '', status: 500 });
  harness.transport.respond = fail;
  /** Makes a distinct call; returns its value, or the code of its error. */
  const send = (parts: Parameters<typeof search>[0] = {}) => {
    number += 1;
    return harness.toolkit
      .call(search({ path: `/v0/mission/${number}`, template: '/v0/mission/{id}', ...parts }), createOperation())
      .catch((error: { code: string }) => error.code);
  };
  return {
    ...harness,
    send,
    heal() {
      harness.transport.respond = () => ({ body: { good: true } });
    },
    async breakDown() {
      for (let n = 0; n < 5; n += 1) await send();
    },
  };
}

describe('a service that is down', () => {
  it('a service that is down is left alone: at most eight calls after the first failure at twenty a second', async () => {
    const { toolkit, transport, clock } = createHarness();
    let failedFirst: number | null = null;
    for (let tick = 0; tick < 200; tick += 1) {
      const onTheWire = transport.sent.length;
      void toolkit.call(search({ path: `/${tick}` }), createOperation()).catch(() => {});
      await clock.advance(50);
      // Calls that were sent in the tick before have been on the wire for 100 ms.
      for (const one of transport.sent.slice(0, onTheWire)) one.respond('', 500);
      if (onTheWire > 0) failedFirst ??= transport.sent.length;
    }
    const trials = 4;
    expect(transport.sent.length - (failedFirst ?? 0)).toBeLessThanOrEqual(8 + trials);
    expect(transport.sent.length).toBeGreaterThan(5);
  });

  it('a service that is down costs its callers no time', async () => {
    const { send, breakDown, transport, toolkit } = down();
    await breakDown();
    expect(await send()).toBe('UPSTREAM_UNAVAILABLE');
    expect(transport.sent).toHaveLength(5);
    expect(toolkit.status()).toMatchObject({ state: 'DOWN' });
  });

  it('a service that is down does not take along its other routes', async () => {
    const { send, breakDown, heal, toolkit } = down();
    await breakDown();
    heal();
    expect(await send({ template: '/v0/organization' })).toEqual({ good: true });
    expect(toolkit.status()).toMatchObject({ state: 'DEGRADED', detail: 'not available: /v0/mission' });
  });

  it('a service that is down is tried at most six times in thirty seconds, and nobody waits for it', async () => {
    const { send, breakDown, transport, clock } = down();
    await breakDown();
    for (let tenth = 0; tenth < 300; tenth += 1) {
      expect(await send()).toBe('UPSTREAM_UNAVAILABLE');
      await clock.advance(100);
    }
    expect(transport.sent.length - 5).toBeLessThanOrEqual(6);
    expect(transport.sent.length - 5).toBeGreaterThanOrEqual(4);
  });

  it('a service that is down serves again within ten seconds of its return, first one at a time', async () => {
    const { send, breakDown, heal, clock, toolkit } = down();
    await breakDown();
    for (let second = 0; second < 20; second += 1) {
      await send();
      await clock.advance(SECOND);
    }
    heal();
    let seconds = 0;
    while ((await send()) === 'UPSTREAM_UNAVAILABLE') {
      await clock.advance(SECOND);
      seconds += 1;
    }
    expect(seconds).toBeLessThanOrEqual(10);
    for (let n = 0; n < 40; n += 1) await send();
    expect(toolkit.status()).toEqual({ state: 'UP', upstream: 'real' });
  });

  it('a service that is down is up again half a minute after its return, however few ask, and what fails then is tried twice', async () => {
    const { send, breakDown, heal, clock, toolkit, transport } = down();
    await breakDown();
    heal();
    await clock.advance(SECOND);
    for (let n = 0; n < 12; n += 1) await send();
    expect(toolkit.status()).toMatchObject({ state: 'DEGRADED', detail: 'recovering: /v0/mission' });
    await clock.advance(30 * SECOND);
    expect(toolkit.status()).toEqual({ state: 'UP', upstream: 'real' });
    const before = transport.sent.length;
    let times = 0;
    transport.respond = () => {
      times += 1;
      return times === 1 ? { body: '', status: 503 } : { body: { good: true } };
    };
    const response = send();
    await clock.advance(SECOND);
    expect(await response).toEqual({ good: true });
    expect(transport.sent).toHaveLength(before + 2);
  });

  it('a service that is down gives its trial two seconds, and what the trial brings is kept', async () => {
    const { send, breakDown, transport, clock, toolkit } = down();
    await breakDown();
    await clock.advance(SECOND);
    transport.respond = null;
    expect(await send({ path: '/v0/mission/x' })).toBe('UPSTREAM_UNAVAILABLE');
    await clock.advance(2 * SECOND);
    expect(transport.sent.at(-1)?.closed).toBe(true);
    await clock.advance(2 * SECOND);
    expect(await send({ path: '/v0/mission/x' })).toBe('UPSTREAM_UNAVAILABLE');
    await clock.advance(0);
    transport.sent.at(-1)?.respond({ known: true });
    await clock.advance(0);
    const operation = createOperation();
    const known = search({ path: '/v0/mission/x', template: '/v0/mission/{id}' });
    expect(await toolkit.call(known, operation)).toEqual({ known: true });
    expect(operation.rows).toMatchObject([{ cache: 'HIT' }]);
    expect(toolkit.rows.filter(({ row }) => row.sent === 1)).toHaveLength(7);
  });

  it('a service that is down gives its trial the two seconds on the wire also when it waited for its turn, and believes what it brings', async () => {
    // One call in flight at a time (a tenth of the window): whoever has the permit keeps all others waiting.
    const scopes = () => [{ kind: 'window', name: 'key', limit: 10, windowMs: 60 * SECOND } as const];
    const { toolkit, transport, clock } = createHarness({ dialect: { headers: () => ({}), scopes } });
    const send = (path: string, template = '/v0/mission/{id}') =>
      toolkit.call(search({ path, template }), createOperation()).catch(({ code }: { code: string }) => code);
    transport.respond = () => ({ body: '', status: 500 });
    for (let n = 0; n < 5; n += 1) await send(`/v0/mission/${n}`);
    await clock.advance(SECOND);
    transport.respond = null;
    const slow = send('/v0/organization/1', '/v0/organization/{id}');
    await clock.advance(0);
    expect(await send('/v0/mission/trial')).toBe('UPSTREAM_UNAVAILABLE');
    await clock.advance(3 * SECOND);
    expect(transport.sent).toHaveLength(6);
    transport.sent[5]?.respond({});
    await slow;
    await clock.advance(1.9 * SECOND);
    expect(transport.sent).toHaveLength(7);
    transport.sent[6]?.respond({ good: true });
    await clock.advance(0);
    expect(toolkit.status()).toMatchObject({ detail: 'recovering: /v0/mission' });
    expect(await send('/v0/mission/trial')).toEqual({ good: true });
    expect(transport.sent).toHaveLength(7);
  });

  it('that answers its trial too late is left alone until the next one, and back with that', async () => {
    const { send, breakDown, transport, clock, toolkit } = down();
    await breakDown();
    await clock.advance(SECOND);
    transport.respond = null;
    await send();
    await clock.advance(2 * SECOND);
    transport.sent.at(-1)?.respond({ late: true });
    await clock.advance(2 * SECOND - 1);
    await send();
    expect(transport.sent).toHaveLength(6);
    expect(toolkit.status()).toMatchObject({ state: 'DOWN' });
    await clock.advance(1);
    await send();
    await clock.advance(1.9 * SECOND);
    transport.sent.at(-1)?.respond({ late: false });
    await clock.advance(0);
    expect(transport.sent).toHaveLength(7);
    expect(toolkit.status()).toMatchObject({ detail: 'recovering: /v0/mission' });
  });

  it('a service that is down gets a write once, as its trial', async () => {
    const { send, breakDown, heal, transport, clock } = down();
    await breakDown();
    const write = { method: 'POST', cache: 'never', body: {}, path: '/v0/mission/w' } as const;
    expect(await send(write)).toBe('UPSTREAM_UNAVAILABLE');
    expect(transport.sent).toHaveLength(5);
    await clock.advance(SECOND);
    heal();
    expect(await send(write)).toEqual({ good: true });
    expect(transport.sent).toHaveLength(6);
  });

  it.each([
    ['refused inputs', 400],
    ['missing rights', 403],
    ['unknown ids', 404],
    ['quotas', 429],
  ])('a service that is down is not thought of for %s', async (_what, status) => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: { code: 'NOT_FOUND' }, status });
    for (let n = 0; n < 20; n += 1) await toolkit.call(search({ path: `/${n}` }), createOperation()).catch(() => {});
    expect(toolkit.status()).toEqual({ state: 'UP', upstream: 'real' });
  });

  it('a service that is down is not thought of when callers leave', async () => {
    const { toolkit, transport, clock } = createHarness();
    for (let n = 0; n < 20; n += 1) {
      const operation = createOperation();
      void toolkit.call(search({ path: `/${n}` }), operation).catch(() => {});
      await clock.advance(0);
      operation.leave();
    }
    await clock.advance(0);
    expect(transport.sent).toHaveLength(20);
    expect(toolkit.status()).toEqual({ state: 'UP', upstream: 'real' });
  });
});

/** How many calls reach the wire in any minute. */
describe('steady load', () => {
  const EVERY_MS = 100;
  const ROUND_TRIP_MS = 100;
  const WINDOW_MS = 60 * SECOND;
  const OUTAGE = { fromMs: 20 * SECOND, toMs: 50 * SECOND };
  const ALL_MS = 90 * SECOND;

  interface Seen {
    readonly calledAtMs: readonly number[];
    readonly sentAtMs: readonly number[];
    readonly answeredAtMs: readonly number[];
  }

  /** Ten distinct calls a second; `failure` decides how a call that was sent at that time fails, if it does. */
  async function load(failure: (sentAtMs: number, number: number) => number | 'reset' | null) {
    const { toolkit, transport, clock } = createHarness();
    const seen = { calledAtMs: [] as number[], sentAtMs: [] as number[], answeredAtMs: [] as number[] };
    let settled = 0;
    for (let nowMs = 0; nowMs < ALL_MS; nowMs += EVERY_MS) {
      for (; (seen.sentAtMs[settled] ?? Infinity) <= nowMs - ROUND_TRIP_MS; settled += 1) {
        const how = failure(seen.sentAtMs[settled] ?? 0, settled);
        if (how === 'reset') transport.sent[settled]?.fail(how);
        else transport.sent[settled]?.respond({}, how ?? 200);
      }
      seen.calledAtMs.push(nowMs);
      toolkit.call(search({ path: `/${nowMs}` }), createOperation()).then(
        () => seen.answeredAtMs.push(clock.monotonicMs()),
        () => {},
      );
      await clock.advance(EVERY_MS);
      while (seen.sentAtMs.length < transport.sent.length) seen.sentAtMs.push(nowMs);
    }
    return seen;
  }

  const within = (timesMs: readonly number[], fromMs: number, forMs: number) =>
    timesMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + forMs).length;

  function expectFewExtra({ calledAtMs, sentAtMs }: Seen): void {
    for (let fromMs = 0; fromMs + WINDOW_MS <= ALL_MS; fromMs += SECOND) {
      const most = 1.1 * within(calledAtMs, fromMs, WINDOW_MS);
      expect(within(sentAtMs, fromMs, WINDOW_MS), `from ${fromMs} ms on`).toBeLessThanOrEqual(most);
    }
  }

  it.each([503, 'reset'] as const)(
    'on a service that is away for half a minute (%s): three extra calls at most in the first second, and soon served again',
    async (how) => {
      const seen = await load((atMs) => (atMs >= OUTAGE.fromMs && atMs < OUTAGE.toMs ? how : null));
      expectFewExtra(seen);
      const extra = (fromMs: number) => within(seen.sentAtMs, fromMs, SECOND) - within(seen.calledAtMs, fromMs, SECOND);
      expect(extra(OUTAGE.fromMs)).toBeLessThanOrEqual(3);
      expect(within(seen.answeredAtMs, OUTAGE.toMs, 10 * SECOND)).toBeGreaterThan(0);
      // Then as before the outage, after the service was let in step by step.
      expect(within(seen.answeredAtMs, OUTAGE.toMs + 20 * SECOND, 10 * SECOND)).toBe(10 * (SECOND / EVERY_MS));
    },
  );

  it('on a service that fails one call of three: a tenth more calls at most', async () => {
    const seen = await load((_atMs, number) => (number % 3 === 0 ? 503 : null));
    expectFewExtra(seen);
    expect(seen.sentAtMs.length).toBeGreaterThan(seen.calledAtMs.length);
  });
});

describe('reference data of a service that is down', () => {
  it('reference data of a service that is down is given as soon as a fresh response would be, for as long as it lasts', async () => {
    const { toolkit, transport, clock } = createHarness();
    const reference = search({ cache: 'reference', key: 'operator', path: '/communes', template: '/communes' });
    transport.respond = () => ({ body: { name: 'Lyon' } });
    await toolkit.call(reference, createOperation());
    await clock.advance(72 * 60 * 60 * SECOND);
    transport.respond = () => ({ body: '', status: 500 });
    for (let tenth = 0; tenth < 300; tenth += 1) {
      const operation = createOperation();
      const response = toolkit.call(reference, operation);
      // It waits for nothing that takes time: the clock stands still.
      expect(await Promise.race([response, settle().then(settle)])).toEqual({ name: 'Lyon' });
      expect(operation.rows).toMatchObject([{ cache: 'STALE', stale: { reason: 'OUTAGE' } }]);
      await clock.advance(100);
    }
  });
});

describe('the bulkhead', () => {
  it('lets thirty-two calls out at once, and the others in their order', async () => {
    const { toolkit, transport, clock } = createHarness();
    for (let n = 0; n < 40; n += 1) void toolkit.call(search({ path: `/${n}` }), createOperation()).catch(() => {});
    await clock.advance(0);
    expect(transport.sent).toHaveLength(32);
    transport.sent[7]?.respond({});
    await clock.advance(0);
    expect(transport.sent.at(-1)?.request.url.pathname).toBe('/32');
  });

  it('the bulkhead keeps no place for who left while waiting', async () => {
    const { toolkit, transport, clock } = createHarness();
    const operations = Array.from({ length: 34 }, () => createOperation());
    operations.forEach((operation, n) => void toolkit.call(search({ path: `/${n}` }), operation).catch(() => {}));
    await clock.advance(0);
    operations[32]?.leave();
    transport.sent[0]?.respond({});
    await clock.advance(0);
    expect(transport.sent.at(-1)?.request.url.pathname).toBe('/33');
    for (const operation of operations) operation.leave();
    await clock.advance(0);
    transport.respond = () => ({ body: {} });
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => toolkit.call(search({ path: `/again/${n}` }), createOperation())),
    );
    expect(clock.pending).toBe(0);
  });
});
