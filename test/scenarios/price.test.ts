import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Price } from '../../kernel/price.js';
import { type PlainMission, plainMissions, the } from './samples.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

const JOINS = 'title commune { nom } organization { title }';

describe.each(USUAL_SHAPE)('The price of a query, %s', (shape) => {
  let stack: Stack;
  let unasked: PlainMission[];
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 }, env: { MAX_CALLS_PER_REQUEST: '40' } });
    unasked = plainMissions(stack.sandbox.world);
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  test('a dry run of one field says one call, and makes none', async () => {
    const { id } = the(unasked.shift());
    const { price, plan } = await dryRun(stack, `{ mission(id: "${id}") { title } }`);
    expect(price.total).toBe(1);
    expect(price.calls).toEqual([
      { service: 'volunteering', scope: 'all routes', estimated: 1, saved: 0, quotaLeft: null },
    ]);
    const field = { kind: 'Parallel', children: [{ kind: 'Field', service: 'volunteering', path: 'mission' }] };
    expect(plan).toMatchObject(shape === 'in process' ? field : { kind: 'Fetch', service: 'volunteering' });
    expect(stack.calls()).toEqual([]);
  });

  test('what is joined to a missing value is priced as declared, and what is cached costs nothing', async () => {
    const { id } = the(unasked.shift());
    const query = `{ mission(id: "${id}") { ${JOINS} } }`;
    const { price } = await dryRun(stack, query);
    expect(price.total).toBe(3);
    expect(stack.calls()).toEqual([]);

    const { trace } = await stack.send(query);
    expect(trace?.totals.callsMade).toBe(3);
    stack.forgetCalls();
    const again = await dryRun(stack, query);
    expect(again.price.total).toBe(0);
    expect(again.price.calls.map(({ saved }) => saved).reduce((a, b) => a + b)).toBe(3);
    expect(again.price.calls.find(({ service }) => service === 'volunteering')?.quotaLeft).toBeGreaterThan(0);
    expect(stack.calls()).toEqual([]);
  });

  test('certifications without a code cost one call, and none with another filter', async () => {
    const { price } = await dryRun(stack, '{ certifications(level: LEVEL_4) { totalCount } }');
    expect(price.total).toBe(1);
    expect(stack.calls()).toEqual([]);
    const { errors } = await stack.send('{ certifications(level: LEVEL_4) { nodes { identifiant { rncp } } } }');
    expect(errors).toEqual([]);
    expect(stack.calls()).toEqual(['work-study GET /api/certification/v1 operator']);
    expect((await dryRun(stack, '{ certifications(romes: ["D1106"]) { totalCount } }')).price.total).toBe(0);
  });

  test('when the list is kept, exactly the joined values that are not', async () => {
    await stack.send('{ missions(first: 12) { nodes { id } } }');
    stack.forgetCalls();
    const query = `{ missions(first: 12) { nodes { id ${JOINS} } } }`;
    const { price } = await dryRun(stack, query);
    expect(stack.calls()).toEqual([]);
    await stack.send(query);
    expect(price.total).toBe(stack.calls().length);
    expect(price.total).toBeGreaterThan(2);
  });

  test.each([
    ['missions', '{ communesByName(name: "Saint") { nom missions(first: 1) { nodes { title } } } }', 10],
    [
      'missions beside the place',
      '{ communesByName(name: "Lou") { localisation { centre { coordinates } } missions(first: 1) { totalCount } } }',
      20,
    ],
    ['courses', '{ communesByName(name: "Cha") { formations(first: 1) { nodes { id } } } }', 20],
    ['offers', '{ communesByName(name: "Bour") { jobSearch { jobs { __typename } } } }', 20],
  ])(
    '%s around communes of which only the name is known: what they need first is no call of their own',
    async (...[, query, total]) => {
      const { price } = await dryRun(stack, query);
      expect(price.total).toBe(total);
      expect(stack.calls()).toEqual([]);
      const { errors } = await stack.send(query);
      expect(errors).toEqual([]);
      expect(stack.calls().length).toBe(total);
    },
  );

  test.each([
    ['nom departement { nom } region { nom }', 0],
    ['nom exportedOffers(where: { radius: 10 }) { totalCount }', 0],
    ['nom academie { nom } localisation { centre { coordinates } }', 1],
    ['nom missions { totalCount }', 1],
    ['nom missions { totalCount } code { postaux }', 2],
  ])('a commune costs what only the services know: %s', async (selection, calls) => {
    const query = `{ commune(insee: "35238") { ${selection} } }`;
    const { price } = await dryRun(stack, query);
    expect(price.total).toBe(calls);
  });

  test('a list that may have many items, and has none, is not refused for what it never costs', async () => {
    const query = `{ missions(first: 35, city: ["Nowhere"]) { nodes { ${JOINS} } } }`;
    const { price } = await dryRun(stack, query);
    expect(price.total).toBe(71);
    const { data, errors } = await stack.send(query);
    expect([data.missions.nodes, errors]).toEqual([[], []]);
    expect(stack.calls()).toHaveLength(1);
  });

  test('what only may exceed the limit is cut off there, on the fields beyond it; asked again, the rest comes', async () => {
    const query = `{ missions(first: 45) { nodes { ${JOINS} } } }`;
    const { status, data, errors } = await stack.send(query);
    expect([status, data.missions.nodes.length]).toEqual([200, 45]);
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['COST_EXCEEDED']));
    const made = stack.calls().length;
    if (shape === 'in process') expect(made).toBe(40);
    // Each of two concurrent fetches may spend what the list left.
    else expect(made).toBeGreaterThan(38);
    expect(made).toBeLessThanOrEqual(shape === 'in process' ? 40 : 1 + 2 * 39);

    stack.forgetCalls();
    const again = await stack.send(query);
    expect(again.errors).toEqual([]);
    expect(again.data.missions.nodes.every(({ title }: { title: string | null }) => title !== null)).toBe(true);
    expect(stack.calls().length).toBeLessThanOrEqual(40);
  });

  test('headers tell both figures to whom they ask', async () => {
    const { id } = the(unasked.shift());
    const query = `{ mission(id: "${id}") { ${JOINS} } }`;
    const first = await stack.send(query, { headers: { 'x-passerelle-calls': '1' } });
    expect(callsIn(first.headers)).toEqual(['3', '3']);
    const again = await stack.send(query, { headers: { 'x-passerelle-calls': '1', 'x-passerelle-trace': '0' } });
    expect(callsIn(again.headers)).toEqual(['0', '0']);
  });

  test('a dry run of a write sends nothing', async () => {
    const write = 'mutation { generateAppointmentLink(input: { onisepId: "1" }) { __typename } }';
    expect((await dryRun(stack, write)).price.total, 'refused without a key').toBe(0);
    const headers = { 'x-work-study-key': stack.sandbox.keys.workStudy.alice };
    expect((await dryRun(stack, write, headers)).price.total).toBe(1);
    expect(stack.calls()).toEqual([]);
  });

  test('a dry run by HEAD is one by GET: a write is refused', async () => {
    const search = new URLSearchParams({ query: 'mutation { __typename }' });
    const statusOf = async (method: string) => {
      const headers = { 'x-passerelle-dry-run': '1' };
      return (await fetch(`${stack.url}/graphql?${search}`, { method, headers })).status;
    };
    expect([await statusOf('GET'), await statusOf('HEAD')]).toEqual([405, 405]);
  });

  test('what costs most is named by its place and its route, or by the field of which only the most is known', async () => {
    const { id } = the(unasked.shift());
    const { price } = await dryRun(stack, `{ mission(id: "${id}") { ${JOINS} } }`);
    const { dearest } = price as unknown as { dearest: { cause: string }[] };
    expect(dearest.map(({ cause }) => cause).toSorted()).toEqual([
      ...[shape === 'in process' ? 'mission GET /v0/mission/{id}' : 'GET /v0/mission/{id}'],
      'mission.commune',
      'mission.organization',
    ]);
  });

  test('a value that is no dry run is refused, and nothing is run', async () => {
    for (const trace of ['none', '1']) {
      const headers = { 'x-passerelle-trace': trace, 'x-passerelle-dry-run': 'false' };
      const { status, errors } = await stack.send('{ __typename }', { headers });
      expect([status, errors[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    }
  });

  test('an operation that cannot run says so in a dry run too', async () => {
    const { status, errors } = await stack.send('{ nothing }', { headers: { 'x-passerelle-dry-run': '1' } });
    expect([status, errors[0]?.extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
  });
});

function callsIn(headers: Headers): (string | null)[] {
  return ['estimated', 'made'].map((kind) => headers.get(`x-passerelle-calls-${kind}`));
}

async function dryRun(stack: Stack, query: string, more: Record<string, string> = {}) {
  const headers = { 'x-passerelle-dry-run': '1', ...more };
  const { data, trace, errors } = await stack.send(query, { headers });
  expect(errors).toEqual([]);
  expect(data).toBeNull();
  return trace as unknown as { price: Price; plan: unknown };
}
