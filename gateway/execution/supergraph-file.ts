import { readFile } from 'node:fs/promises';
import { buildSchema, type GraphQLSchema } from 'graphql';

/** The SDL of a supergraph. */
export interface SupergraphFile {
  readonly sdl: string;
  /** Whether it is the one of this build: credentials are sent only to its subgraphs. */
  readonly ours: boolean;
}

const OURS = new URL('../../schema/supergraph.graphql', import.meta.url);
const API = new URL('../../schema/api.graphql', import.meta.url);

/** Reads a supergraph file. It is `ours` if its bytes equal those of this build's. */
export async function readSupergraph(path: string | URL = OURS): Promise<SupergraphFile> {
  const [file, ours] = await Promise.all([readFile(path), readFile(OURS)]);
  return { sdl: file.toString('utf8'), ours: file.equals(ours) };
}

/** What clients may select of our own supergraph; the library would derive the same from it. */
export async function readOurApi(): Promise<GraphQLSchema> {
  return buildSchema(await readFile(API, 'utf8'), { noLocation: true });
}
