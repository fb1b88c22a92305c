import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Answered, lastAnswered } from '../answered.js';
import { type PlainMission, plainMissions, the } from '../samples.js';
import { IS_APART, type SendOptions, type Stack, type StackResponse, send, startStack } from '../stack.js';

/** Longer than anything may be served stale. */
const FORGOTTEN_MS = 8 * 24 * 60 * 60_000;
/** Long enough for a busy machine to return what is available, short beside the delay of the source. */
const DEADLINE_MS = 2_500;
/** How a request is answered whose calls are cached for too long. */
const EXPIRED = { way: 'schema', reason: 'expired' };
const JOIN = 'query ($id: ID!) { mission(id: $id) { id title commune { nom } organization { title rna } } }';

describe.skipIf(IS_APART)('A known operation of which something is no longer fresh', () => {
  let stack: Stack;
  let missions: PlainMission[];
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 } });
    missions = plainMissions(stack.sandbox.world);
  });
  beforeEach(() => {
    for (const service of stack.sandbox.running) service.reset();
    // Nothing is stored, and the quotas are as at the start.
    vi.setSystemTime(Date.now() + FORGOTTEN_MS);
  });
  afterAll(async () => {
    await stack.close();
    vi.useRealTimers();
  });

  async function plainly(query: string, options: SendOptions = {}): Promise<StackResponse & Answered> {
    const headers = { ...options.headers, 'x-passerelle-trace': 'none' };
    const result = await send(stack.url, query, { ...options, headers });
    return { ...result, ...lastAnswered(stack) };
  }

  /** Answers a query once, so that it is known; then nothing is fresh. */
  async function known(query: string, variables?: Record<string, unknown>): Promise<StackResponse> {
    const response = await plainly(query, variables && { variables });
    expect(response.errors).toEqual([]);
    vi.setSystemTime(Date.now() + FORGOTTEN_MS);
    stack.forgetCalls();
    return response;
  }

  test('makes the calls that it made before, and is answered from memory afterwards', async () => {
    const { id, insee, rna } = the(missions[0]);
    const executed = await known(JOIN, { id });
    const response = await plainly(JOIN, { variables: { id } });
    expect(response).toMatchObject({ ...EXPIRED, data: executed.data, errors: [] });
    expect(response.data.mission).toMatchObject({ id, organization: { rna } });
    expect(stack.calls()).toEqual([
      expect.stringContaining(`work-study GET /api/geographie/v1/commune/search?code=${insee}`),
      expect.stringContaining(`volunteering GET /v0/mission/${id}`),
      expect.stringContaining('volunteering GET /v0/organization?'),
    ]);
    const control = (of: StackResponse) => of.headers.get('cache-control')?.replace(/\d+/, 'N');
    expect(control(response)).toBe(control(executed));
    expect(response.headers.get('cache-status')).toBeNull();
    stack.forgetCalls();
    expect(await plainly(JOIN, { variables: { id } })).toMatchObject({ way: 'whole response', data: executed.data });
    expect(stack.calls()).toEqual([]);
  });

  test('has the error of a call that fails, and makes no call more', async () => {
    const { id } = the(missions[1]);
    await known(JOIN, { id });
    stack.sandbox.volunteering.fault({ kind: 'status', path: `/v0/mission/${id}`, status: 403 });
    const response = await plainly(JOIN, { variables: { id } });
    expect(response).toMatchObject({ ...EXPIRED, data: { mission: null } });
    expect(response.errors).toMatchObject([{ path: ['mission'], extensions: { service: 'volunteering' } }]);
    expect(stack.calls()).toEqual([expect.stringContaining(`volunteering GET /v0/mission/${id}`)]);
  });

  test('makes a call once that two of its fields need, also where the same call is a look-up and a list', async () => {
    const codes = stack.sandbox.world.organizations.map((one) => one['rna']);
    const rna = the(codes.find((code) => typeof code === 'string' && /^W\d{9}$/.test(code)));
    const query = `query ($rna: RNA) {
      organization(rna: $rna) { rna }
      again: organization(rna: $rna) { title }
      organizations(rna: $rna, first: 99) { nodes { rna } }
    }`;
    const executed = await known(query, { rna });
    expect(executed.data.organizations.nodes).toContainEqual({ rna });
    const response = await plainly(query, { variables: { rna } });
    expect(response).toMatchObject({ ...EXPIRED, data: executed.data, callsMade: 1 });
    expect(stack.calls()).toHaveLength(1);
  });

  test('counts what is still fresh as saved', async () => {
    const { id } = the(missions[6]);
    const query = `query ($id: ID!) {
      communesByName(name: "saint", first: 3) { arrondissements { code } }
      mission(id: $id) { id }
    }`;
    for (const _time of ['executed', 'from memory']) await plainly(query, { variables: { id } });
    // The mission is no longer fresh, the communes are.
    vi.setSystemTime(Date.now() + 6 * 60 * 60_000);
    stack.forgetCalls();
    expect(await plainly(query, { variables: { id } })).toMatchObject({ way: 'schema', callsMade: 1, savedByCache: 3 });
    expect(stack.calls()).toHaveLength(1);
  });

  test('is served stale, and says so, where the service is down', async () => {
    const { id } = the(missions[3]);
    const query = `{ mission(id: "${id}") { title } }`;
    const { data } = await plainly(query);
    stack.sandbox.volunteering.fault({ kind: 'status', status: 503 });
    vi.setSystemTime(Date.now() + 3 * 60_000);
    const response = await plainly(query);
    expect(response).toMatchObject({ ...EXPIRED, data, errors: [] });
    expect(response.headers.get('cache-status')).toMatch(/detail=OUTAGE/);
  });

  test('ends its calls when its client leaves', async () => {
    const { id } = the(missions[4]);
    await known(JOIN, { id });
    stack.sandbox.volunteering.fault({ kind: 'latency', path: `/v0/mission/${id}`, ms: 60_000 });
    const client = new AbortController();
    const left = plainly(JOIN, { variables: { id }, signal: client.signal }).catch(() => 'left');
    await stack.sandbox.volunteering.seen(({ url }) => url.includes(id));
    client.abort();
    expect(await left).toBe('left');
    await stack.sandbox.volunteering.seen(({ url, aborted }) => url.includes(id) && aborted);
  });
});

