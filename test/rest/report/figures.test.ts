import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../subgraphs/rest/upstream.js';
import { createOperation } from '../support/operation.js';
import { createHarness, search } from '../support/toolkit.js';

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

describe('The figures of a source', () => {
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
    for (let place = 0; place < 25; place += 1) toolkit.sender.drift(`Mission.field${place}`, 'form');
    toolkit.sender.drift('Mission.title', 'form');
    toolkit.sender.drift('Mission.title', 'form');
    const { drift, driftPlaces } = toolkit.figures(null);
    expect([drift, driftPlaces.length, driftPlaces[0]]).toEqual([27, 20, { place: 'Mission.title', count: 2 }]);
  });
});
