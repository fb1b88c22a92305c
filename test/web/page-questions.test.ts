import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExampleSearch, type ExampleSearch } from '../../analyst/page/examples/search-examples.js';
import { readExamples } from '../../gateway/pages/home.js';
import { exportSettled, ONE_SHAPE, type Stack, startStack } from '../scenarios/stack.js';

const COMMUNES =
  'query ($name: String!) { communesByName(name: $name, first: 8) { nom code { insee } departement { codeInsee } } }';

interface Found {
  readonly nom: string;
  readonly code: { readonly insee: string };
  readonly departement: { readonly codeInsee: string };
}

let stack: Stack;
let search: ExampleSearch;
beforeAll(async () => {
  stack = await startStack({ shape: ONE_SHAPE });
  await exportSettled(stack.log);
  search = await createExampleSearch(await readExamples(), async (name) => {
    const { data } = await stack.send(COMMUNES, { variables: { name } });
    return data.communesByName.map(({ nom, code, departement }: Found) => ({
      code: code.insee,
      label: nom,
      note: departement.codeInsee,
    }));
  });
});
afterAll(() => stack.close());

/** The answer to the question that the page offers first for a text. */
async function answered(text: string) {
  const { found } = await search(text, new AbortController().signal);
  const [first] = found;
  if (first === undefined) throw new Error(`Nothing was found for ${text}.`);
  const { data, errors } = await stack.send(first.example.query, { variables: { ...first.variables } });
  expect(errors).toEqual([]);
  return { name: first.example.name, leftOut: first.leftOut, data };
}

test('A question about all offers in Guadeloupe has all of them, and not those of the example’s trade', async () => {
  const { name, leftOut, data } = await answered('All offers in Guadeloupe');
  expect([name, leftOut]).toEqual(['all-offers-of-a-trade', []]);
  const { data: all } = await stack.send('{ exportedOffers(department: ["971"]) { totalCount } }');
  expect([data.exportedOffers.totalCount, all.exportedOffers.totalCount]).toEqual([16, 16]);
});

test('A question about missions in Bordeaux has all around it, and not those of the example’s domain', async () => {
  const { leftOut, data } = await answered('missions in Bordeaux');
  const { data: all } = await stack.send('{ commune(insee: "33063") { missions(first: 100) { totalCount } } }');
  expect(leftOut).toEqual([]);
  expect([data.commune.missions.totalCount, all.commune.missions.totalCount]).toEqual([56, 56]);
});
