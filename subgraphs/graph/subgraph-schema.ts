import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLSchema, parse } from 'graphql';
import { declareFields, type FieldMap } from '../../kernel/declared-field.js';
import { readSubgraphSdl } from '../../kernel/sdl.js';
import type { ServiceName } from '../../kernel/services.js';
import { resolveEntitiesLean } from './entity-resolution.js';
import { completeListsInTurns } from './list-fields.js';
import { boundLists } from './list-length.js';
import { sharedScalars } from './scalars.js';

type ApolloResolvers = NonNullable<
  Extract<Parameters<typeof buildSubgraphSchema>[0], { typeDefs: unknown; resolvers?: unknown }>['resolvers']
>;

/**
 * The executable schema of a subgraph: its SDL, the fields of all its resources and the shared scalars. A
 * type may have fields in several resources. Created at the first call and then shared, because it holds no state; what
 * resolvers work on comes with the context of each operation.
 */
export function subgraphSchema(service: ServiceName, resources: readonly FieldMap[]): () => GraphQLSchema {
  let schema: GraphQLSchema | undefined;
  return () => {
    schema ??= makeSchema(service, resources);
    return schema;
  };
}

function makeSchema(service: ServiceName, resources: readonly FieldMap[]): GraphQLSchema {
  const fields: Record<string, object> = {};
  for (const resource of resources) {
    for (const [type, own] of Object.entries(resource)) fields[type] = { ...fields[type], ...own };
  }
  const schema = buildSubgraphSchema({
    typeDefs: parse(readSubgraphSdl(service), { noLocation: true }),
    // Each resource's fields are checked against the types generated from its SDL; Apollo's own type is looser.
    resolvers: { ...fields, ...sharedScalars } as ApolloResolvers,
  });
  boundLists(schema);
  declareFields(schema, fields);
  completeListsInTurns(schema);
  resolveEntitiesLean(schema);
  return schema;
}
