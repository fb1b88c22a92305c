import { readFile } from 'node:fs/promises';
import { buildSchema, type GraphQLSchema } from 'graphql';

const SUPERGRAPH = new URL('../../schema/supergraph.graphql', import.meta.url);
const API = new URL('../../schema/api.graphql', import.meta.url);

/** The SDL of this build's supergraph. */
export function readSupergraph(): Promise<string> {
  return readFile(SUPERGRAPH, 'utf8');
}

/** What clients may select of it; the library would derive the same. */
export async function readApi(): Promise<GraphQLSchema> {
  return buildSchema(await readFile(API, 'utf8'), { noLocation: true });
}
