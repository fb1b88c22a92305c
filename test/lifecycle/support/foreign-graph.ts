import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { temporaryFolder } from '../../temporary-folder.js';

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"])';

/** A query joined over two subgraphs, each of which returns the edition of the supergraph that led to it. */
export const QUERY = '{ port { edition tide } }';

/** A foreign graph in two editions, in a file that can be switched between them. */
export interface ForeignGraph {
  readonly file: string;
  write(edition: 'a' | 'b'): Promise<void>;
  writeText(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts the subgraphs of both editions; the file has the first one. */
export async function openForeignGraph(): Promise<ForeignGraph> {
  const server = createServer(async (request, response) => {
    const [, edition, name] = request.url?.split('/') ?? [];
    await text(request);
    const data =
      name === 'one' ? { port: { __typename: 'Port', id: '1', edition } } : { _entities: [{ tide: edition }] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const folder = temporaryFolder();
  const file = join(folder, 'supergraph.graphql');
  const graph: ForeignGraph = {
    file,
    write: (edition) => writeFile(file, supergraph(`http://127.0.0.1:${port}/${edition}`)),
    writeText: (content) => writeFile(file, content),
    async close() {
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true });
    },
  };
  await graph.write('a');
  return graph;
}

function supergraph(address: string): string {
  const { supergraphSdl, errors } = composeServices([
    {
      name: 'one',
      url: `${address}/one`,
      typeDefs: parse(`${LINK} type Query { port: Port } type Port @key(fields: "id") { id: ID edition: String }`),
    },
    {
      name: 'two',
      url: `${address}/two`,
      typeDefs: parse(`${LINK} type Port @key(fields: "id") { id: ID tide: String }`),
    },
  ]);
  if (supergraphSdl === undefined) throw new Error(String(errors));
  return supergraphSdl;
}
