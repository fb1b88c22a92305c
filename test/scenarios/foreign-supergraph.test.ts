import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { sandboxCredentials } from '../../sandbox/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { createMemoryLog } from './memory-log.js';
import { SUBGRAPH_TOKEN } from './stack.js';

/** Guards running a foreign supergraph, and what its subgraphs learn about a caller. */

/** Its subgraph has the name of one of ours, so only the supergraph tells them apart. */
function supergraphOf(url: string): string {
  const typeDefs = parse(`
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"])
    type Query { tides: [Tide] }
    type Tide @key(fields: "port") { port: String height: Float }
  `);
  const { supergraphSdl, errors } = composeServices([{ name: 'volunteering', url, typeDefs }]);
  if (supergraphSdl === undefined) throw new Error(String(errors));
  return supergraphSdl;
}

test('A foreign supergraph is run over HTTP, and its subgraph learns nothing of the caller', async () => {
  const received: IncomingHttpHeaders[] = [];
  const bodies: string[] = [];
  const foreign = createServer((request, response) => {
    received.push(request.headers);
    request.on('data', (piece: Buffer) => bodies.push(piece.toString()));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: { tides: [{ port: 'Brest', height: 7.2 }] } }));
    });
  });
  foreign.listen(0, '127.0.0.1');
  await once(foreign, 'listening');
  const folder = temporaryFolder();
  const file = join(folder, 'foreign.graphql');
  await writeFile(file, supergraphOf(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/graphql`));

  const log = createMemoryLog();
  const environment = { PORT: '0', CACHE_DIR: 'off', SUPERGRAPH: file, SUBGRAPH_TOKEN };
  const running = await start(readConfiguration('all', environment), log);
  const { workStudy, volunteering, waste } = sandboxCredentials;
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-work-study-key': workStudy.alice,
      'x-volunteering-key': volunteering.alice,
      authorization: `Bearer ${waste.token}`,
      cookie: 'passerelle=a-session',
      'x-passerelle-csrf': '1',
      'x-passerelle-trace': '1',
      'x-request-id': 'of-the-caller',
    },
    body: JSON.stringify({ query: '{ tides { port height } }' }),
  });
  const result = (await response.json()) as { data: unknown; errors?: unknown };
  const dry = await fetch(`${running.url}/graphql?query={tides{port}}`, { headers: { 'x-passerelle-dry-run': '1' } });
  expect([dry.status, await dry.text()]).toEqual([403, expect.stringContaining('This graph has no prices')]);
  await running.close();
  foreign.close();
  foreign.closeAllConnections();

  expect(running.sandbox).toBeNull();
  expect(result.errors).toBeUndefined();
  expect(result.data).toEqual({ tides: [{ port: 'Brest', height: 7.2 }] });
  expect(received).toHaveLength(1);
  const names = received.flatMap((headers) => Object.keys(headers));
  expect(names.filter((name) => /^x-|authorization|cookie|apikey/.test(name))).toEqual([]);
  const everything = JSON.stringify([received, bodies]);
  for (const secret of [workStudy.alice, workStudy.operator, volunteering.alice, volunteering.operator, waste.token]) {
    expect(everything).not.toContain(secret);
  }
  for (const secret of [SUBGRAPH_TOKEN, 'a-session']) expect(everything).not.toContain(secret);
});
