import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MeteredStack, startMeteredStack } from '../../test/bounds/support/metered-stack.js';
import { queryBody, type Received, send } from '../../test/bounds/support/send.js';
import { POLLING } from '../../test/polling.js';

/** Guards the heap and the event loop against an export whose rows are heavy, or many of one employer. */

const HEAP_MB = 512;
const HEAVY = 1_000;
const OF_ONE = 60_000;
const AT_ONCE = 12;
/** In units of the calibrating work, of about ten milliseconds each. */
const LONGEST_STALL = 5;

const row = (id: string, siret: string, partner: string, description: string) =>
  JSON.stringify({
    identifier: { id, partner_label: partner },
    workplace: { siret, name: 'Boulangerie', description },
    offer: { title: 'Boulanger', status: 'Active', publication: { creation: '2026-01-01T00:00:00.000Z' } },
  });

function* rowsOf(siret: string): Iterable<string> {
  for (let place = 0; place < 150; place++) yield `${row(`huge-${place}`, '1', 'Huge', 'x'.repeat(900_000))},`;
  for (let place = 0; place < HEAVY; place++) yield `${row(`heavy-${place}`, '2', 'Heavy', 'é'.repeat(30_000))},`;
  for (let place = 0; place < OF_ONE; place++) yield `${row(`one-${place}`, siret, 'One', '')},`;
  yield row('last', '3', 'Last', '');
}

describe('An export whose rows are heavy or many, within 512 MB of heap', () => {
  let stack: MeteredStack;
  let files: Server;
  let siret: string;
  const ask = (query: string) => send(stack.server.url, { body: queryBody(query) });

  beforeAll(async () => {
    files = createServer((_request, response) => void Readable.from(wrapped()).pipe(response)).listen(0, '127.0.0.1');
    const wrapped = function* () {
      yield '[';
      yield* rowsOf(siret);
      yield ']';
    };
    await once(files, 'listening');
    const host = `127.0.0.1:${(files.address() as AddressInfo).port}`;
    const variables = { WORK_STUDY_EXPORT_HOSTS: host, CALLER_LIMITS: 'off' };
    stack = await startMeteredStack(variables, [`--max-old-space-size=${HEAP_MB}`], false, ({ world, workStudy }) => {
      siret = String(world.organizations.find((one) => one['siret'] !== null)?.['siret']);
      workStudy.fault({
        ...{ kind: 'wrong-type', path: '/api/job/v1/export' },
        change: (link) => ({ ...(link as object), url: `http://${host}/offers.json` }),
      });
    });
    await vi.waitFor(
      async () =>
        expect((await ask('{ exportedOffers(first: 0) { totalCount } }')).text).toContain(`${HEAVY + OF_ONE + 1}`),
      { ...POLLING, timeout: 120_000 },
    );
  });

  afterAll(async () => {
    await stack?.close();
    files?.close();
  });

  /** The answers to twelve at once, and how long nobody else was served, in units of the calibrating work. */
  async function atOnce(query: string): Promise<{ answers: readonly Received[]; stall: number }> {
    const unit = await stack.server.calibrate();
    await stack.server.reset();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(query)));
    const { stallMs } = await stack.server.read();
    return { answers, stall: stallMs / Math.max(unit, await stack.server.calibrate()) };
  }

  it('answers what reads at most 32 MB', async () => {
    const query =
      '{ exportedOffers(where: { partner: "Heavy" }, first: 500) { complete nodes { identifier { offerId } } } }';
    const { answers, stall } = await atOnce(query);
    for (const { text } of answers) {
      const { data } = JSON.parse(text);
      expect(data.exportedOffers.nodes).toHaveLength(500);
      expect(data.exportedOffers.complete).toBe(false);
    }
    expect(stall).toBeLessThan(LONGEST_STALL);
  });

  it.each([
    [
      'a page of heavy rows',
      () => '{ exportedOffers(where: { partner: "Heavy" }, first: 1000) { nodes { identifier { offerId } } } }',
    ],
    ['all rows of one employer', () => `{ organization(siret: "${siret}") { workplaces { name } } }`],
  ])('refuses %s with a code', async (_what, query) => {
    const { answers, stall } = await atOnce(query());
    for (const { text } of answers) expect(JSON.parse(text).errors[0].extensions.code).toBe('COST_EXCEEDED');
    expect(stall).toBeLessThan(LONGEST_STALL);
  });
});
