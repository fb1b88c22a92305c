import { expect, it } from 'vitest';
import { unwatched } from '../../../kernel/caches.js';
import type { OperationContext, SourceStatus } from '../../../kernel/operation.js';
import type { Upstream, UpstreamRequest } from '../../../subgraphs/rest/upstream.js';
import { createCommuneRequests } from '../../../subgraphs/work-study/geography/client.js';
import { WarmUp } from '../../../subgraphs/work-study/geography/warm-up.js';
import { createVirtualClock } from '../../rest/support/virtual-clock.js';

/** Guards the warm-up of lists and communes in the background. */

const LISTS: Readonly<Record<string, string>> = {
  '/geographie/v1/departement': 'departements',
  '/geographie/v1/mission-locale': 'missions locales',
};

const UP: SourceStatus = { state: 'UP', upstream: 'real' };

/** A warm-up over a service that needs a call for each query, until a test changes that. */
function createHarness(codes: readonly string[]) {
  const clock = createVirtualClock();
  const said: string[] = [];
  const requested: string[] = [];
  const service = { down: false, cached: false, background: true };
  const read = async ({ template, query }: UpstreamRequest<unknown>, operation: OperationContext) => {
    requested.push(LISTS[template] ?? query?.[0]?.[1] ?? '');
    service.background &&= operation.background === true;
    if (service.down) throw new Error('down');
    const row = { service: 'work-study', method: 'GET', path: '', status: 200, startMs: 0, ms: 0, bytes: 0 } as const;
    const made = { cache: service.cached ? 'HIT' : 'MISS', sent: service.cached ? 0 : 1 } as const;
    operation.recorder.record({ ...row, ...made, entities: 1, retries: 0, planNode: '' });
    return null;
  };
  const note = (_fields: object, message: string) => said.push(message);
  const warmUp = new WarmUp({
    upstream: { origin: { service: 'work-study', drift: () => {} }, read } as unknown as Upstream,
    communeRequests: createCommuneRequests(unwatched),
    used: { load: async () => codes, close: async () => {} },
    clock,
    log: { debug: () => {}, info: note, warn: note, error: note },
  });
  return { clock, said, requested, service, warmUp };
}

it('fetches the lists at once and the communes at two a second, all behind people’s calls', async () => {
  const { warmUp, requested, clock, service, said } = createHarness(['29019', '2A004', '75056']);
  warmUp.start();
  await clock.advance(0);
  expect(requested).toEqual(['departements', 'missions locales', '29019']);
  expect(warmUp.describe(UP)).toEqual({ ...UP, detail: 'fetching communes that missions use: 1 of 3' });
  await clock.advance(500);
  expect(requested.length).toBe(4);
  await clock.advance(1000);
  expect(requested.at(-1)).toBe('75056');
  expect(warmUp.describe(UP)).toEqual(UP);
  expect(service.background).toBe(true);
  expect(said).toEqual([
    'départements and missions locales are ready; fetching communes',
    'communes that missions use are ready',
  ]);
});

it('does not pause for what an earlier run cached', async () => {
  const { warmUp, requested, clock, service } = createHarness(['29019', '75056', '94003']);
  service.cached = true;
  warmUp.start();
  await clock.advance(0);
  expect(requested.length).toBe(5);
});

it('is LOADING until the lists are there, and tries again later and later', async () => {
  const { warmUp, requested, clock, service } = createHarness([]);
  service.down = true;
  warmUp.start();
  await clock.advance(29_000);
  expect([requested.length, warmUp.describe(UP).state]).toEqual([1, 'LOADING']);
  await clock.advance(1000 + 60_000);
  expect(requested.length).toBe(3);
  service.down = false;
  await clock.advance(120_000);
  expect([requested.slice(3), warmUp.describe(UP)]).toEqual([['departements', 'missions locales'], UP]);
});

it('says of a source that is down nothing but that', () => {
  const { warmUp } = createHarness([]);
  warmUp.start();
  const down: SourceStatus = { state: 'DOWN', upstream: 'real', detail: 'not available' };
  expect(warmUp.describe(down)).toEqual(down);
});

it('leaves the communes to those who ask when five in a row fail', async () => {
  const { warmUp, requested, clock, service } = createHarness(Array.from({ length: 9 }, (_, index) => `2901${index}`));
  warmUp.start();
  await clock.advance(0);
  service.down = true;
  await clock.advance(10 * 60_000);
  expect(requested.length).toBe(2 + 1 + 5);
  expect(warmUp.describe(UP)).toEqual(UP);
});

it('stops with its subgraph', async () => {
  const { warmUp, requested, clock } = createHarness(['29019', '75056']);
  warmUp.start();
  await clock.advance(0);
  await warmUp.close();
  await clock.advance(10_000);
  expect([requested.length, clock.pending]).toEqual([3, 0]);
});
