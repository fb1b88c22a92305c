import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SERVICES } from '../../kernel/services.js';
import type { PlanNode, Trace } from '../../kernel/trace.js';
import type { SandboxCall } from '../../sandbox/server/types.js';
import { plainMissions, the } from './samples.js';
import { ONE_SHAPE, SHAPES, type Stack, startStack } from './stack.js';

const QUERY = `query ($id: ID!) {
  mission(id: $id) { title commune { nom } organization { title } }
  departements { nom }
  viewer { name }
}`;

/** Fetches, fields and joins of a plan, as `service path`, in the order of the plan. */
function callersOf(node: PlanNode | null, path = ''): string[] {
  if (node === null) return [];
  const below = (node.children ?? []).flatMap((child) => callersOf(child, node.path ?? path));
  return node.service === undefined ? below : [`${node.service} ${node.path ?? path}`.trim(), ...below];
}

describe.each(SHAPES)('The trace, %s', (shape) => {
  let stack: Stack;
  let ids: string[];
  let headers: Record<string, string>;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
    ids = plainMissions(stack.sandbox.world).map(({ id }) => id);
    headers = { authorization: `Bearer ${stack.sandbox.keys.waste.token}` };
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  /** The calls that the sandbox received, in the format of `made`. */
  function seen(): string[] {
    const { workStudy, volunteering, waste } = stack.sandbox;
    const line = (service: string, { method, url, status }: SandboxCall) => {
      const path = url.replace(/\?.*/, '').replace(/^\/api/, '');
      return `${service} ${method} ${path.replace(/\/mission\/[^/]+$/, '/mission/{id}')} ${status}`;
    };
    return [
      ...workStudy.calls.map((call) => line('work-study', call)),
      ...volunteering.calls.map((call) => line('volunteering', call)),
      ...waste.calls.map((call) => line('waste-identity', call)),
    ].sort();
  }

  const made = ({ calls }: Trace) =>
    calls
      .filter(({ sent }) => sent !== undefined && sent > 0)
      .map(({ service, method, path, status }) => `${service} ${method} ${path} ${status}`)
      .sort();

  test('lists exactly the calls that the services saw, with what they cost', async () => {
    const { trace } = await stack.send(QUERY, { variables: { id: the(ids[0]) }, headers });
    const { calls, totals, callsOmitted, timings } = the(trace);
    expect(made(the(trace))).toEqual(seen());
    expect(totals).toEqual({ callsMade: stack.calls().length, savedByCache: 0, savedBySharing: 0 });
    expect(callsOmitted).toBe(0);
    for (const { ms, startMs, bytes, retries, entities } of calls) {
      expect(ms).toBeGreaterThan(0);
      expect(startMs + ms).toBeLessThanOrEqual(timings.totalMs + 1);
      expect(bytes).toBeGreaterThan(0);
      expect([retries, entities >= 1]).toEqual([0, true]);
    }
    const identity = the(calls.find(({ service }) => service === 'waste-identity'));
    expect(identity.cache, 'an identity is never kept').toBe('BYPASS');
  });

  test('asked again tells what the cache saved', async () => {
    const variables = { id: the(ids[1]) };
    await stack.send(QUERY, { variables, headers });
    stack.forgetCalls();
    const { trace } = await stack.send(QUERY, { variables, headers });
    expect(stack.calls()).toHaveLength(1);
    expect(the(trace).totals).toEqual({ callsMade: 1, savedByCache: 4, savedBySharing: 0 });
    expect(
      the(trace)
        .calls.filter(({ cache }) => cache === 'HIT')
        .every(({ sent }) => (sent ?? 0) === 0),
    ).toBe(true);
  });

  test('shows the plan or the fields that may make calls, and which of them caused each call', async () => {
    const { trace } = await stack.send(QUERY, { variables: { id: the(ids[2]) }, headers });
    const { plan, calls, sources, requestId, timings } = the(trace);
    const fields = [
      ...['volunteering mission', 'work-study mission.commune', 'volunteering mission.organization'],
      ...['work-study departements', 'waste-identity viewer'],
    ];
    const fetches = ['volunteering', 'waste-identity', 'work-study', 'work-study mission'];
    const isLocal = shape === 'in process';
    expect(callersOf(plan).toSorted()).toEqual((isLocal ? fields : fetches).toSorted());
    if (isLocal) expect([plan?.kind, timings.planMs]).toEqual(['Parallel', 0]);
    const nodeOf = (path: string) => the(calls.find((call) => call.path === path)).planNode;
    expect(nodeOf('/v0/mission/{id}')).toBe(isLocal ? 'mission' : '');
    expect(nodeOf('/geographie/v1/commune/search')).toBe(isLocal ? 'mission.commune' : 'mission');
    expect(nodeOf('/v0/organization')).toBe(isLocal ? 'mission.organization' : '');
    expect(sources.map(({ name, state }) => [name, state])).toEqual(SERVICES.map((name) => [name, 'UP']));
    expect(requestId).toMatch(/\S/);
  });

  test('is not shown to who does not ask, and the response carries its request id all the same', async () => {
    const { trace, headers: answered } = await stack.send('{ departements { nom } }', {
      headers: { 'x-passerelle-trace': '0', 'x-request-id': 'asked-by-a-test' },
    });
    expect(trace).toBeUndefined();
    expect(answered.get('x-request-id')).toBe('asked-by-a-test');
  });
});

describe.each([
  ['off', undefined],
  ['a-secret-of-the-operator', 'a-secret-of-the-operator'],
] as const)('The trace where TRACE=%s', (setting, secret) => {
  test('is shown to nobody who does not know the secret', async () => {
    const stack = await startStack({ shape: ONE_SHAPE, sandbox: { scale: 0.02 }, env: { TRACE: setting } });
    const requested = async (value: string) =>
      (await stack.send('{ departements { nom } }', { headers: { 'x-passerelle-trace': value } })).trace;
    for (const value of ['1', 'on', 'off', 'a-secret-of-the-operatox', ''])
      expect(await requested(value)).toBeUndefined();
    if (secret !== undefined) expect((await requested(secret))?.totals.callsMade).toBe(0);
    expect(stack.log.text()).not.toContain('a-secret-of-the-operator');
    await stack.close();
  });
});
