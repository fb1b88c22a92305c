import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import { type Running, start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { POLLING } from '../polling.js';
import { temporaryFolder } from '../temporary-folder.js';
import { createMemoryLog, type LogLine } from './memory-log.js';
import { type PlainMission, plainMissions, the } from './samples.js';
import { SHAPES, type Stack, send, startStack } from './stack.js';

const SOURCES = `{ sources {
  name state upstream detail breaker cacheHitRate referenceAgeSeconds drift driftPlaces { place count }
  quota { scope limit remaining resetSeconds } quotas { scope limit remaining resetSeconds }
  ... on WorkStudySource { exportLoadedAt }
} }`;

interface SourceState {
  readonly name: string;
  readonly state: string;
  readonly detail: string | null;
  readonly upstream: string;
  readonly quota: object | null;
  readonly quotas: readonly object[];
  readonly exportLoadedAt?: string | null;
}

/** The operator's quota for links to the export, known from the start because the export is loaded then. */
const LINKS = { scope: 'GET /job/v1/export', limit: 2 };

const named = (sources: readonly SourceState[], name: string) => the(sources.find((source) => source.name === name));

describe.each(SHAPES)('What is told of the sources, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  afterAll(() => stack.close());

  async function readySources(): Promise<SourceState[]> {
    const ready = (await (await fetch(`${stack.url}/readyz`)).json()) as { readonly sources: SourceState[] };
    return ready.sources;
  }

  test('is unknown before a call, and asks none of them', async () => {
    const { data, errors } = await stack.send(SOURCES);
    expect(errors).toEqual([]);
    expect(data.sources).toHaveLength(SERVICES.length);
    for (const source of data.sources) {
      expect(source).toMatchObject({ state: 'UP', upstream: 'REAL', breaker: 'CLOSED', drift: 0, driftPlaces: [] });
      expect(source).toMatchObject({ cacheHitRate: null, referenceAgeSeconds: null });
      if (source.name !== 'work-study') expect(source).toMatchObject({ quota: null, quotas: [] });
    }
    expect(named(data.sources, 'work-study').quotas).toMatchObject([LINKS]);
    expect(stack.calls()).toEqual([]);
  });

  test('are the quotas of the key that asks: its own, else the operator’s', async () => {
    const headers = { 'x-work-study-key': stack.sandbox.keys.workStudy.alice };
    await stack.send('{ jobSearch(departements: ["2A"]) { truncated } missions(first: 1) { nodes { id } } }', {
      headers,
    });
    const { trace } = await stack.send('{ jobSearch(departements: ["2B"]) { truncated } }', { headers });
    const [searched, ...others] = the(trace).sources;
    expect(searched).toMatchObject({ name: 'work-study', quota: { limit: 60, remaining: 58 } });
    for (const { quota } of others) expect(quota).toBeUndefined();
    stack.forgetCalls();

    const alices = await stack.send(SOURCES, { headers });
    const anyones = await stack.send(SOURCES);
    const search = { scope: 'GET /job/v1/search', limit: 60, remaining: 58, resetSeconds: expect.any(Number) };
    expect(named(alices.data.sources, 'work-study')).toMatchObject({ quota: search, quotas: [search] });
    expect(named(anyones.data.sources, 'work-study')).toMatchObject({ quota: LINKS, quotas: [LINKS] });
    // Alice has no key of her own for volunteering, so the operator's key was used.
    const missions = { scope: 'all routes', limit: 600, remaining: 599 };
    expect(named(alices.data.sources, 'volunteering').quota).toMatchObject(missions);
    expect(stack.calls()).toEqual([]);

    // Apart, what a subgraph said a second ago serves all who ask.
    await vi.waitFor(async () => {
      const sources = await readySources();
      expect(named(sources, 'volunteering')).toMatchObject({ upstream: 'real', quota: missions, breaker: 'CLOSED' });
      expect(named(sources, 'work-study')).toMatchObject({ quota: LINKS });
    }, POLLING);
  });

  test('is how often the cache answered, and how old its reference data are', async () => {
    for (let time = 0; time < 4; time += 1) await stack.send('{ departements { nom } }');
    const { data } = await stack.send(SOURCES);
    // The two searches and the first fetch of the list missed the cache; three more requests for the list hit it.
    expect(named(data.sources, 'work-study')).toMatchObject({
      cacheHitRate: 0.5,
      referenceAgeSeconds: expect.any(Number),
    });
    expect(named(data.sources, 'waste-identity')).toMatchObject({ cacheHitRate: null, referenceAgeSeconds: null });
  });

  test('is of which day the export is', async () => {
    const { data, errors } = await stack.send(SOURCES);
    expect(errors).toEqual([]);
    const { exportLoadedAt } = named(data.sources, 'work-study');
    expect(exportLoadedAt).toMatch(/^\d{4}-\d\d-\d\dT/);
    await vi.waitFor(
      async () => expect(named(await readySources(), 'work-study').exportLoadedAt).toBe(exportLoadedAt),
      POLLING,
    );
  });

  test('holds no key and nothing that stands for one', async () => {
    const ready = await (await fetch(`${stack.url}/readyz`)).text();
    const { data } = await stack.send(SOURCES, { headers: { 'x-work-study-key': stack.sandbox.keys.workStudy.alice } });
    const { workStudy, volunteering } = stack.sandbox.keys;
    for (const key of [...Object.values(workStudy), ...Object.values(volunteering)]) {
      expect(ready + JSON.stringify(data)).not.toContain(key);
    }
    // A fingerprint would show as a long run of letters and digits.
    expect(ready + JSON.stringify(data)).not.toMatch(/[\w-]{32}/);
  });
});

