import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from '../scenarios/stack.js';
import { post } from './support/post.js';

/** Publishes an offer whose title has this number, by which its call is recognized. */
const offer = (number: number, alias = `m${number}`) => `${alias}: createJobOffer(input: {
  workplace: { siret: "13002526500013" }, apply: { email: "mail@example.fr" },
  offer: { title: "Offre ${number}", description: "Trente caractères, pas un de moins." } }) { offerId userErrors { field } }`;

/** Selections of the root, the rest of the document, and the order in which the fields must be executed. */
const DOCUMENTS: readonly (readonly [what: string, selections: string, rest: string, order: readonly number[]])[] = [
  ['fields', `${offer(1)} ${offer(2)} ${offer(3)}`, '', [1, 2, 3]],
  ['a named fragment after a field', `${offer(1)} ...F`, `fragment F on Mutation { ${offer(2)} }`, [1, 2]],
  ['a named fragment before a field', `...F ${offer(2)}`, `fragment F on Mutation { ${offer(1)} }`, [1, 2]],
  [
    'a named fragment between fields',
    `${offer(1)} ...F ${offer(3)}`,
    `fragment F on Mutation { ${offer(2)} }`,
    [1, 2, 3],
  ],
  [
    'two named fragments, defined in another order than spread',
    `...G ${offer(2)} ...F`,
    `fragment F on Mutation { ${offer(3)} } fragment G on Mutation { ${offer(1)} }`,
    [1, 2, 3],
  ],
  [
    'a named fragment in a named fragment',
    `${offer(1)} ...F ${offer(5)}`,
    `fragment F on Mutation { ${offer(2)} ...G ${offer(4)} } fragment G on Mutation { ${offer(3)} }`,
    [1, 2, 3, 4, 5],
  ],
  ['inline fragments', `${offer(1)} ... on Mutation { ${offer(2)} } ... { ${offer(3)} } ${offer(4)}`, '', [1, 2, 3, 4]],
  [
    'a named fragment in an inline fragment',
    `${offer(1)} ... { ...F } ${offer(3)}`,
    `fragment F on Mutation { ${offer(2)} }`,
    [1, 2, 3],
  ],
  [
    'fields that a fragment repeats, which are executed once, at their first place',
    `${offer(1)} ...F ${offer(2)}`,
    `fragment F on Mutation { ${offer(2)} ${offer(1)} }`,
    [1, 2],
  ],
  [
    'skipped fields and fragments between others',
    `${offer(1)} ...F @skip(if: true) ${offer(3)} ... @include(if: false) { ${offer(4)} } ${offer(5)}`,
    `fragment F on Mutation { ${offer(2)} }`,
    [1, 3, 5],
  ],
  ['aliases that sort the other way', `${offer(1, 'z')} ${offer(2, 'y')} ${offer(3, 'a')}`, '', [1, 2, 3]],
];

describe.each(USUAL_SHAPE)('Mutations, %s', (shape) => {
  let stack: Stack;
  let tests = 0;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
    // Responses are compared, each of which has fetched the missions for itself.
    stack.sandbox.volunteering.order = 'stable';
  });
  beforeEach(() => {
    stack.sandbox.workStudy.reset();
    tests += 1;
  });
  afterAll(() => stack.close());

  /** Numbers of the offers in the order in which their calls arrived. */
  const arrived = () =>
    stack.sandbox.workStudy.calls.map(({ body }) => {
      const { title } = (body as { readonly offer: { readonly title: string } }).offer;
      return Number(title.replace('Offre ', ''));
    });

  function send(selections: string, rest = '') {
    const { alice, operator } = stack.sandbox.keys.workStudy;
    // Both take turns: the quota of one would not be enough for all of them.
    const headers = { 'x-work-study-key': tests % 2 === 0 ? alice : operator };
    return post(stack.url, { query: `mutation { ${selections} } ${rest}` }, headers);
  }

  test.each(DOCUMENTS)(
    'are executed one after another, in the order of the document: %s',
    async (_what, selections, rest, order) => {
      // Whoever does not wait for the first overtakes it.
      stack.sandbox.workStudy.fault({ kind: 'latency', ms: 50, method: 'POST', times: 1 });
      const { data, errors } = await send(selections, rest);
      expect(errors).toEqual([]);
      expect(arrived()).toEqual(order);
      expect(Object.values(data)).toHaveLength(order.length);
    },
  );

  test('go on after one that failed', async () => {
    const { data, errors } = await send(`${offer(1).replace('13002526500013', 'wrong')} ${offer(2)}`);
    expect(arrived()).toEqual([2]);
    expect(data.m1).toEqual({ offerId: null, userErrors: [{ field: ['input', 'workplace', 'siret'] }] });
    expect(data.m2).toEqual({ offerId: expect.any(String), userErrors: [] });
    expect(errors).toEqual([]);
  });

  test('are not executed at all if one field is not valid', async () => {
    expect((await send(`${offer(1)} nothing`)).status).toBe(400);
    expect(arrived()).toEqual([]);
  });

  test('have `__typename` at any place', async () => {
    const { data } = await send(`__typename ${offer(1)} last: __typename`);
    expect(Object.entries(data)).toMatchObject([
      ['__typename', 'Mutation'],
      ['m1', {}],
      ['last', 'Mutation'],
    ]);
  });
});
