import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';

/** The graph that clients see. */
export function readApi(): GraphQLSchema {
  return buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));
}

/** The same as the last release had it. */
export function readReleased(): GraphQLSchema {
  return buildSchema(readFileSync(new URL('../../schema/released/0.1.0.graphql', import.meta.url), 'utf8'));
}