describe('A source whose subgraph cannot be asked', () => {
  let stack: Stack;
  beforeAll(async () => {
    const nowhere = { SUBGRAPH_VOLUNTEERING_URL: 'http://127.0.0.1:9/graphql' };
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env: nowhere });
  });
  afterAll(() => stack.close());

  test('is DOWN, and what is not known of it is null without an error', async () => {
    const { data, errors } = await stack.send(SOURCES);
    expect(errors).toEqual([]);
    const { name, state, detail, ...others } = named(data.sources, 'volunteering');
    expect([name, state]).toEqual(['volunteering', 'DOWN']);
    expect(detail).toMatch(/^The subgraph volunteering /);
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
    expect(named(data.sources, 'work-study')).toMatchObject({ state: 'UP', breaker: 'CLOSED' });
    const { sources } = (await (await fetch(`${stack.url}/readyz`)).json()) as { sources: SourceState[] };
    expect(named(sources, 'volunteering')).toMatchObject({ state: 'DOWN', quota: null, breaker: null, drift: null });
  });
});

describe('A list of sources whose own subgraph cannot be reached', () => {
  let stack: Stack;
  beforeAll(async () => {
    const nowhere = { SUBGRAPH_WORK_STUDY_URL: 'http://127.0.0.1:9/graphql' };
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env: nowhere, awaitsExport: false });
  });
  afterAll(() => stack.close());

  test('names all of them, and its own as DOWN, without an error', async () => {
    const { data, errors } = await stack.send(SOURCES);
    expect(errors).toEqual([]);
    expect(data.sources.map(({ name, state }: SourceState) => [name, state])).toEqual(
      SERVICES.map((name) => [name, name === 'work-study' ? 'DOWN' : 'UP']),
    );
    const { name, state, detail, ...others } = named(data.sources, 'work-study');
    expect(detail).toMatch(/^The subgraph work-study /);
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
  });

  test('is listed under other names too, beside fields that are errors', async () => {
    const { data, errors } = await stack.send(`query ($no: Boolean = false) {
      first: sources { key: id type: __typename ...State }
      second: sources { name upstream @include(if: $no) ... on VolunteeringSource { state } }
      departements { nom }
    } fragment State on WorkStudySource { of: name now: state quota { limit } }`);
    expect(data).toEqual({
      first: SERVICES.map((key) => {
        const own = key === 'work-study' ? { of: key, now: 'DOWN', quota: null } : {};
        return { key, type: SERVICE_ENTRIES[key].source.type, ...own };
      }),
      second: SERVICES.map((name) => ({ name, ...(name === 'volunteering' && { state: 'UP' }) })),
      departements: null,
    });
    expect(errors).toMatchObject([{ path: ['departements'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  });
});

describe('Subgraphs apart', () => {
  const untold = ({ message }: LogLine) => message.includes('SUBGRAPH_TOKEN');

  test.each([
    ['with a token', {}, [], 1],
    ['without one', { SUBGRAPH_TOKEN: '' }, ['warn'], 0],
  ])('%s answer; what a gateway without one loses is said once', async (_which, env, levels, calls) => {
    const stack = await startStack({ shape: 'apart', sandbox: { scale: 0.1 }, env });
    const { data, errors, trace } = await stack.send('{ missions(first: 1) { nodes { id } } }');
    await stack.close();
    expect([data.missions.nodes.length, errors, the(trace).calls.length]).toEqual([1, [], calls]);
    const lines = stack.log.lines.filter(untold);
    expect(lines.map(({ level }) => level)).toEqual(levels);
    for (const { fields } of lines) expect(fields).toEqual({ subgraphs: SERVICES });
  });
});

describe('A subgraph that has another token than the gateway', () => {
  const TOKENS = ['token-of-the-subgraph', 'token-of-the-gateway'] as const;
  let sandbox: Sandbox;
  let subgraph: Running;
  let gateway: Running;
  const log = createMemoryLog();
  beforeAll(async () => {
    sandbox = await startSandbox({ scale: 0.02 });
    const env = { ...variablesOf(sandbox), PORT: '0', CACHE_DIR: 'off' };
    const [own, other] = TOKENS;
    subgraph = await start(readConfiguration('volunteering', { ...env, SUBGRAPH_TOKEN: own }), log);
    const apart = { SUBGRAPH_VOLUNTEERING_URL: subgraph.url, SUBGRAPH_TOKEN: other };
    gateway = await start(readConfiguration('all', { ...env, ...apart }), log);
  });
  afterAll(async () => {
    await gateway.close();
    await subgraph.close();
    await sandbox.close();
  });

  const readiness = async (url: string, headers = {}) => fetch(new URL('/readyz', url), { headers });

  test('is DOWN for that reason, in /readyz and in the error of each field, and no token is told', async () => {
    const before = await (await readiness(gateway.url)).text();
    const { data, errors } = await send(gateway.url, '{ missions(first: 1) { nodes { id } } departements { nom } }');
    const after = await (await readiness(gateway.url)).text();
    expect([data.missions, data.departements.length > 90]).toEqual([null, true]);
    expect(errors).toMatchObject([
      {
        path: ['missions'],
        message: 'The subgraph volunteering refuses the token of the gateway.',
        extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'volunteering' },
      },
    ]);
    for (const ready of [before, after]) {
      expect(named(JSON.parse(ready).sources, 'volunteering')).toMatchObject({
        state: 'DOWN',
        detail: 'its subgraph refuses the token of the gateway',
      });
    }
    for (const token of TOKENS) expect(before + after + JSON.stringify(errors) + log.text()).not.toContain(token);
  });

  test('tells those who ask without a token whether it is ready', async () => {
    expect((await readiness(subgraph.url)).status).toBe(200);
  });
});

describe('While the token is replaced, one process after the other,', () => {
  let sandbox: Sandbox;
  let subgraph: Running;
  const env = () => ({ ...variablesOf(sandbox), PORT: '0', CACHE_DIR: 'off' });
  beforeAll(async () => {
    sandbox = await startSandbox({ scale: 0.02 });
    const both = { SUBGRAPH_TOKEN: 'the-new-token, the-old-token' };
    subgraph = await start(readConfiguration('volunteering', { ...env(), ...both }), createMemoryLog());
  });
  afterAll(async () => {
    await subgraph.close();
    await sandbox.close();
  });

  test.each([
    ['the old one', 'the-old-token'],
    ['both, the old one first', 'the-old-token,the-new-token'],
  ])('a subgraph that has both answers a gateway that has %s', async (_which, tokens) => {
    const apart = { SUBGRAPH_VOLUNTEERING_URL: subgraph.url, SUBGRAPH_TOKEN: tokens };
    const gateway = await start(readConfiguration('all', { ...env(), ...apart }), createMemoryLog());
    const { data, errors, trace } = await send(gateway.url, '{ missions(first: 1) { nodes { id } } }');
    const ready = await (await fetch(new URL('/readyz', gateway.url))).text();
    await gateway.close();
    expect([data.missions.nodes.length, errors, the(trace).calls.length]).toEqual([1, [], 1]);
    expect(named(JSON.parse(ready).sources, 'volunteering')).toMatchObject({ state: 'UP' });
  });

  test('it refuses any other token', async () => {
    const headers = {
      'content-type': 'application/json',
      'x-passerelle-subgraph-token': 'the-new-token,the-old-token',
    };
    const body = JSON.stringify({ query: '{ __typename }' });
    expect((await fetch(subgraph.url, { method: 'POST', headers, body })).status).toBe(401);
  });
});

describe('A start in production', () => {
  let sandbox: Sandbox;
  let cacheDir: string;
  let running: Running | undefined;
  let missions: PlainMission[];
  beforeAll(async () => {
    sandbox = await startSandbox({ scale: 0.02 });
    cacheDir = temporaryFolder();
    missions = plainMissions(sandbox.world).slice(0, 2);
  });
  afterEach(async () => {
    await running?.close();
    running = undefined;
  });
  afterAll(async () => {
    await sandbox.close();
  });

  const geography = () => sandbox.workStudy.callLines().filter((line) => line.includes('/geographie/'));

  async function startProduction() {
    const secret = { SESSION_SECRET: 'a-session-secret-of-more-than-32-characters' };
    const env = { NODE_ENV: 'production', ...secret, PORT: '0', DRAIN_MS: '0' };
    running = await start(
      readConfiguration('all', { ...variablesOf(sandbox), ...env, CACHE_DIR: cacheDir }),
      createMemoryLog(),
    );
    return running.url;
  }

  test('fetches no geography before anyone asks, and has kept at the next start the communes that missions led to', async () => {
    const ask = async (url: string) => {
      for (const { id } of missions) await send(url, `{ mission(id: "${id}") { commune { nom } } }`);
    };
    const first = await startProduction();
    expect(geography()).toEqual([]);
    await ask(first);
    expect(geography()).not.toEqual([]);
    await running?.close();

    sandbox.workStudy.clearCalls();
    await ask(await startProduction());
    expect(geography(), 'all is kept from the earlier run').toEqual([]);
  });
});
