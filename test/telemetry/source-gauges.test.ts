import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { fromEachService, SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import { NO_FIGURES } from '../../kernel/source-figures.js';
import { start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { Metrics } from '../../runtime/process/metrics.js';
import { openSharedParts } from '../../wiring/subgraphs.js';
import { startRedis } from '../auth/support/redis.js';
import { freePort } from '../bounds/support/free-port.js';
import { POLLING } from '../polling.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { type Stack, startStack } from '../scenarios/stack.js';

/** Guards that what an operator should be woken for is in the metrics of the process that knows of it. */

/** The series of a metric, as `labels` to value. */
function seriesOf(text: string, name: string): Record<string, number> {
  const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(lines.map(([, labels = '', value]) => [labels, Number(value)]));
}

/** The state of each service in the text; fails if a service has more than one. */
function statesOf(text: string): Record<string, string> {
  const states = Object.entries(seriesOf(text, 'passerelle_source_state')).filter(([, value]) => value === 1);
  const named = states.map(([labels]) => /service="(.*)",state="(.*)"/.exec(labels)?.slice(1) ?? []);
  expect(new Set(named.map(([service]) => service)).size).toBe(named.length);
  return Object.fromEntries(named);
}

const scrape = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

describe('One process', () => {
  let stack: Stack;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    const env = { METRICS_PORT: String(port), WASTE_API_URL: 'http://127.0.0.1:9' };
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env });
  });
  afterAll(() => stack.close());

  const readyz = async () => {
    const { sources } = (await (await fetch(`${stack.url}/readyz`)).json()) as {
      sources: { name: string; state: string; exportLoadedAt?: string }[];
    };
    return sources;
  };

  it('has the states of /readyz, on a good day and in an outage', async () => {
    const reported = async () => Object.fromEntries((await readyz()).map(({ name, state }) => [name, state]));
    expect(statesOf(await scrape(port))).toEqual(await reported());
    // Five states of each.
    expect(Object.keys(seriesOf(await scrape(port), 'passerelle_source_state'))).toHaveLength(5 * SERVICES.length);
    stack.sandbox.volunteering.fault({ kind: 'status', status: 503 });
    for (let size = 1; size < 9; size += 1) await stack.send(`{ missions(first: ${size}) { nodes { id } } }`);
    expect(statesOf(await scrape(port))).toMatchObject({ volunteering: 'DOWN', 'work-study': 'UP' });
    expect(statesOf(await scrape(port))).toEqual(await reported());
  });

  it("has what is left to the operator's key, and nothing of callers' keys", async () => {
    const search = (latitude: number) =>
      `{ jobSearch(latitude: ${latitude}, longitude: 2.35, radius: 30) { jobs { id } } }`;
    const left = async () => seriesOf(await scrape(port), 'passerelle_quota_remaining');
    const scope = 'service="work-study",scope="GET /job/v1/search"';
    await stack.send(search(48.8));
    expect((await left())[scope]).toBe(59);
    const { workStudy } = stack.sandbox.keys;
    for (const latitude of [48.1, 48.2])
      await stack.send(search(latitude), { headers: { 'x-work-study-key': workStudy.alice } });
    expect((await left())[scope]).toBe(59);
    const text = await scrape(port);
    expect(seriesOf(text, 'passerelle_quota_limit')[scope]).toBe(60);
    expect(text).not.toContain(workStudy.alice);
    for (const labels of Object.keys(await left())) expect(labels).toMatch(/^service="[a-z-]+",scope="[\w /{}-]+"$/);
  });

  it('has the date of the export that is in use', async () => {
    const loadedAt = async () => (await readyz()).flatMap(({ exportLoadedAt }) => exportLoadedAt ?? []);
    await expect.poll(loadedAt, POLLING).toHaveLength(1);
    const [loaded] = await loadedAt();
    expect(seriesOf(await scrape(port), 'passerelle_export_timestamp_seconds')).toEqual({
      'service="work-study"': Date.parse(loaded ?? '') / 1000,
    });
  });

  it('has nothing of a store that it does not share', async () => {
    expect(await scrape(port)).not.toContain('passerelle_store_reachable');
  });
});

test('A source that is not configured has no series; an export that is not there is of 1970', async () => {
  const metrics = new Metrics();
  metrics.watchSources(() => [
    { name: 'volunteering', state: 'OFF', upstream: 'off', figures: NO_FIGURES },
    { name: 'work-study', state: 'OFF', upstream: 'real', figures: { ...NO_FIGURES, exportLoadedAt: null } },
  ]);
  const text = await metrics.text();
  expect(statesOf(text)).toEqual({ 'work-study': 'OFF' });
  expect(seriesOf(text, 'passerelle_export_timestamp_seconds')).toEqual({ 'service="work-study"': 0 });
});

test('A gateway whose subgraph cannot be reached has its source as DOWN, and no quota of it', async () => {
  const port = await freePort();
  const nowhere = 'http://127.0.0.1:9/graphql';
  const environment = {
    ...{ PORT: '0', METRICS_PORT: String(port), SUBGRAPH_TOKEN: 'any-long-text' },
    ...Object.fromEntries(SERVICES.map((name) => [SERVICE_ENTRIES[name].addressVariable, nowhere])),
  };
  const gateway = await start(readConfiguration('gateway', environment), createMemoryLog());
  const text = await scrape(port);
  await gateway.close();
  expect(statesOf(text)).toEqual(fromEachService(() => 'DOWN'));
  expect(seriesOf(text, 'passerelle_quota_remaining')).toEqual({});
});

const redis = await startRedis();

test.skipIf(redis === null)('The shared store is 1 while it is within reach, and 0 while it is away', async () => {
  if (redis === null) return;
  const log = createMemoryLog();
  const environment = {
    ...{ CACHE_URL: redis.url, SESSION_SECRET: 'a-session-secret-of-more-than-32-characters', METRICS_PORT: '9464' },
    ...{ VOLUNTEERING_URL: 'http://127.0.0.1:9', VOLUNTEERING_API_KEY: 'key', SUBGRAPH_TOKEN: 'a token' },
  };
  const { stores, metrics } = openSharedParts(readConfiguration('volunteering', environment), null, log);
  const reachable = async () => seriesOf((await metrics?.text()) ?? '', 'passerelle_store_reachable');
  await stores.firstContact();
  expect(await reachable()).toEqual({ '': 1 });
  await redis.kill();
  await log.seen(({ message }) => message === 'the shared store cannot be reached');
  expect(await reachable()).toEqual({ '': 0 });
  await redis.restart();
  await log.seen(({ message }) => message === 'the shared store can be reached again');
  expect(await reachable()).toEqual({ '': 1 });
  await stores.close();
  await redis.close();
});
