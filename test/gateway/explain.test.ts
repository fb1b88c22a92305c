import { composeServices } from '@apollo/composition';
import { buildSchema, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { explainDirect, mistakesIn } from '../../gateway/execution/direct/explain.js';
import { mapSupergraph } from '../../schema/supergraph-map.js';
import { SERVICES } from '../../schema/services.js';
import { SUPERGRAPH } from './support/open-gateway.js';
import { createTestSubgraph, testSubgraphs } from './support/test-graph.js';

/** Guards the explanation of an operation by its compiled steps. */

const resolvers = { Query: { missions: () => [] }, Mission: { commune: () => null } };
const graph = {
  map: mapSupergraph(SUPERGRAPH),
  subgraphs: new Map(
    SERVICES.map((name) => [
      name,
      createTestSubgraph(name, name === 'volunteering' ? { Query: resolvers.Query } : { Mission: resolvers.Mission }),
    ]),
  ),
};

function apiSchema() {
  const composed = composeServices(testSubgraphs());
  if (composed.errors !== undefined) throw new Error('The test graph does not compose.');
  return buildSchema(printSchema(composed.schema.toAPISchema().toGraphQLJSSchema()));
}

test('an operation is explained by its compiled steps, each at its place', () => {
  expect(explainDirect('{ missions { title commune { nom } } }', graph, apiSchema())).toEqual([
    'joined text  (root)',
    'resolver     missions, volunteering',
    'joined text  missions, volunteering',
    'join         missions.commune, work-study',
    'resolver     missions.commune, work-study',
    'text         missions.commune, work-study',
  ]);
});

test('what is not compiled is explained by its reason', () => {
  expect(explainDirect('{ sources { name } }', graph, apiSchema())).toEqual([
    'Only the general way can execute it: Source stands for several types.',
  ]);
});

test.each([
  ['', ['Syntax Error: Unexpected <EOF>.']],
  ['{ nope missions { none } }', ['Cannot query field "nope" on type "Query".', expect.stringContaining('"none"')]],
  ['query A { missions { title } } query B { missions { title } }', ['Several operations, or none: give one.']],
  ['{ missions { title } }', []],
])('what is wrong with a text that is not one operation is said, not thrown: %j', (text, mistakes) => {
  expect(mistakesIn(text, apiSchema())).toEqual(mistakes);
});
