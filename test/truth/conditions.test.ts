import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainMissions, the } from '../scenarios/samples.js';
import { type Stack, startStack, USUAL_SHAPE } from '../scenarios/stack.js';
import { post } from './support/post.js';

/** A query in which a join is skipped, and the same query without that join. */
const SKIPPED_JOINS: readonly (readonly [query: string, plain: string])[] = [
  [
    '{ organization(rna: "RNA") { commune { nom } workplaces @include(if: false) { name } } }',
    '{ organization(rna: "RNA") { commune { nom } } }',
  ],
  [
    'query ($no: Boolean = false) { organization(rna: "RNA") { commune { nom } workplaces @include(if: $no) { name } } }',
    '{ organization(rna: "RNA") { commune { nom } } }',
  ],
  [
    'query ($no: Boolean = false) { organization(rna: "RNA") { commune { nom } ...Of @include(if: $no) } } fragment Of on Organization { workplaces { name } }',
    '{ organization(rna: "RNA") { commune { nom } } }',
  ],
  [
    '{ organization(rna: "RNA") { workplaces { name } ... @skip(if: true) { commune { nom } } } }',
    '{ organization(rna: "RNA") { workplaces { name } } }',
  ],
  [
    '{ mission(id: "ID") { organization { commune { nom } workplaces @skip(if: true) { commune { id } } } } }',
    '{ mission(id: "ID") { organization { commune { nom } } } }',
  ],
  [
    '{ mission(id: "ID") { commune { nom } organization @skip(if: true) { commune { nom } } communeMatch { method } } }',
    '{ mission(id: "ID") { commune { nom } communeMatch { method } } }',
  ],
  [
    '{ missions(first: 3) { nodes { organization { commune { nom } workplaces @include(if: false) { name } } } } }',
    '{ missions(first: 3) { nodes { organization { commune { nom } } } } }',
  ],
];

/** Fields of objects, a selection, and what they are when all of it is skipped. */
const EMPTIED: readonly (readonly [field: string, selection: string, empty: unknown])[] = [
  ['mission(id: "ID")', 'title', {}],
  ['mission(id: "ID")', 'commune { nom }', {}],
  ['organization(rna: "RNA")', 'title', {}],
  ['organization(rna: "RNA")', 'workplaces { name }', {}],
  ['commune(insee: "INSEE")', 'nom', {}],
  ['commune(insee: "INSEE")', 'missions(first: 1) { totalCount }', {}],
  ['missions(first: 2)', 'totalCount', {}],
  ['communes(code: "29200")', 'nom', [{}, {}]],
  ['sources', 'name', [{}, {}, {}]],
  ['sources', '... on WorkStudySource { exportLoadedAt }', [{}, {}, {}]],
];

/** Ways to skip all of a selection by the flag `s`. */
const SKIPPING: readonly ((selection: string) => string)[] = [
  (selection) => `... @skip(if: $s) { ${selection} }`,
  (selection) => `... @include(if: $yes) { ... @skip(if: $s) { ${selection} } }`,
];

describe.each(USUAL_SHAPE)('Conditions, %s', (shape) => {
  let stack: Stack;
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
    // Responses are compared, each of which has fetched the missions for itself.
    stack.sandbox.volunteering.order = 'stable';
    const { id, rna, insee } = the(plainMissions(stack.sandbox.world)[0]);
    ids = { ID: id, RNA: rna, INSEE: insee };
  });
  afterAll(() => stack.close());

  /** The data of the first and of the third response to a query without errors. */
  async function dataOf(text: string, variables: object = {}) {
    const query = text.replace(/"(ID|RNA|INSEE)"/g, (_all, name: string) => `"${ids[name]}"`);
    const [first, , third] = [await send(), await send(), await send()];
    expect([first.errors, third.errors], query).toEqual([[], []]);
    return { query, first: first.data, third: third.data };

    function send() {
      return post(stack.url, { query, variables });
    }
  }

  async function expectData(text: string, variables: object, data: unknown) {
    const { query, first, third } = await dataOf(text, variables);
    expect(first, `first response to ${query} with ${JSON.stringify(variables)}`).toEqual(data);
    expect(third, `third response to ${query} with ${JSON.stringify(variables)}`).toEqual(data);
  }

  test.each(SKIPPED_JOINS)('that skip a join leave the others as they are: %s', async (query, plain) => {
    const { first } = await dataOf(plain);
    expect(JSON.stringify(first)).not.toContain('null');
    await expectData(query, {}, first);
  });

  test.each(EMPTIED)(
    'that skip all fields of an object leave it empty, not null: %s { %s }',
    async (field, selection, empty) => {
      const { found } = (await dataOf(`{ found: ${field} { ${selection} } }`)).first;
      for (const skipping of SKIPPING) {
        const query = `query ($a: Boolean!, $s: Boolean!, $yes: Boolean = true) {
        found: ${field} @skip(if: $a) { ${skipping(selection)} } used: __typename @include(if: $yes) }`;
        await expectData(query, { a: false, s: true }, { found: empty, used: 'Query' });
        await expectData(query, { a: true, s: true }, { used: 'Query' });
        await expectData(query, { a: true, s: false }, { used: 'Query' });
        await expectData(query, { a: false, s: false }, { found, used: 'Query' });
      }
    },
  );

  test('that skip all fields of an object that is not there leave it null', async () => {
    const query = 'query ($s: Boolean!) { mission(id: "unknown") { title @skip(if: $s) } }';
    for (const s of [true, false]) await expectData(query, { s }, { mission: null });
  });

  test('that skip a field on one of its places keep what other places select of it', async () => {
    const query = `query ($s: Boolean!) {
      mission(id: "ID") { id @skip(if: $s) ... { id @include(if: $s) } commune @skip(if: $s) { nom } ...Of }
    } fragment Of on Mission { commune { code { insee } } }`;
    const code = { insee: ids['INSEE'] };
    await expectData(query, { s: true }, { mission: { id: ids['ID'], commune: { code } } });
    await expectData(query, { s: false }, { mission: { id: ids['ID'], commune: { nom: expect.any(String), code } } });
  });

  test('that skip a field keep its errors out of the response', async () => {
    stack.forgetCalls();
    const query =
      'query ($s: Boolean!) { mission(id: "ID") { title commune { formations(radius: -5, first: 1) @skip(if: $s) { totalCount } } } }';
    await expectData(query, { s: true }, { mission: { title: expect.any(String), commune: {} } });
    expect(stack.calls().filter((line) => line.includes('formation'))).toEqual([]);
  });

  test('that skip all fields of an object keep the error of the object itself', async () => {
    const query = 'query ($s: Boolean!) { commune(insee: "wrong") { nom @skip(if: $s) } }';
    const { data, errors } = await post(stack.url, { query, variables: { s: true } });
    expect(data).toEqual({ commune: null });
    expect(errors).toMatchObject([{ path: ['commune'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
