import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVICES } from '../../kernel/services.js';
import { type Running, start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { HOSTILE_REQUESTS } from '../../test/bounds/hostile-requests.js';
import { type MeteredServer, startMeteredServer } from '../../test/bounds/support/metered-server.js';
import { queryBody, send } from '../../test/bounds/support/send.js';
import { learnSmallOperations } from '../../test/bounds/support/small-operations.js';
import { openWatch, type Watch } from '../../test/bounds/support/watch.js';
import { createMemoryLog } from '../../test/scenarios/memory-log.js';
import { SUBGRAPH_TOKEN } from '../../test/scenarios/stack.js';

/** Guards others from the worst that is legal at a gateway apart, whose library makes a response in one go. */

/** In units of the calibrating work, as for a gateway in one process; the slowest of these takes 16. */
const LONGEST_STALL = 20;
/** It takes 10 if anything is made for it that could be made at the start. */
const FIRST_STALL = 4;
const PEAK_MB = 120;
const HELD_MB = 8;

const many = (count: number, write: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => write(at)).join(' ');

/** As many values as the limit on the estimated bytes allows, and as many joined objects. */
const WORST = {
  values: `{ missions(first: 5869) { nodes { ${many(27, (at) => `a${at}: postalCode`)} } } }`,
  renamed: `{ missions(first: 5869) { nodes { city: id ${many(26, (at) => `a${at}: postalCode`)} } } }`,
  joins: `{ missions(first: 5869) { nodes { ${many(10, (at) => `a${at}: communeMatch { method }`)} } } }`,
};

describe('A gateway apart', () => {
  let sandbox: Sandbox;
  let server: MeteredServer;
  let watch: Watch;
  let firstStall: number;
  const subgraphs: Running[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    const most = { MAX_CALLS_PER_REQUEST: '1000000', REQUEST_DEADLINE_MS: '20000' };
    const env: Record<string, string> = { ...variablesOf(sandbox), ...most, SUBGRAPH_TOKEN, CACHE_DIR: 'off' };
    for (const service of SERVICES) {
      const running = await start(readConfiguration(service, { ...env, PORT: '0' }), createMemoryLog());
      subgraphs.push(running);
      env[`SUBGRAPH_${service.toUpperCase().replace('-', '_')}_URL`] = running.url;
    }
    server = await startMeteredServer({ ...env, LOG_LEVEL: 'info' });
    await send(server.url, { body: queryBody('{ __typename }') });
    await server.reset();
    await send(server.url, { body: queryBody('{ missions(first: 1) { nodes { title } } }') });
    firstStall = (await server.read()).stallMs / (await server.calibrate());
    watch = await openWatch(server, await learnSmallOperations({ server, sandbox }));
  });
  afterAll(async () => {
    await server?.close();
    for (const running of subgraphs) await running.close();
    await sandbox.close();
  });

  test('stalls nobody over the first operation after a start', () => {
    expect(firstStall).toBeLessThan(FIRST_STALL);
  });

  test.for(Object.entries(WORST))('stalls nobody for long over the most %s', async ([, query]) => {
    const seen = await watch(() => send(server.url, { body: queryBody(query) }));
    expect([seen.result.status, seen.result.bytes > 1_000_000]).toEqual([200, true]);
    expect(seen.stall).toBeLessThan(LONGEST_STALL);
    expect(seen.peakMb).toBeLessThan(PEAK_MB);
    expect(seen.heldMb).toBeLessThan(HELD_MB);
    expect(seen.neighbour.wrong).toEqual([]);
  });

  // The library executes everything here, beside the schema or not.
  const multiplying = HOSTILE_REQUESTS.filter(
    ({ code, name }) => code === 'ANSWER_TOO_LARGE' && !/types|beside the schema/.test(name),
  );
  test.for(multiplying)('refuses in time: $name', async ({ sent }) => {
    const seen = await watch(() => send(server.url, sent));
    const [error] = (JSON.parse(seen.result.text) as { errors: { extensions: { code: string } }[] }).errors;
    expect([seen.result.status, error?.extensions.code]).toEqual([
      400,
      expect.stringMatching(/TOO_LARGE|BAD_USER_INPUT/),
    ]);
    expect(seen.stall).toBeLessThan(LONGEST_STALL);
    expect(seen.peakMb).toBeLessThan(PEAK_MB);
    expect(seen.heldMb).toBeLessThan(HELD_MB);
    expect(seen.neighbour.wrong).toEqual([]);
  });
});
