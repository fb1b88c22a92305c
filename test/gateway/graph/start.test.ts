import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { makeExecutable } from '../../../gateway/graph/executable-schema.js';
import { SERVICES, type ServiceName } from '../../../kernel/services.js';
import { mapSupergraph } from '../../../kernel/supergraph.js';
import { GRAPH, openGateway } from '../support/open-gateway.js';
import { createTestSubgraph, type Resolvers } from '../support/test-graph.js';

/** Guards that a graph which one schema in one process would answer wrong does not start. */

const IMPURE = { resolve: (_parent: unknown, _args: unknown, context: unknown) => String(context) };

function start(resolvers: Partial<Record<ServiceName, Resolvers>>, names: readonly ServiceName[] = SERVICES) {
  const subgraphs = new Map(names.map((name) => [name, createTestSubgraph(name, resolvers[name])]));
  return makeExecutable(buildSchema(GRAPH.api), { map: mapSupergraph(GRAPH.supergraph), subgraphs });
}

test('A graph starts whose joins require what follows from their objects', () => {
  expect(() => start({})).not.toThrow();
});

test.each<[string, Parameters<typeof start>, string]>([
  [
    'a join requires a field whose resolver reads more than its object',
    [{ volunteering: { Mission: { city: IMPURE } } }],
    'Mission.city needs more than its object, so no join may require it.',
  ],
  [
    'a key has such a field, deeper than it',
    [{ 'work-study': { CommuneCode: { insee: IMPURE } } }],
    'CommuneCode.insee needs more than its object, so no join may require it.',
  ],
  [
    'a resolver belongs to a type whose objects come from several subgraphs',
    [{ volunteering: { LonLat: { lon: () => 1 } } }],
    'LonLat.lon has a resolver, but its objects come from several subgraphs.',
  ],
  [
    'a subgraph is missing',
    [{}, SERVICES.filter((name) => name !== 'waste-identity')],
    'The supergraph names a subgraph that is not in this process: waste-identity.',
  ],
])('A graph does not start where %s', (_what, of, message) => {
  expect(() => start(...of)).toThrow(message);
});

test('A gateway of such a graph is not created', async () => {
  await expect(openGateway({ resolvers: { volunteering: { Mission: { city: IMPURE } } } })).rejects.toThrow(
    'Mission.city needs more than its object',
  );
});
