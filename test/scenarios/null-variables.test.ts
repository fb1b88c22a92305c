import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

const COMMUNE = 'INSEECode!';

/** Operations whose `$v` may be null by its own type, but not where it is used: the text, and the type there. */
const READING: Readonly<Record<string, readonly [query: string, place: string]>> = {
  'an argument': ['query($v: INSEECode = "38185") { commune(insee: $v) { nom } }', COMMUNE],
  'an argument beside the schema': [
    'query($v: INSEECode = "38185") { commune(insee: $v) { nom } __type(name: "Commune") { name } }',
    COMMUNE,
  ],
  'an argument of the schema': [
    'query($v: String = "Commune") { commune(insee: "38185") { nom } __type(name: $v) { name } }',
    'String!',
  ],
  'an argument in a fragment of a fragment': [
    `query($v: INSEECode = "38185") { ...One } fragment One on Query { ...Other }
      fragment Other on Query { commune(insee: $v) { nom } }`,
    COMMUNE,
  ],
  'an item of a list': [
    'query($v: ROMECode = "D1102") { jobSearch(romes: ["M1602", $v]) { jobs { id } } }',
    'ROMECode!',
  ],
};

const PUBLISHING = `mutation($v: String = "Boulanger") { createJobOffer(input: {
    workplace: { siret: "13002526500013" }, apply: { email: "a@b.fr" },
    offer: { title: $v, description: "An occupation that is described at length." }
  }) { offerId } }`;
const TITLE = 'String!';

describe.each(USUAL_SHAPE)('Variables that are null where no null may stand, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  type Send = (query: string, variables: object) => Promise<Response>;

  const post: Send = (query, variables) =>
    fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
  const get: Send = (query, variables) =>
    fetch(`${stack.url}/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`);

  async function refusal(response: Response) {
    const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] };
    return [response.status, errors.map(({ message, extensions }) => `${extensions.code} ${message}`)];
  }

  const said = (place: string) => [400, [`BAD_USER_INPUT Variable "$v" must not be null: it is used as "${place}".`]];

  test.each(Object.keys(READING))('are refused before any call, in %s', async (name) => {
    const [query, place] = READING[name] ?? ['', ''];
    for (const send of [post, get, post, get]) {
      expect(await refusal(await send(query, { v: null }))).toEqual(said(place));
    }
    expect(stack.calls()).toEqual([]);
  });

  test('are refused before any call, in a field of an input object', async () => {
    expect(await refusal(await post(PUBLISHING, { v: null }))).toEqual(said(TITLE));
    expect(stack.calls()).toEqual([]);
  });

  test.each(Object.keys(READING))('have their default value where they are not sent, in %s', async (name) => {
    const [query, place] = READING[name] ?? ['', ''];
    const send = async (variables: object) => {
      const { data, errors } = (await (await post(query, variables)).json()) as { data: object; errors?: unknown };
      expect(errors).toBeUndefined();
      return data;
    };
    const first = await send({});
    for (const _time of [1, 2, 3]) expect(await send({})).toEqual(first);
    // A null is refused even when the operation itself is answered from the cache.
    stack.forgetCalls();
    expect(await refusal(await post(query, { v: null }))).toEqual(said(place));
    expect(stack.calls()).toEqual([]);
  });

  test('are left out where null may stand, as in an operation of another name', async () => {
    const query = `query One($v: INSEECode = "38185") { commune(insee: $v) { nom } }
      query Other($v: String = "75056", $after: String) { missions(first: 1, keywords: $v, after: $after) { nodes { id } } }`;
    const response = await fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { v: null, after: null }, operationName: 'Other' }),
    });
    const { data, errors } = (await response.json()) as { data: { missions: { nodes: unknown[] } }; errors?: unknown };
    expect([errors, data.missions.nodes.length]).toEqual([undefined, 1]);
  });
});
