import { describe, expect, it } from 'vitest';
import type { Staleness } from '../../kernel/trace.js';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const commune = search({ cache: 'reference', key: 'operator', path: '/communes', template: '/geo/communes' });

interface Outcome {
  readonly value: unknown;
  readonly cache: string | undefined;
  readonly stale: Staleness | undefined;
}

/** A harness whose service responds with the number of the call, until a test changes that. */
function harness(request = commune) {
  const made = createHarness();
  const good =
    (headers = {}) =>
    () => ({ body: { number: made.transport.sent.length }, headers });
  made.transport.respond = good();
  return {
    ...made,
    good,
    async send(operation = createOperation()): Promise<Outcome> {
      const value = await made.toolkit.call(request, operation).catch((error: { code: string }) => error.code);
      const [row] = operation.rows;
      return { value, cache: row?.cache, stale: row?.stale };
    },
    down: () => {
      made.transport.respond = () => ({ body: '', status: 500 });
    },
  };
}

describe('reference data', () => {
  it('after a day is given at once and renewed behind the caller’s back', async () => {
    const { send, clock, transport } = harness();
    await send();
    await clock.advance(DAY + 5 * SECOND);
    const stale = { reason: 'REVALIDATING', ageSeconds: DAY / SECOND + 5, staleSeconds: 5 };
    expect(await send()).toEqual({ value: { number: 1 }, cache: 'STALE', stale });
    await clock.advance(0);
    expect(transport.sent).toHaveLength(2);
    expect(await send()).toEqual({ value: { number: 2 }, cache: 'HIT', stale: undefined });
  });

  it('is renewed once for all who ask meanwhile, as work that yields to people', async () => {
    const { send, clock, transport, toolkit } = harness();
    await send();
    await clock.advance(DAY);
    transport.respond = null;
    await Promise.all([send(), send(), send()]);
    expect(transport.sent).toHaveLength(2);
    transport.sent[1]?.respond({});
    await clock.advance(0);
    expect(toolkit.rows.map(({ row }) => row.cache)).toEqual(['MISS', 'STALE', 'STALE', 'STALE', 'MISS']);
  });

  it('after two days is requested first', async () => {
    const { send, clock } = harness();
    await send();
    await clock.advance(2 * DAY);
    expect(await send()).toMatchObject({ value: { number: 2 }, cache: 'MISS' });
  });

  it('stands in for a week when the service is down, and no longer', async () => {
    const { send, clock, down } = harness();
    await send();
    down();
    await clock.advance(7 * DAY - SECOND);
    expect(await send()).toMatchObject({
      value: { number: 1 },
      stale: { reason: 'OUTAGE', ageSeconds: 7 * 86_400 - 1 },
    });
    await clock.advance(SECOND);
    expect(await send()).toMatchObject({ value: 'UPSTREAM_UNAVAILABLE', stale: undefined });
  });

  it('is not renewed together with everything that was fetched together', async () => {
    const freshUntil = async (random: () => number) => {
      const made = createHarness({}, { random });
      made.transport.respond = () => ({ body: {} });
      await made.toolkit.call(commune, createOperation());
      let hours = 0;
      for (let cache = 'HIT'; cache === 'HIT'; hours += 1) {
        const operation = createOperation();
        await made.toolkit.call(commune, operation);
        cache = operation.rows[0]?.cache ?? '';
        await made.clock.advance(60 * MINUTE);
      }
      return hours - 1;
    };
    expect(await freshUntil(() => 0)).toBe(22);
    expect(await freshUntil(() => 0.999)).toBe(27);
  });
});

describe('a search', () => {
  const mine = () => createOperation({ credential: createKey('alice') });

  it('is requested again after a minute, and stands in for ten when the service is down', async () => {
    const { send, clock, down, good, transport } = harness(search());
    await send(mine());
    await clock.advance(MINUTE);
    expect(await send(mine())).toMatchObject({ value: { number: 2 }, cache: 'MISS' });
    down();
    await clock.advance(9 * MINUTE);
    expect(await send(mine())).toMatchObject({ value: { number: 2 }, stale: { reason: 'OUTAGE' } });
    await clock.advance(MINUTE);
    expect(await send(mine())).toMatchObject({ value: 'UPSTREAM_UNAVAILABLE' });
    transport.respond = good();
  });
});

