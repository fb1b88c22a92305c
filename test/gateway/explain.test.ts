import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { makeExecutable } from '../../gateway/graph/executable-schema.js';
import { SERVICES } from '../../kernel/services.js';
import { mapSupergraph } from '../../kernel/supergraph.js';
import { explainOperation, mistakesIn } from '../../scripts/docs/explain-operation.js';
import { GRAPH } from './support/open-gateway.js';
import { createTestSubgraph } from './support/test-graph.js';

/** Guards the explanation of an operation by the fields that may make calls. */

const resolvers = {
  Query: { missions: { price: { scope: 'all routes' }, resolve: () => [] } },
  Mission: { commune: () => null },
};

function schema() {
  const subgraphs = new Map(
    SERVICES.map((name) => [
      name,
      createTestSubgraph(name, name === 'volunteering' ? { Query: resolvers.Query } : { Mission: resolvers.Mission }),
    ]),
  );
  return makeExecutable(buildSchema(GRAPH.api), { map: mapSupergraph(GRAPH.supergraph), subgraphs });
}

test('explains an operation by the fields that may make calls', () => {
  expect(explainOperation('{ missions { title commune { nom } } }', schema())).toEqual([
    'Parallel',
    '  Field missions volunteering',
    '    Join missions.@.commune work-study',
  ]);
});

test.each([
  ['', ['Syntax Error: Unexpected <EOF>.']],
  ['{ nope missions { none } }', ['Cannot query field "nope" on type "Query".', expect.stringContaining('"none"')]],
  ['query A { missions { title } } query B { missions { title } }', ['Several operations, or none: give one.']],
  ['{ missions { title } }', []],
])('says what is wrong with a text that is not one operation: %j', (text, mistakes) => {
  expect(mistakesIn(text, schema())).toEqual(mistakes);
});
