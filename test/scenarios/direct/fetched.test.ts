import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type PlainMission, plainMissions, the } from '../samples.js';
import { type SendOptions, type Stack, type StackResponse, send, startStack } from '../stack.js';

/** Longer than anything may be served stale. */
const FORGOTTEN_MS = 8 * 24 * 60 * 60_000;
const DEADLINE_MS = 2_500;
const JOIN = 'query ($id: ID!) { mission(id: $id) { id title commune { nom } organization { title rna } } }';

describe('A known operation of which something is missing', () => {
  let stack: Stack;
  let missions: PlainMission[];
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const env = { REQUEST_DEADLINE_MS: String(DEADLINE_MS) };
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.1 }, env });
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

  async function plainly(query: string, options: SendOptions = {}): Promise<StackResponse & { way: unknown }> {
    const headers = { ...options.headers, 'x-passerelle-trace': 'none' };
    const result = await send(stack.url, query, { ...options, headers });
    const line = stack.log.lines.findLast(({ message }) => message === 'request answered');
    return { ...result, way: ({ ...line?.fields } as { way?: unknown }).way };
  }

  /** Answers a query once, so that it is known; then nothing is fresh. */
  async function known(query: string, variables?: Record<string, unknown>): Promise<StackResponse> {
    const response = await plainly(query, variables && { variables });
    vi.setSystemTime(Date.now() + FORGOTTEN_MS);
    stack.forgetCalls();
    return response;
  }

  test('makes the same calls as an execution, and is answered from the cache afterwards', async () => {
    const { id, insee, rna } = the(missions[0]);
    const executed = await known(JOIN, { id });
    const response = await plainly(JOIN, { variables: { id } });
    expect(response).toMatchObject({ way: 'fetched', data: executed.data, errors: [] });
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
    expect(await plainly(JOIN, { variables: { id } })).toMatchObject({ way: 'direct', data: executed.data });
    expect(stack.calls()).toEqual([]);
  });

  test('is executed where a call fails, with its error, and without a call more', async () => {
    const { id } = the(missions[1]);
    await known(JOIN, { id });
    stack.sandbox.volunteering.fault({ kind: 'status', path: `/v0/mission/${id}`, status: 403 });
    const response = await plainly(JOIN, { variables: { id } });
    expect(response).toMatchObject({ way: 'expired', data: { mission: null } });
    expect(response.errors).toMatchObject([{ path: ['mission'], extensions: { service: 'volunteering' } }]);
    expect(stack.calls()).toEqual([expect.stringContaining(`volunteering GET /v0/mission/${id}`)]);
  });

  test('keeps what arrived in time where a join is slower than the deadline', async () => {
    const { id, insee, rna } = the(missions[2]);
    await known(JOIN, { id });
    stack.sandbox.workStudy.fault({ kind: 'latency', path: '/api/geographie/v1/commune', ms: 60_000 });
    const response = await plainly(JOIN, { variables: { id } });
    expect(response).toMatchObject({ way: 'expired', data: { mission: { id, commune: null, organization: { rna } } } });
    expect(response.errors).toMatchObject([
      { path: ['mission', 'commune'], extensions: { code: 'DEADLINE_EXCEEDED' } },
    ]);
    const call = await stack.sandbox.workStudy.seen(({ url, aborted }) => url.includes(insee) && aborted);
    expect(call.status).toBeNull();
    expect(stack.calls()).toHaveLength(3);
  });

  test('is served stale, and says so, where the service is down', async () => {
    const { id } = the(missions[3]);
    const query = `{ mission(id: "${id}") { title } }`;
    const { data } = await plainly(query);
    stack.sandbox.volunteering.fault({ kind: 'status', status: 503 });
    vi.setSystemTime(Date.now() + 3 * 60_000);
    const response = await plainly(query);
    expect(response).toMatchObject({ way: 'expired', data, errors: [] });
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
  const stack = await startStack({ shape: 'in process', sandbox: { scale: 0.1 }, env });
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