test.each([
  { limit: '6', left: 'no call', status: 429, codes: ['TOO_MANY_REQUESTS'], calls: 0 },
  { limit: '8', left: 'two calls', status: 200, codes: ['COST_EXCEEDED'], calls: 2 },
])('A known operation of a caller with $left left makes no more', async ({ limit, ...expected }) => {
  const env = { CALLER_CALLS_PER_MINUTE: limit };
  const stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env });
  const missions = plainMissions(stack.sandbox.world);
  const sent = (at: number) =>
    send(stack.url, JOIN, { variables: { id: the(missions[at]).id }, headers: { 'x-passerelle-trace': 'none' } });
  for (const at of [0, 1]) {
    expect((await sent(at)).status).toBe(200);
    expect(stack.calls()).toHaveLength(3);
    stack.forgetCalls();
  }
  const { status, errors } = await sent(2);
  const codes = errors.map(({ extensions }) => extensions.code);
  expect(expected).toMatchObject({ status, codes, calls: stack.calls().length });
  await stack.close();
});

test('A known operation keeps what arrived in time where a join is slower than the deadline', async () => {
  const stack = await startStack({
    shape: 'in process',
    sandbox: { scale: 0.02 },
    env: { REQUEST_DEADLINE_MS: String(DEADLINE_MS) },
  });
  const [first, second] = plainMissions(stack.sandbox.world);
  const sent = (id: string) => send(stack.url, JOIN, { variables: { id }, headers: { 'x-passerelle-trace': 'none' } });
  expect((await sent(the(first).id)).errors).toEqual([]);
  stack.forgetCalls();
  const { id, insee, rna } = the(second);
  stack.sandbox.workStudy.fault({ kind: 'latency', path: '/api/geographie/v1/commune', ms: 60_000 });
  const { data, errors } = await sent(id);
  expect(data).toMatchObject({ mission: { id, commune: null, organization: { rna } } });
  expect(errors).toMatchObject([{ path: ['mission', 'commune'], extensions: { code: 'DEADLINE_EXCEEDED' } }]);
  const call = await stack.sandbox.workStudy.seen(({ url, aborted }) => url.includes(insee) && aborted);
  expect(call.status).toBeNull();
  expect(stack.calls()).toHaveLength(3);
  await stack.close();
});
