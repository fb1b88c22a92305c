import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { plainMissions, the } from '../scenarios/samples.js';
import { type Stack, startStack, USUAL_SHAPE } from '../scenarios/stack.js';
import { type Posted, post } from './support/post.js';

const OFFER = {
  workplace: { siret: '13002526500013' },
  apply: { email: 'mail@example.fr' },
  offer: { title: 'Web', description: 'Trente caractères, pas un de moins.' },
};
const CREATE = 'mutation ($input: JobOfferInput!) { createJobOffer(input: $input) { offerId } }';

describe.each(USUAL_SHAPE)('An execution, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
    // Responses are compared, each of which has fetched the missions for itself.
    stack.sandbox.volunteering.order = 'stable';
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  const send = (query: string, variables: object = {}) => post(stack.url, { query, variables });
  const placesOf = ({ errors }: Posted) => errors.map(({ path, extensions }) => [extensions.code, path]);

  describe('with a value that is null where none may be', () => {
    const wrong = (path: readonly (string | number)[]) => ['UPSTREAM_INVALID_RESPONSE', path];
    // Every second row of a list has no identifier.
    const spoil = (body: unknown) => {
      for (const [at, row] of (body as { data: Record<string, unknown>[] }).data.entries()) {
        if (at % 2 === 1) Object.assign(row, { _id: {}, id: {} });
      }
      return body;
    };
    let heal = () => {};
    beforeAll(() => {
      heal = stack.sandbox.volunteering.fault({ kind: 'wrong-type', path: '/v0/mission', change: spoil });
    });
    afterAll(() => heal());

    test.each(['first', 'second', 'third'])('nulls the object around it, an item of a list: %s response', async () => {
      const response = await send('{ missions(first: 3) { nodes { id title } } }');
      const { nodes } = response.data.missions;
      const object = { id: expect.any(String), title: expect.any(String) };
      expect(nodes).toEqual([object, null, object]);
      expect(placesOf(response)).toEqual([wrong(['missions', 'nodes', 1, 'id'])]);
    });

    test('keeps what stands beside that object, and tells the path by the keys of the query', async () => {
      const response = await send('{ here: missions(first: 2) { edges { cursor there: node { title that: id } } } }');
      const cursor = expect.any(String);
      expect(response.data.here.edges).toEqual([
        { cursor, there: { title: expect.any(String), that: expect.any(String) } },
        { cursor, there: null },
      ]);
      expect(placesOf(response)).toEqual([wrong(['here', 'edges', 1, 'there', 'that'])]);
    });

    test('keeps the object itself if nobody selects the value', async () => {
      const response = await send('{ missions(first: 2) { nodes { title } } }');
      expect(response.data.missions.nodes).toEqual([{ title: expect.any(String) }, { title: expect.any(String) }]);
      expect(placesOf(response)).toEqual([]);
    });

    test('tells each of several paths once', async () => {
      const response = await send('{ missions(first: 4) { nodes { id } ... on MissionConnection { nodes { id } } } }');
      expect(placesOf(response)).toEqual([
        wrong(['missions', 'nodes', 1, 'id']),
        wrong(['missions', 'nodes', 3, 'id']),
      ]);
    });
  });

  test('makes the calls of root fields at the same time', async () => {
    const [one, other] = plainMissions(stack.sandbox.world).map(({ id }) => id);
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    stack.sandbox.volunteering.fault({ kind: 'latency', until, path: '/v0/mission/', times: 2 });
    const response = send(`{ one: mission(id: "${one}") { id } other: mission(id: "${other}") { id } }`);
    // Neither is answered before both have arrived.
    await Promise.all([one, other].map((id) => stack.sandbox.volunteering.seen(({ url }) => url.endsWith(the(id)))));
    release();
    expect((await response).data).toEqual({ one: { id: one }, other: { id: other } });
  });

  test.each([
    ['a text', '"a"'],
    ['a list', '[1]'],
    ['a number', '1'],
    ['a flag', 'true'],
  ])('does not begin with variables that are %s', async (_what, variables) => {
    const headers = { 'content-type': 'application/json' };
    const body = `{ "query": "{ __typename }", "variables": ${variables} }`;
    const response = await fetch(`${stack.url}/graphql`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
  });

  test('does not begin with wrong variables, and tells all of them', async () => {
    const query =
      'query ($a: Int, $b: Boolean!, $c: ID!) { missions(first: $a) { nodes { id @skip(if: $b) } } mission(id: $c) { id } }';
    const { status, data, errors } = await send(query, { a: 'x', c: null });
    expect([status, data]).toEqual([400, undefined]);
    const names = errors.map(({ message }) => /"\$(\w)"/.exec(message)?.[1]);
    expect(names).toEqual(['a', 'b', 'c']);
    expect(stack.calls()).toEqual([]);
  });

  test.each<[what: string, input: unknown, place: string]>([
    ['a missing field', { ...OFFER, apply: undefined }, '"apply"'],
    ['a field that is null', { ...OFFER, offer: null }, '"input.offer"'],
    ['a field of another type', { ...OFFER, offer: { ...OFFER.offer, title: 1 } }, '"input.offer.title"'],
    ['an unknown field', { ...OFFER, offer: { ...OFFER.offer, titel: 'a' } }, '"titel"'],
    [
      'a wrong item of a list',
      { ...OFFER, offer: { ...OFFER.offer, desiredSkills: ['a', 1] } },
      '"input.offer.desiredSkills[1]"',
    ],
    ['a list for an object', [OFFER, OFFER], '"$input"'],
  ])('does not begin with an input object that has %s, and tells where', async (_what, input, place) => {
    const { status, data, errors } = await send(CREATE, { input });
    expect([status, data]).toEqual([400, undefined]);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    expect(errors[0]?.message).toContain(place);
    expect(stack.calls()).toEqual([]);
  });

  test('does not begin with a document that is not valid, and tells each place', async () => {
    const { status, data, errors } = await send('{\n  nothing\n  sources { name\n    neither }\n}');
    expect([status, data]).toEqual([400, undefined]);
    expect(errors.map(({ locations }) => locations)).toEqual([[{ line: 2, column: 3 }], [{ line: 4, column: 5 }]]);
    const [broken] = (await send('{\n  sources {')).errors;
    expect(broken).toMatchObject({ locations: [{ line: 2, column: 12 }] });
  });
});
