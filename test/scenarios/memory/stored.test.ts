import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { start } from '../../../main.js';
import { readConfiguration } from '../../../runtime/configuration/configuration.js';
import { type Answered, lastAnswered } from '../answered.js';
import { type PlainMission, plainMissions, the } from '../samples.js';
import { type SendOptions, type Stack, type StackResponse, SUBGRAPH_TOKEN, send, startStack } from '../stack.js';

/** Later than the end of a search's freshness (66 s at most), well before that of reference data (at most 27 hours). */
const EXPIRED_MS = 70_000;

const UNKNOWN = { way: 'remote', reason: 'unknown' };
const EXPIRED = { way: 'remote', reason: 'expired' };
const STORED = { way: 'whole response' };

describe('What a gateway apart stores of the responses of its subgraphs', () => {
  let stack: Stack;
  let missions: PlainMission[];
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    stack = await startStack({ shape: 'apart', sandbox: { scale: 0.02 } });
    missions = plainMissions(stack.sandbox.world);
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(async () => {
    await stack.close();
    vi.useRealTimers();
  });

  /** Sends without a trace, which no stored response has. */
  async function plainly(query: string, options: SendOptions = {}): Promise<StackResponse & Answered> {
    const headers = { 'x-passerelle-trace': 'none', ...options.headers };
    const result = await send(stack.url, query, { ...options, headers });
    return { ...result, ...lastAnswered(stack) };
  }

  const ofMission = (at: number, fields: string) => `{ mission(id: "${the(missions[at]).id}") { ${fields} } }`;

  test('is the same response from its second time on, and each call that it needed is counted as saved', async () => {
    const query = ofMission(0, 'id title commune { nom } organization { title workplaces { name } }');
    const first = await plainly(query);
    expect(first).toMatchObject({ ...UNKNOWN, callsMade: 3, savedByCache: 0 });
    stack.forgetCalls();
    for (const _time of [2, 3])
      expect(await plainly(query)).toMatchObject({ ...STORED, callsMade: 0, savedByCache: 3, data: first.data });
    expect(stack.calls()).toEqual([]);
  });

  test('ends with the freshness of its first part, and is stored again at once', async () => {
    const query = ofMission(1, 'title commune { nom }');
    for (const how of [UNKNOWN, STORED, STORED]) expect(await plainly(query)).toMatchObject(how);
    vi.setSystemTime(Date.now() + EXPIRED_MS);
    stack.forgetCalls();
    expect(await plainly(query)).toMatchObject({ ...EXPIRED, callsMade: 1 });
    expect(stack.calls()).toHaveLength(1);
    expect(await plainly(query)).toMatchObject(STORED);
    vi.setSystemTime(Date.now() - EXPIRED_MS);
    expect(await plainly(query), 'a clock that was set back says nothing of its age').toMatchObject(EXPIRED);
  });

  test('is told apart by variables and by the operation that is run', async () => {
    const query = 'query One($id: ID!) { mission(id: $id) { id } } query Two($id: ID!) { mission(id: $id) { title } }';
    const [one, two] = [the(missions[2]).id, the(missions[3]).id];
    const sendOne = (operationName: string, id: string) =>
      fetch(`${stack.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, operationName, variables: { id } }),
      }).then((response) => response.json());
    for (const _time of [1, 2, 3]) {
      expect(await sendOne('One', one)).toEqual({ data: { mission: { id: one } } });
      expect(await sendOne('One', two)).toEqual({ data: { mission: { id: two } } });
      expect(await sendOne('Two', one)).toEqual({ data: { mission: { title: expect.any(String) } } });
    }
  });

  test('is given to nobody with a key for one of its services, and made of no such response', async () => {
    const query = ofMission(4, 'title');
    const alice = { headers: { 'x-volunteering-key': stack.sandbox.keys.volunteering.alice } };
    for (const _time of [1, 2, 3]) expect(await plainly(query, alice)).toMatchObject(UNKNOWN);
    for (const how of [UNKNOWN, STORED, STORED]) expect(await plainly(query)).toMatchObject(how);
    expect(await plainly(query, alice)).toMatchObject(UNKNOWN);
    const workStudy = { headers: { 'x-work-study-key': stack.sandbox.keys.workStudy.alice } };
    for (const how of [UNKNOWN, STORED])
      expect(await plainly(query, workStudy), 'no key of theirs has a part in it').toMatchObject(how);
  });

  test.each([
    ['of one user', '{ viewer { name } }'],
    ['of what changes by itself', '{ sources { name state } departements { nom } }'],
    ['with an error', '{ departements { nom } commune(insee: "nothing") { nom } }'],
  ])('is no response %s', async (_which, query) => {
    const headers = { authorization: `Bearer ${stack.sandbox.keys.waste.token}` };
    for (const _time of [1, 2, 3]) expect((await plainly(query, { headers })).way).toBe('remote');
  });

  test.each([
    ['the schema alone', '{ __typename }'],
    ['what a subgraph carries with it', '{ communesByName(name: "Rouen", first: 1) { code { insee } } }'],
  ])('is for a minute what follows from %s, and no other cache may store it', async (_what, query) => {
    for (const how of [UNKNOWN, STORED, STORED]) expect(await plainly(query)).toMatchObject(how);
    const { headers } = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query })}`);
    expect(headers.get('cache-control')).toBe('private, no-store');
    vi.setSystemTime(Date.now() + 60_000);
    for (const how of [EXPIRED, STORED]) expect(await plainly(query)).toMatchObject({ ...how, callsMade: 0 });
  });

  test('is answered for a minute at most, however long its calls are fresh', async () => {
    const query = '{ departements { nom } }';
    for (const how of [UNKNOWN, STORED, STORED]) expect(await plainly(query)).toMatchObject(how);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await plainly(query)).toMatchObject({ ...EXPIRED, callsMade: 0 });
  });

  test('is no response to a mutation, which a GET may not send', async () => {
    const query = 'mutation { __typename }';
    for (const _time of [1, 2, 3]) expect(await plainly(query)).toMatchObject(UNKNOWN);
    const { status } = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query })}`);
    expect(status).toBe(405);
  });

  test('is not used for a caller who asks for a trace, or what it costs', async () => {
    const query = ofMission(5, 'title');
    for (const _time of [1, 2, 3]) await plainly(query);
    const { trace } = await plainly(query, { headers: { 'x-passerelle-trace': '1' } });
    expect(trace?.calls).toMatchObject([{ cache: 'HIT' }]);
    const { headers } = await plainly(query, { headers: { 'x-passerelle-calls': '1' } });
    expect(headers.get('x-passerelle-calls-made')).toBe('0');
  });

  test('is nothing that follows from an export that has not arrived, which no cache on the way may keep either', async () => {
    await stack.close();
    stack = await startStack({
      ...{ shape: 'apart', sandbox: { scale: 0.02 }, awaitsExport: false },
      prepare: ({ workStudy }) => workStudy.fault({ kind: 'status', path: '/api/job/v1/export', status: 500 }),
    });
    const { siret } = the(stack.sandbox.world.organizations.find((one) => one['siret']));
    const query = `{ organization(siret: "${siret}") { title workplacesComplete } }`;
    for (const _time of [1, 2, 3]) {
      expect(await plainly(query)).toMatchObject({ data: { organization: { workplacesComplete: false } } });
      const { headers } = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query })}`);
      expect(headers.get('cache-control')).toBe('private, no-store');
    }
    const title = `{ organization(siret: "${siret}") { title } }`;
    const { headers } = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query: title })}`);
    expect(headers.get('cache-control')).toMatch(/^public/);
  });

  test('is no state of a subgraph that cannot be reached', async () => {
    const nowhere = 'http://127.0.0.1:1/graphql';
    const variables = { PORT: '0', CACHE_DIR: 'off', SUBGRAPH_TOKEN, SUBGRAPH_WORK_STUDY_URL: nowhere };
    const others = { SUBGRAPH_WASTE_IDENTITY_URL: nowhere, SUBGRAPH_VOLUNTEERING_URL: nowhere };
    const gateway = await start(readConfiguration('gateway', { ...variables, ...others }), stack.log);
    const states = { sources: ['work-study', 'waste-identity', 'volunteering'].map(() => ({ state: 'DOWN' })) };
    try {
      for (const _time of [1, 2, 3]) {
        const { data } = await send(gateway.url, '{ sources { state } }', {
          headers: { 'x-passerelle-trace': 'none' },
        });
        expect(data).toEqual(states);
        expect(lastAnswered(stack)).toMatchObject(UNKNOWN);
      }
    } finally {
      await gateway.close();
    }
  });
});
