import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { workStudyKeys, workStudyToken } from '../../sandbox/work-study/http/callers.js';
import { createSubgraph, openSharedParts } from '../../wiring/subgraphs.js';
import { freePort } from '../bounds/support/free-port.js';
import { createMemoryLog } from './memory-log.js';
import { the } from './samples.js';
import { IS_APART, ONE_SHAPE, startStack } from './stack.js';

const endsIn = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;
const tokenOf = (exp: number) => workStudyToken(workStudyKeys.operator, { exp });
const dayOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);

async function startWith(exp: number) {
  const port = await freePort();
  const env = { WORK_STUDY_API_KEY: tokenOf(exp), METRICS_PORT: String(port) };
  const stack = await startStack({ shape: ONE_SHAPE, sandbox: { scale: 0.02 }, env, awaitsExport: false });
  const reported = async () => {
    const ready = (await (await fetch(`${stack.url}/readyz`)).json()) as { sources: { name: string }[] };
    const { data } = await stack.send('{ sources { name state detail } }');
    const ofWorkStudy = ({ name }: { name: string }) => name === 'work-study';
    return [the(ready.sources.find(ofWorkStudy)), data.sources.find(ofWorkStudy)];
  };
  return { stack, port, reported };
}

type Started = Awaited<ReturnType<typeof startWith>>;

describe.skipIf(IS_APART)('The key of an operator that ends in ten days', () => {
  const exp = endsIn(9.5);
  let started: Started;
  beforeAll(async () => {
    started = await startWith(exp);
  });
  afterAll(() => started.stack.close());

  test('is told at the start, by /readyz and sources, and in the metrics, and works as before', async () => {
    const { stack, port, reported } = started;
    const { data } = await stack.send('{ departements { nom } }');
    expect(data.departements.length).toBe(stack.sandbox.world.departements.length);
    expect(stack.calls()).toContain('work-study GET /api/geographie/v1/departement operator');
    const words = `ends on ${dayOf(exp)}, in 10 days: ask the service for another`;
    expect(stack.log.lines).toContainEqual({ level: 'warn', fields: {}, message: `WORK_STUDY_API_KEY ${words}` });
    for (const source of await reported())
      expect(source).toMatchObject({ detail: expect.stringContaining(`the operator's key ${words}`) });
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toContain(`passerelle_key_expiry_timestamp_seconds{service="work-study"} ${exp}\n`);
    expect(text).not.toContain('passerelle_key_expiry_timestamp_seconds{service="volunteering"}');
    for (const part of tokenOf(exp).split('.').slice(1)) expect(stack.log.text() + text).not.toContain(part);
  });
});

describe.skipIf(IS_APART)('The key of an operator that has expired', () => {
  const exp = endsIn(-3);
  let started: Started;
  beforeAll(async () => {
    started = await startWith(exp);
  });
  afterAll(() => started.stack.close());

  test('is sent nowhere: its source is off from the start, and everything else is answered', async () => {
    const { stack, reported } = started;
    const { keys, world } = stack.sandbox;
    const query = '{ departements { nom } missions(first: 2) { nodes { id } } viewer { name } }';
    const { data, errors } = await stack.send(query, { headers: { authorization: `Bearer ${keys.waste.token}` } });
    expect(data).toMatchObject({ departements: null, missions: { nodes: [{}, {}] }, viewer: {} });
    expect(errors).toMatchObject([
      { path: ['departements'], extensions: { code: 'SOURCE_OFF', service: 'work-study' } },
    ]);
    const words = `expired on ${dayOf(exp)}: ask the service for another`;
    expect(stack.log.lines).toContainEqual({ level: 'error', fields: {}, message: `WORK_STUDY_API_KEY ${words}` });
    for (const source of await reported())
      expect(source).toMatchObject({ state: 'OFF', detail: `the operator's key ${words}` });
    expect(stack.calls()).toEqual([
      'volunteering GET /v0/mission?limit=2 operator',
      `waste-identity POST / ${the(world.wasteUsers[0]).email}`,
    ]);
    const own = await stack.send('{ jobSearch(departements: ["29"]) { truncated } }', {
      headers: { 'x-work-study-key': keys.workStudy.alice },
    });
    expect(own.errors).toEqual([]);
  });
});

describe('A process that runs for months', () => {
  afterEach(() => void vi.useRealTimers());

  test('logs once a day that the key ends, from thirty days before, and nothing after it is closed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    const log = createMemoryLog();
    const env = { WORK_STUDY_URL: 'http://127.0.0.1:9/api', WORK_STUDY_API_KEY: tokenOf(endsIn(32)), CACHE_DIR: 'off' };
    const parts = openSharedParts(readConfiguration('work-study', env), null, log);
    const subgraph = createSubgraph('work-study', parts);
    const said = () => log.lines.filter(({ message }) => message.includes("operator's key ends on"));
    vi.advanceTimersByTime(86_400_000);
    expect(said()).toEqual([]);
    vi.advanceTimersByTime(2 * 86_400_000);
    expect(said()).toMatchObject([{ level: 'warn', fields: { service: 'work-study' } }, {}]);
    await subgraph.close();
    vi.advanceTimersByTime(86_400_000);
    expect(said()).toHaveLength(2);
    await parts.stores.close();
  });
});
