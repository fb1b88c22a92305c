import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { POLLING } from '../polling.js';
import { the } from './samples.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

const EMPTY = '{ missions(first: 5) { nodes { id } totalCount complete completeUnknown } }';
const ASK = expect.stringMatching(/^it shows the operator's key no mission at all: ask the service for rules/);

describe.each(USUAL_SHAPE)('A key of volunteering that has no rules yet, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => {
    stack.sandbox.volunteering.keysWithoutRules = [];
    stack.forgetCalls();
  });
  afterAll(() => stack.close());

  const volunteering = async () => {
    const { data } = await stack.send('{ sources { name state detail } }');
    const { name: _, ...status } = the(data.sources.find(({ name }: { name: string }) => name === 'volunteering'));
    return status;
  };
  const nothing = { nodes: [], totalCount: 0, complete: null, completeUnknown: 'KEY_SEES_NOTHING' };

  test('of a caller sees nothing, which the answer says, and not the source', async () => {
    const headers = { 'x-volunteering-key': stack.sandbox.keys.volunteering.bob };
    stack.sandbox.volunteering.keysWithoutRules = ['bob'];
    const search = `search: missionSearch(first: 5) { totalCount complete completeUnknown }
      domains: missionCounts(by: DOMAIN) { total complete } activities: missionCounts(by: ACTIVITY) { total complete }`;
    const { data, errors } = await stack.send(`${EMPTY.slice(0, -1)} ${search} }`, { headers });
    expect(errors).toEqual([]);
    expect(data).toEqual({
      missions: nothing,
      search: { totalCount: 0, complete: null, completeUnknown: 'KEY_SEES_NOTHING' },
      domains: { total: 0, complete: false },
      activities: { total: 0, complete: false },
    });
    expect(stack.calls()).toEqual([
      'volunteering GET /v0/mission/search?size=1&limit=1 bob',
      'volunteering GET /v0/mission/search?size=1000&limit=1000 bob',
      'volunteering GET /v0/mission/search?size=5&limit=5 bob',
      'volunteering GET /v0/mission?limit=5 bob',
    ]);
    expect(await volunteering()).toEqual({ state: 'UP', detail: null });
  });

  test('of the operator is a detail of the source, until rows come', async () => {
    stack.sandbox.volunteering.keysWithoutRules = ['operator'];
    expect((await stack.send(EMPTY)).data.missions).toEqual(nothing);
    expect(await volunteering()).toEqual({ state: 'DEGRADED', detail: ASK });
    stack.sandbox.volunteering.keysWithoutRules = [];
    const filtered = '{ missions(first: 5, domain: ["environnement"]) { nodes { id } completeUnknown } }';
    expect((await stack.send(filtered)).data.missions.nodes.length).toBeGreaterThan(0);
    expect(await volunteering()).toEqual({ state: 'UP', detail: null });
    expect(stack.calls()).toEqual([
      'volunteering GET /v0/mission?domain=environnement&limit=5 operator',
      'volunteering GET /v0/mission?limit=5 operator',
    ]);
  });

  test('is not what an empty list with a filter says: that list is complete', async () => {
    const query = `{ missions(first: 5, domain: ["no-such-domain"]) { totalCount complete completeUnknown }
      missionCounts(by: TYPE, domain: ["no-such-domain"]) { total complete } }`;
    const { data } = await stack.send(query);
    expect(data.missions).toEqual({ totalCount: 0, complete: true, completeUnknown: null });
    expect(data.missionCounts).toEqual({ total: 0, complete: true });
    expect(await volunteering()).toEqual({ state: 'UP', detail: null });
    expect(stack.calls()).toEqual([
      'volunteering GET /v0/mission/search?domain=no-such-domain&size=1000&limit=1000 operator',
      'volunteering GET /v0/mission?domain=no-such-domain&limit=5 operator',
    ]);
  });

  test('of the operator is told by /readyz too', async () => {
    stack.sandbox.volunteering.keysWithoutRules = ['operator'];
    await stack.send(EMPTY.replace('5', '6'));
    // A gateway apart asks its subgraphs once a second.
    await vi.waitFor(async () => {
      const ready = (await (await fetch(`${stack.url}/readyz`)).json()) as { sources: object[] };
      expect(ready.sources).toContainEqual(expect.objectContaining({ name: 'volunteering', detail: ASK }));
    }, POLLING);
  });
});
