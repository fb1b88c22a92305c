import { readFile } from 'node:fs/promises';
import { buildSchema, type GraphQLSchema } from 'graphql';

const SUPERGRAPH = new URL('../../schema/supergraph.graphql', import.meta.url);
const API = new URL('../../schema/api.graphql', import.meta.url);

/** The composed graph, as SDL. */
export interface GraphFiles {
  readonly supergraph: string;
  /** What clients may select of it. */
  readonly api: string;
}

/** Reads the graph of this build. */
export async function readGraph(): Promise<GraphFiles> {
  const [supergraph, api] = await Promise.all([readFile(SUPERGRAPH, 'utf8'), readFile(API, 'utf8')]);
  return { supergraph, api };
}

/** What clients may select of it; the library would derive the same. */
export async function readApi(): Promise<GraphQLSchema> {
  return buildSchema(await readFile(API, 'utf8'), { noLocation: true });
}
