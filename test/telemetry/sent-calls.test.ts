import { describe, expect, it } from 'vitest';
import type { StaleReason, UpstreamCall } from '../../kernel/trace.js';
import { Metrics } from '../../runtime/process/metrics.js';
import { createOperation } from '../rest/support/operation.js';
import { createHarness, search } from '../rest/support/toolkit.js';
import { alertNamed } from './support/rules.js';

/** Guards that the alert for a failing source counts sent calls, however many are answered from the cache. */

const ROW: UpstreamCall = {
  ...{ service: 'volunteering', method: 'GET', path: '/v0/mission/{id}', planNode: '' },
  ...{ startMs: 0, ms: 120, bytes: 10, entities: 1, retries: 0 },
  ...{ status: 200, cache: 'MISS', sent: 1 },
};
const spared = { sent: 0, status: null } as const;
const staleFor = (reason: StaleReason) => ({
  cache: 'STALE' as const,
  stale: { reason, ageSeconds: 9, staleSeconds: 1 },
});

/** The counts of these rows, by result. */
async function resultsOf(rows: readonly Partial<UpstreamCall>[]): Promise<Record<string, number>> {
  const metrics = new Metrics();
  for (const row of rows) metrics.upstreamCall({ ...ROW, ...row });
  const series = /^passerelle_upstream_sent_calls_total\{service="volunteering",result="(\w+)"\} (\d+)$/gm;
  const counts = [...(await metrics.text()).matchAll(series)];
  return Object.fromEntries(counts.map(([, result = '', count]) => [result, Number(count)]));
}

describe('A call', () => {
  it('is counted by what came back', async () => {
    expect(await resultsOf([{}, { status: 404 }, { status: 401, error: 'CREDENTIALS_REJECTED' }])).toEqual({
      answered: 3,
    });
    expect(await resultsOf([{ status: 503, error: 'UPSTREAM_UNAVAILABLE', sent: 3 }])).toEqual({ failed: 1 });
    expect(await resultsOf([{ status: null, error: 'UPSTREAM_TIMEOUT' }])).toEqual({ failed: 1 });
    expect(await resultsOf([{ status: 400, error: 'UPSTREAM_REFUSED_INPUT' }])).toEqual({ answered: 1 });
  });

  it('that was not sent is counted nowhere, nor one that nobody waited for', async () => {
    const hit = { ...spared, cache: 'HIT' } as const;
    const shared = { ...spared, cache: 'COALESCED' } as const;
    expect(await resultsOf([hit, shared, { ...shared, error: 'UPSTREAM_UNAVAILABLE' }])).toEqual({});
    expect(
      await resultsOf([
        { ...spared, error: 'RATE_LIMITED' },
        { ...spared, ...staleFor('OUTAGE') },
      ]),
    ).toEqual({});
    expect(await resultsOf([staleFor('SLOW'), { status: null, error: 'DEADLINE_EXCEEDED' }])).toEqual({});
  });

  it('that failed is a failure although a stale entry was served in its place', async () => {
    const { toolkit, clock, transport } = createHarness();
    const request = search({ cache: 'reference', key: 'operator', path: '/communes', template: '/geo/communes' });
    transport.respond = () => ({ body: { number: 1 } });
    await toolkit.call(request, createOperation());
    await clock.advance(3 * 24 * 3_600_000);
    transport.respond = () => ({ body: '<html>', status: 200 });
    await toolkit.call(request, createOperation());
    const rows = toolkit.rows.map(({ row }) => row);
    expect(rows.at(-1)).toMatchObject({ cache: 'STALE', stale: { reason: 'OUTAGE' } });
    expect(rows.at(-1)).not.toHaveProperty('error');
    const results = await resultsOf(rows.map((row) => ({ ...row, service: 'volunteering' })));
    expect(results).toMatchObject({ answered: 1, failed: expect.any(Number) });
  });
});

it('The alert of a source that fails counts nothing but these', () => {
  const { expr } = alertNamed('PasserelleSourceFails');
  const metrics = new Set(expr.match(/passerelle_\w+/g));
  expect([...metrics]).toEqual(['passerelle_upstream_sent_calls_total']);
});
