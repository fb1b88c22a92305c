import { describe, expect, it } from 'vitest';
import type { Dialect, UpstreamRequest } from '../../../subgraphs/rest/upstream.js';
import { createKey, createOperation } from '../support/operation.js';
import { createHarness, search } from '../support/toolkit.js';

const HOUR = 60 * 60_000;
const dialect: Dialect = {
  headers: () => ({}),
  scopes: ({ template }, fingerprint) => [
    { kind: 'window', name: `GET ${template} ${fingerprint}`, limit: 60, windowMs: 60_000 },
    { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 },
  ],
};
const reported = (limit: number, remaining: number) => ({
  body: [],
  headers: {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': '40',
  },
});

/** A request for reference data; each `path` is a list of its own. */
function reference(path: string): UpstreamRequest<unknown> {
  return search({ path, template: '/v0/reference', cache: 'reference', key: 'operator' });
}

describe('The figures of a source', () => {
  it('are unknown before the first call, never zero', () => {
    const { toolkit } = createHarness({ dialect });
    expect(toolkit.figures(null)).toEqual({
      quota: null,
      quotas: [],
      breaker: 'CLOSED',
      cacheHitRate: null,
      referenceAgeSeconds: null,
      drift: 0,
      driftPlaces: [],
    });
  });

  it('show the quota of the key that asks, the tightest of its routes first', async () => {
    const { toolkit, transport } = createHarness({ dialect });
    const alice = createKey('alice');
    transport.respond = () => reported(60, 12);
    await toolkit.call(search(), createOperation({ credential: alice }));
    transport.respond = () => reported(2, 1);
    await toolkit.call(search({ template: '/v0/export', path: '/v0/export' }), createOperation({ credential: alice }));
    transport.respond = () => reported(60, 59);
    await toolkit.call(search(), createOperation());

    const quota = { scope: 'GET /v0/mission', limit: 60, remaining: 12, resetSeconds: 40 };
    expect(toolkit.figures(alice)).toMatchObject({
      quota,
      quotas: [quota, { scope: 'GET /v0/export', limit: 2, remaining: 1, resetSeconds: 40 }],
    });
    expect(toolkit.figures(null).quota).toMatchObject({ remaining: 59 });
    expect(toolkit.figures(createKey('stranger')).quota).toBeNull();
    expect(JSON.stringify([toolkit.figures(alice), toolkit.figures(null)])).not.toMatch(/fingerprint|secret/);
  });

  it('tell nothing of the quota of a service without headers', async () => {
    const { toolkit, transport } = createHarness({ dialect });
    transport.respond = () => ({ body: [] });
    await toolkit.call(search(), createOperation());
    expect(toolkit.figures(null)).toMatchObject({ quota: null, quotas: [] });
  });

  it('know the quota from a refusal too', async () => {
    const { toolkit, transport } = createHarness({ dialect });
    transport.respond = () => ({ ...reported(60, 0), status: 429 });
    await expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(toolkit.figures(null).quota).toMatchObject({ remaining: 0, resetSeconds: 40 });
  });

  it('count what the cache answered in the last ten minutes; writes and identity are no query to it', async () => {
    const { toolkit, transport, clock } = createHarness({ dialect });
    transport.respond = () => reported(60, 50);
    for (let time = 0; time < 4; time += 1) await toolkit.call(search(), createOperation());
    await toolkit.call(search({ cache: 'never' }), createOperation());
    expect(toolkit.figures(null).cacheHitRate).toBe(0.75);
    await clock.advance(11 * 60_000);
    expect(toolkit.figures(null).cacheHitRate).toBeNull();
  });

  it('tell how old the oldest reference data are that were given, also in an outage', async () => {
    const { toolkit, transport, clock } = createHarness({ dialect });
    transport.respond = () => reported(60, 50);
    await toolkit.call(reference('/old'), createOperation());
    await clock.advance(50 * HOUR);
    transport.respond = () => ({ body: 'down', status: 500 });
    await toolkit.call(reference('/old'), createOperation());
    expect(toolkit.figures(null).referenceAgeSeconds).toBe(50 * 3600);
    await clock.advance(11 * 60_000);
    transport.respond = () => reported(60, 50);
    await toolkit.call(reference('/new'), createOperation());
    expect(toolkit.figures(null).referenceAgeSeconds).toBe(0);
  });

  it('tell when no call goes through, and when calls come back little by little', async () => {
    const { toolkit, transport, clock } = createHarness({ dialect });
    transport.respond = () => ({ body: 'down', status: 500 });
    for (let id = 0; id < 5; id += 1)
      await toolkit.call(search({ path: `/v0/${id}` }), createOperation()).catch(() => {});
    expect(toolkit.figures(null).breaker).toBe('OPEN');
    transport.respond = () => reported(60, 50);
    await clock.advance(2000);
    await toolkit.call(search(), createOperation()).catch(() => {});
    await clock.advance(1);
    expect(toolkit.figures(null).breaker).toBe('HALF_OPEN');
  });

  it('count the values of the wrong type, the worst twenty places first', () => {
    const { toolkit } = createHarness({ dialect });
    for (let place = 0; place < 25; place += 1) toolkit.origin.drift(`Mission.field${place}`, 'form');
    toolkit.origin.drift('Mission.title', 'form');
    toolkit.origin.drift('Mission.title', 'form');
    const { drift, driftPlaces } = toolkit.figures(null);
    expect([drift, driftPlaces.length, driftPlaces[0]]).toEqual([27, 20, { place: 'Mission.title', count: 2 }]);
  });
});
