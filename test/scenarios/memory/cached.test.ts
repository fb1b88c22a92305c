import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../temporary-folder.js';
import { type Answered, lastAnswered } from '../answered.js';
import { type PlainMission, plainMissions, the } from '../samples.js';
import { IS_APART, type SendOptions, type Stack, type StackResponse, send, startStack } from '../stack.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Freshness may end a tenth sooner or later. */
const EXPIRED_MS = 1.2 * MINUTE_MS;

/** How a request is answered whose calls are not all cached. */
const EXECUTED = { way: 'schema', reason: 'unknown' };

describe.skipIf(IS_APART)('What is answered from the cache', () => {
  let stack: Stack;
  let missions: PlainMission[];
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env: { METRICS_PORT: '0' } });
    stack.sandbox.volunteering.callsPerMinute = 1_000_000;
    // An unchanged response would come without a body (304), and the fault could change nothing.
    stack.sandbox.volunteering.fault({ kind: 'headers', headers: { etag: null } });
    missions = plainMissions(stack.sandbox.world);
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(async () => {
    await stack.close();
    vi.useRealTimers();
  });

  /** Sends without a trace, which is never answered from memory. */
  async function plainly(query: string, options: SendOptions = {}): Promise<StackResponse & Answered> {
    const headers = { ...options.headers, 'x-passerelle-trace': 'none' };
    const result = await send(stack.url, query, { ...options, headers });
    return { ...result, ...lastAnswered(stack) };
  }

  test('costs nothing, and each of its hits is counted once', async () => {
    const query = `{ mission(id: "${the(missions[0]).id}") { id title commune { nom } organization { title } } }`;
    const executed = await plainly(query);
    expect(executed).toMatchObject({ way: 'schema', reason: 'unknown', savedByCache: 0 });
    stack.forgetCalls();
    const second = await plainly(query);
    expect(second).toMatchObject({ way: 'whole response', savedByCache: 3, data: executed.data });
    expect(second.headers.get('cache-control')).toBe('private, no-store');
    expect(second.headers.get('x-passerelle-upstreams')).toBe('real');
    expect(stack.calls()).toEqual([]);
  });

  test('ends with the freshness of its first part: that one is fetched, and the hits of the run are not counted', async () => {
    const query = `{ mission(id: "${the(missions[1]).id}") { title commune { nom } } }`;
    const { data } = await plainly(query);
    expect(await plainly(query)).toMatchObject({ way: 'whole response', savedByCache: 2 });
    vi.setSystemTime(Date.now() + EXPIRED_MS);
    stack.forgetCalls();
    // The commune is fresh for a day, so it is the one hit.
    expect(await plainly(query)).toMatchObject({ way: 'schema', reason: 'expired', savedByCache: 1, data });
    expect(stack.calls()).toHaveLength(1);
    expect(await plainly(query)).toMatchObject({ way: 'whole response', savedByCache: 2, data });
  });

  test('is what the service says now, not what its text was before', async () => {
    const { id } = the(missions[2]);
    const query = `{ mission(id: "${id}") { title city } }`;
    const before = await plainly(query);
    expect(await plainly(query)).toMatchObject({ way: 'whole response', data: before.data });
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: `/v0/mission/${id}`,
      set: { '/data/title': 'Renamed' },
    });
    vi.setSystemTime(Date.now() + EXPIRED_MS);
    await plainly(query);
    expect(await plainly(query)).toMatchObject({ way: 'whole response', data: { mission: { title: 'Renamed' } } });
  });

  test('is fetched again when the clock was set back: nobody knows how old it is', async () => {
    const { id } = the(missions[3]);
    const query = `{ mission(id: "${id}") { title } }`;
    await plainly(query);
    expect(await plainly(query)).toMatchObject({ way: 'whole response' });
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: `/v0/mission/${id}`,
      set: { '/data/title': 'Renamed' },
    });
    vi.setSystemTime(Date.now() - HOUR_MS);
    const renamed = { mission: { title: 'Renamed' } };
    expect(await plainly(query)).toMatchObject({ way: 'schema', reason: 'expired', data: renamed });
    expect(await plainly(query)).toMatchObject({ way: 'whole response', data: renamed });
    vi.setSystemTime(Date.now() + HOUR_MS);
  });

  test.each([
    [
      'candidates',
      (field: string) => `communeMatch { candidates { ${field} } }`,
      ['insee', 'nom'],
      /"candidates":\[\{/,
    ],
    // Some missions have several addresses, whose order must not change either.
    ['addresses', (field: string) => `addresses { ${field} }`, ['city', 'postalCode'], /\},\{"(city|postalCode)":/],
  ] as const)('is changed by nobody who reads it: %s', async (_list, select, fields, shown) => {
    // Few enough rows that writing them never checks the clock.
    const query = (field: string) => `{ missions(first: 15) { nodes { ${select(field)} commune { nom } } } }`;
    // The texts of the second query are made of objects that the first one has read.
    for (const field of fields) {
      const { data } = await plainly(query(field));
      expect(JSON.stringify(data)).toMatch(shown);
      for (const way of ['whole response', 'whole response'])
        expect(await plainly(query(field))).toMatchObject({ way, data });
    }
  });

  test('belongs to the key that it was fetched with', async () => {
    const query = '{ missions(first: 4) { nodes { id title } } }';
    const alice = { 'x-volunteering-key': stack.sandbox.keys.volunteering.alice };
    const bob = { 'x-volunteering-key': stack.sandbox.keys.volunteering.bob };
    const ofAlice = await plainly(query, { headers: alice });
    expect(await plainly(query, { headers: alice })).toMatchObject({ way: 'whole response', data: ofAlice.data });
    stack.forgetCalls();
    const ofBob = await plainly(query, { headers: bob });
    expect(ofBob).toMatchObject(EXECUTED);
    expect(stack.calls()).toEqual(['volunteering GET /v0/mission?limit=4 bob']);
    expect(ofBob.data).not.toEqual(ofAlice.data);
    expect(await plainly(query, { headers: alice })).toMatchObject({ way: 'whole response', data: ofAlice.data });
    expect(await plainly(query, { headers: bob })).toMatchObject({ way: 'whole response', data: ofBob.data });
    expect(await plainly(query)).toMatchObject(EXECUTED);
  });

  test('belongs to the keys of its joins, also where the object that they start from is everybody’s', async () => {
    const query = `{ commune(insee: "${the(missions[0]).insee}") { departement { jobSearch { jobs { id } } } } }`;
    const headers = { 'x-work-study-key': stack.sandbox.keys.workStudy.alice };
    await plainly(query, { headers });
    expect(await plainly(query, { headers })).toMatchObject({ way: 'whole response' });
    stack.forgetCalls();
    expect(await plainly(query)).toMatchObject(EXECUTED);
    expect(stack.calls()).toEqual([expect.stringMatching(/^work-study GET \/api\/job\/v1\/search\?.* operator$/)]);
  });

  test('is out of reach once its key has written something', async () => {
    const headers = { 'x-work-study-key': stack.sandbox.keys.workStudy.alice };
    const query = '{ jobSearch(departements: ["29"]) { jobs { id } } }';
    await plainly(query, { headers });
    expect(await plainly(query, { headers })).toMatchObject({ way: 'whole response' });
    await plainly('mutation { generateAppointmentLink(input: { parcoursupId: "1" }) { userErrors { message } } }', {
      headers,
    });
    expect(await plainly(query, { headers })).toMatchObject({ way: 'schema', reason: 'expired' });
  });

  test('was not read before a write that has ended since', async () => {
    const headers = { 'x-work-study-key': stack.sandbox.keys.workStudy.alice };
    const query = '{ jobSearch(departements: ["35"]) { jobs { id } } }';
    stack.sandbox.workStudy.fault({ kind: 'latency', path: '/api/job/v1/search', ms: 1_000, times: 1 });
    const reading = plainly(query, { headers });
    await stack.sandbox.workStudy.seen(({ url }) => url.includes('departements=35'));
    await plainly('mutation { generateAppointmentLink(input: { parcoursupId: "1" }) { userErrors { message } } }', {
      headers,
    });
    await reading;
    expect(await plainly(query, { headers })).toMatchObject({ way: 'schema' });
  });

  test('has no error in it: a field that failed fails in an execution each time', async () => {
    const { id } = the(missions[3]);
    stack.sandbox.volunteering.fault({ kind: 'wrong-type', path: `/v0/mission/${id}`, set: { '/data/title': 7 } });
    const query = (field: string) => `{ mission(id: "${id}") { id ${field} } }`;
    await plainly(query('city'));
    expect(await plainly(query('city'))).toMatchObject({ way: 'whole response' });
    for (const _time of [1, 2]) {
      const { errors, ...result } = await plainly(query('title'));
      expect(result).toMatchObject({ way: 'schema', reason: 'unknown', data: { mission: { id, title: null } } });
      expect(errors).toMatchObject([{ path: ['mission', 'title'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    }
    // The document is known from another mission; this mission has no text.
    const byId = 'query ($id: ID!) { mission(id: $id) { title } }';
    await plainly(byId, { variables: { id: the(missions[0]).id } });
    expect(await plainly(byId, { variables: { id } })).toMatchObject({
      ...{ way: 'schema', reason: 'unknown' },
      errors: [{ path: ['mission', 'title'] }],
    });
  });

  test('has other arguments for other variables, and the refusal of those that do not fit', async () => {
    const query = 'query ($first: Int) { missions(first: $first) { nodes { id } } }';
    for (const first of [2, 3]) await plainly(query, { variables: { first } });
    const two = await plainly(query, { variables: { first: 2 } });
    const three = await plainly(query, { variables: { first: 3 } });
    expect([two.way, three.way]).toEqual(['whole response', 'whole response']);
    expect([two.data.missions.nodes.length, three.data.missions.nodes.length]).toEqual([2, 3]);
    const unfit = await plainly(query, { variables: { first: 'many' } });
    expect(unfit).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    const tooMany = await plainly(query, { variables: { first: 10_001 } });
    expect(tooMany).toMatchObject({ way: 'schema', reason: 'unknown', errors: [{ path: ['missions'] }] });
  });

  test('comes compressed where it is long, as any other', async () => {
    const query = '{ departements { nom codeInsee region { nom } } }';
    await plainly(query);
    const headers = { 'content-type': 'application/json', 'accept-encoding': 'br' };
    const response = await fetch(`${stack.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(((await response.json()) as { data: { departements: unknown[] } }).data.departements.length).toBeGreaterThan(
      90,
    );
  });

  test('is never what changes by itself', async () => {
    const query = '{ sources { name state } }';
    for (const _time of [1, 2]) expect(await plainly(query)).toMatchObject({ way: 'schema', reason: 'unknown' });
  });
});

describe.skipIf(IS_APART)('Behind a safelist', () => {
  const KNOWN = '{ missions(first: 2) { nodes { id } } }';
  const UNKNOWN = '{ missions(first: 2) { nodes { title } } }';

  test('only what is on it is answered from the cache, by its text or its hash', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'safelist.json');
    const sha256Hash = createHash('sha256').update(KNOWN).digest('hex');
    await writeFile(file, JSON.stringify({ operations: { [sha256Hash]: KNOWN } }));
    const stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env: { SAFELIST: file } });
    const send = async (body: object) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${stack.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, way: lastAnswered(stack).way };
    };
    const byHash = { extensions: { persistedQuery: { version: 1, sha256Hash } } };
    expect(await send(byHash)).toEqual({ status: 200, way: 'schema' });
    expect(await send(byHash)).toEqual({ status: 200, way: 'whole response' });
    expect(await send({ query: KNOWN })).toEqual({ status: 200, way: 'whole response' });
    expect(await send({ query: UNKNOWN })).toEqual({ status: 403, way: undefined });
    await stack.close();
  });
});
