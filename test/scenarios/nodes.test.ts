import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { plainMissions, the } from './samples.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

describe.each(USUAL_SHAPE)('Objects by their ids alone, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  const KINDS = `__typename id
    ... on Commune { nom departement { nom } missions(first: 1) { totalCount } }
    ... on Epci { name: nom }
    ... on Occupation { label }
    ... on Mission { title commune { nom } }`;

  test('are found by the id that any list gave', async () => {
    const mission = the(plainMissions(stack.sandbox.world)[0]);
    const { data, errors } = await stack.send(
      `{ nodes(ids: ["Commune:35238", "Epci:243500139", "${mission.id}", "Occupation:D1102"]) { ${KINDS} } }`,
    );
    expect(errors).toEqual([]);
    expect(data.nodes).toEqual([
      {
        __typename: 'Commune',
        id: 'Commune:35238',
        nom: 'Rennes',
        departement: { nom: 'Ille-et-Vilaine' },
        missions: { totalCount: expect.any(Number) },
      },
      { __typename: 'Epci', id: 'Epci:243500139', name: 'Rennes Métropole' },
      { __typename: 'Mission', id: mission.id, title: expect.any(String), commune: { nom: expect.any(String) } },
      { __typename: 'Occupation', id: 'Occupation:D1102', label: expect.stringContaining('Boulanger') },
    ]);
  });

  test('count towards the items of nested pages, and no call is made beyond them', async () => {
    const ids = Array.from({ length: 11 }, (_, place) => `Commune:${35238 + place}`);
    const { errors } = await stack.send(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Commune { missions(first: 1000) { nodes { id } } } } }',
      { variables: { ids } },
    );
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining('10000'),
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(stack.calls()).toEqual([]);
  });

  test('cost a call for a mission and none for a place or an occupation', async () => {
    const mission = the(plainMissions(stack.sandbox.world)[1]);
    await stack.send('{ node(id: "Commune:35238") { id ... on Commune { nom code { insee } } } }');
    await stack.send('{ node(id: "Occupation:D1102") { id ... on Occupation { label } } }');
    expect(stack.calls()).toEqual([]);
    await stack.send(`{ node(id: "${mission.id}") { id ... on Mission { title city } } }`);
    expect(stack.calls()).toEqual([`volunteering GET /v0/mission/${mission.id} operator`]);
  });

  test('are null without an error if there is none', async () => {
    const ids = ['Commune:00000', 'Commune:75108', 'Epci:000000000', 'Occupation:Z9999', 'no-such-mission'];
    const { data, errors } = await stack.send(
      `{ nodes(ids: ${JSON.stringify(ids)}) { ${KINDS} } node(id: "Epci:1") { id } }`,
    );
    expect([data, errors]).toEqual([{ nodes: ids.map(() => null), node: null }, []]);
    expect(stack.calls()).toEqual(['volunteering GET /v0/mission/no-such-mission operator']);
  });

  test('are refused for types that need more than their id', async () => {
    const { data, errors } = await stack.send('{ nodes(ids: ["Epci:243500139", "Departement:84"]) { id } }');
    expect(data).toEqual({ nodes: null });
    expect(errors).toMatchObject([{ path: ['nodes'], extensions: { code: 'BAD_USER_INPUT', argument: ['ids', 1] } }]);
  });
});
