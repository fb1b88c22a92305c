import { readFile } from 'node:fs/promises';
import { buildSchema, GraphQLSchema, isSpecifiedDirective } from 'graphql';

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
  return buildApi(await readFile(API, 'utf8'));
}

/**
 * The schema of the file, which composition has found valid: to check it again is half of the work. Introspection, which
 * says nothing of where a directive stands, does not list its own.
 */
export function buildApi(api: string): GraphQLSchema {
  const { directives, ...config } = buildSchema(api, { noLocation: true, assumeValidSDL: true }).toConfig();
  return new GraphQLSchema({ ...config, directives: directives.filter(isSpecifiedDirective) });
}
