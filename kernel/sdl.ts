import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from './services.js';

const SUBGRAPHS = new URL('../subgraphs/', import.meta.url);

/** The SDL of one subgraph: the shared file, then every `.graphql` file of its room, sorted by path. */
export function readSubgraphSdl(service: ServiceName): string {
  const room = new URL(`${service}/`, SUBGRAPHS);
  const files = readdirSync(fileURLToPath(room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.graphql'))
    .sort();
  return [new URL('graph/shared.graphql', SUBGRAPHS), ...files.map((file) => new URL(file, room))]
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}
