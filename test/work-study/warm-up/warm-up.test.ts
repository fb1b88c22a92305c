import { expect, it } from 'vitest';
import type { OperationContext, SourceStatus } from '../../../kernel/operation.js';
import type { Upstream, UpstreamRequest } from '../../../subgraphs/rest/upstream.js';
import { startWarmUp } from '../../../subgraphs/work-study/geography/warm-up.js';
import { createVirtualClock } from '../../rest/support/virtual-clock.js';

/** Guards the warm-up of lists in the background. */

const LISTS: Readonly<Record<string, string>> = {
  '/geographie/v1/departement': 'departements',
  '/geographie/v1/mission-locale': 'missions locales',
};

const UP: SourceStatus = { state: 'UP', upstream: 'real' };

/** A warm-up over a service that is up until a test changes that. */
function createHarness() {
  const clock = createVirtualClock();
  const requested: string[] = [];
  const service = { down: false, background: true };
  const read = async ({ template }: UpstreamRequest<unknown>, operation: OperationContext) => {
    requested.push(LISTS[template] ?? '');
    service.background &&= operation.background === true;
    if (service.down) throw new Error('down');
    return null;
  };
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const upstream = { read, call: read } as unknown as Upstream;
  return { clock, requested, service, start: () => startWarmUp({ upstream, clock, log }) };
}

it('is LOADING until the lists are there, behind people’s calls, and tries again later and later', async () => {
  const { start, requested, clock, service } = createHarness();
  service.down = true;
  const warmUp = start();
  await clock.advance(29_000);
  expect([requested.length, warmUp.describe(UP).state]).toEqual([1, 'LOADING']);
  const down: SourceStatus = { state: 'DOWN', upstream: 'real', detail: 'not available' };
  expect(warmUp.describe(down)).toEqual(down);
  await clock.advance(1000 + 60_000);
  expect(requested.length).toBe(3);
  service.down = false;
  await clock.advance(120_000);
  expect([requested.slice(3), warmUp.describe(UP)]).toEqual([['departements', 'missions locales'], UP]);
  expect(service.background).toBe(true);
});

it('stops with its subgraph', async () => {
  const { start, requested, clock, service } = createHarness();
  service.down = true;
  const warmUp = start();
  await clock.advance(0);
  await warmUp.close();
  await clock.advance(10 * 60_000);
  expect([requested.length, clock.pending]).toEqual([1, 0]);
});