describe('a refresh', () => {
  it('that is slow goes on without its caller, who waits a second and a half', async () => {
    const { send, clock, transport } = harness(search());
    await send();
    await clock.advance(MINUTE);
    transport.respond = null;
    let outcome: Outcome | null = null;
    void send().then((one) => {
      outcome = one;
    });
    await clock.advance(1_499);
    expect(outcome).toBeNull();
    await clock.advance(1);
    expect(outcome).toMatchObject({ value: { number: 1 }, stale: { reason: 'SLOW' } });
    expect(transport.sent[1]?.closed).toBe(false);
    transport.sent[1]?.respond({ number: 'late' });
    await clock.advance(0);
    expect(await send()).toMatchObject({ value: { number: 'late' }, cache: 'HIT' });
    expect(clock.pending).toBe(0);
  });

  it('ends with its only caller before that', async () => {
    const { send, clock, transport } = harness(search());
    await send();
    await clock.advance(MINUTE);
    transport.respond = null;
    const operation = createOperation();
    const sentCall = send(operation);
    await clock.advance(100);
    operation.leave();
    expect((await sentCall).value).toBe('DEADLINE_EXCEEDED');
    expect(transport.sent[1]?.closed).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('is given up for a caller whose own time is shorter', async () => {
    const { send, clock, transport } = harness(search());
    await send();
    await clock.advance(MINUTE);
    transport.respond = null;
    const sentCall = send(createOperation({ remainingMs: () => 200 }));
    await clock.advance(200);
    expect(await sentCall).toMatchObject({ value: { number: 1 }, stale: { reason: 'SLOW' } });
    transport.sent[1]?.respond({});
    await clock.advance(0);
  });

  it('that failed is not tried again for ten seconds, then twenty, then forty', async () => {
    const { send, clock, transport, down } = harness();
    await send();
    down();
    await clock.advance(3 * DAY);
    const tries: number[] = [];
    const startedMs = clock.monotonicMs();
    for (let second = 0; second < 150; second += 1) {
      const before = transport.sent.length;
      expect(await send()).toMatchObject({ value: { number: 1 }, cache: 'STALE' });
      if (transport.sent.length > before) tries.push((clock.monotonicMs() - startedMs) / SECOND);
      await clock.advance(SECOND);
    }
    expect(tries).toEqual([0, 10, 30, 70]);
  });

  it('whose only caller leaves while it waits to be tried once more has failed', async () => {
    const { send, clock, transport } = harness(search());
    await send();
    await clock.advance(MINUTE);
    transport.respond = () => ({ body: '', status: 502 });
    const operation = createOperation();
    const sentCall = send(operation);
    await clock.advance(50);
    operation.leave();
    expect((await sentCall).value).toBe('DEADLINE_EXCEEDED');
    await clock.advance(9 * SECOND);
    expect(await send()).toMatchObject({ value: { number: 1 }, stale: { reason: 'OUTAGE' } });
    expect(transport.sent).toHaveLength(2);
  });

  it('that the service refuses is not tried again for ten seconds either', async () => {
    const { send, clock, transport } = harness(search());
    await send();
    await clock.advance(MINUTE);
    transport.respond = () => ({ body: '', status: 429 });
    for (let again = 0; again < 3; again += 1) {
      expect(await send()).toMatchObject({ value: { number: 1 }, stale: { reason: 'QUOTA' } });
      await clock.advance(3 * SECOND);
    }
    expect(transport.sent).toHaveLength(2);
  });

  it('is tried again as soon as its service has answered somebody', async () => {
    const { send, clock, transport, down, good, toolkit } = harness();
    await send();
    down();
    await clock.advance(3 * DAY);
    await send();
    transport.respond = good();
    await clock.advance(SECOND);
    expect(await send()).toMatchObject({ cache: 'STALE' });
    await toolkit.call(search({ path: '/departements', template: '/geo/communes' }), createOperation());
    expect(await send()).toMatchObject({ cache: 'MISS' });
  });

  it('is the trial of a service that was down, so that it is found again', async () => {
    const { send, clock, down, good, transport, toolkit } = harness();
    await send();
    down();
    await clock.advance(3 * DAY);
    for (let n = 0; n < 5; n += 1) {
      await toolkit.call(search({ path: `/${n}`, template: '/geo/communes' }), createOperation()).catch(() => {});
    }
    await send();
    expect(toolkit.status()).toMatchObject({ state: 'DOWN' });
    transport.respond = good();
    let seconds = 0;
    for (let cache = ''; cache !== 'HIT' && seconds < 60; seconds += 1) {
      await clock.advance(SECOND);
      cache = (await send()).cache ?? '';
    }
    expect(seconds).toBeLessThanOrEqual(10);
  });
});

/**
 * The cases of the public HTTP cache tests about staleness, by their names there. No service sends these windows, so
 * the windows are those of our cache class; what a service forbids is forbidden here too.
 */
describe('the public cache tests', () => {
  const CLOSE = null;

  it.each<[string, string, number | null, boolean]>([
    ['stale-close', '', CLOSE, true],
    ['stale-503', '', 503, true],
    ['stale-sie-close', 'stale-if-error=60', CLOSE, true],
    ['stale-sie-503', 'stale-if-error=60', 503, true],
    ['stale-close-must-revalidate', 'must-revalidate', CLOSE, false],
    ['stale-close-proxy-revalidate', 'proxy-revalidate', CLOSE, false],
    ['stale-close-no-cache', 'no-cache', CLOSE, false],
    ['stale-close-s-maxage=2', 's-maxage=2', CLOSE, false],
    ['must-revalidate with 503', 'Must-Revalidate, max-age=1', 503, false],
    ['no-store', 'no-store', 503, false],
    ['stale with 500', '', 500, true],
    ['stale with 502', '', 502, true],
    ['stale with 504', '', 504, true],
    ['not with 401', '', 401, false],
    ['not with 403', '', 403, false],
    ['not with 404', '', 404, false],
    ['stale with 410, which no service sends', '', 410, true],
    ['not with 400', '', 400, false],
  ])('%s', async (_name, cacheControl, status, standsIn) => {
    const { send, clock, transport, good } = harness(search());
    transport.respond = good({ 'cache-control': cacheControl });
    await send();
    await clock.advance(MINUTE);
    transport.respond = null;
    const sentCall = send();
    for (let time = 0; time < 2; time += 1) {
      await clock.advance(0);
      const last = transport.sent.at(-1);
      if (status === CLOSE) last?.fail('reset');
      else last?.respond({ code: 'NOT_FOUND' }, status);
      await clock.advance(SECOND);
    }
    expect((await sentCall).cache === 'STALE').toBe(standsIn);
  });

  it('a body that is cut is an error for which a cache entry is served', async () => {
    const { send, clock, transport } = harness(search());
    await send();
    await clock.advance(MINUTE);
    transport.respond = () => ({ body: '{"cut":' });
    expect(await send()).toMatchObject({ value: { number: 1 }, stale: { reason: 'OUTAGE' } });
  });
});
