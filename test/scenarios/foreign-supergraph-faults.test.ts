import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { temporaryFolder } from '../temporary-folder.js';
import { createMemoryLog } from './memory-log.js';

/** Guards what callers get when subgraphs of a foreign supergraph respond in unusual ways. */

const TIDES = `
  type Query { tides: [Tide] }
  type Subscription { level: Float }
  type Tide @key(fields: "port") { port: String }
`;
const PORTS = `
  type Tide @key(fields: "port") { port: String berths: Int }
`;

function supergraphOf(url: string): string {
  const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"])';
  const services = Object.entries({ tides: TIDES, ports: PORTS }).map(([name, typeDefs]) => ({
    name,
    url: `${url}/${name}`,
    typeDefs: parse(link + typeDefs),
  }));
  const { supergraphSdl, errors } = composeServices(services);
  if (supergraphSdl === undefined) throw new Error(String(errors));
  return supergraphSdl;
}

interface Reply {
  readonly status?: number;
  readonly body: unknown;
}

const ENTITIES = [{ berths: 3 }, { berths: 4 }, { berths: 5 }];
const tidesAt = (...ports: string[]): Reply => ({
  body: { data: { tides: ports.map((port) => ({ __typename: 'Tide', port })) } },
});

let foreign: Server;
let running: Awaited<ReturnType<typeof start>>;
let replies: { tides: Reply; ports: Reply };
const log = createMemoryLog();

beforeAll(async () => {
  foreign = createServer((request, response) => {
    const { status = 200, body } = replies[request.url === '/tides' ? 'tides' : 'ports'];
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  foreign.listen(0, '127.0.0.1');
  await once(foreign, 'listening');
  const file = join(temporaryFolder(), 'foreign.graphql');
  await writeFile(file, supergraphOf(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}`));
  running = await start(readConfiguration('all', { PORT: '0', CACHE_DIR: 'off', SUPERGRAPH: file }), log);
});
beforeEach(() => {
  replies = { tides: tidesAt('Brest', 'Sein', 'Molène'), ports: { body: { data: { _entities: ENTITIES } } } };
});
afterAll(async () => {
  await running.close();
  foreign.close();
  foreign.closeAllConnections();
});

interface Received {
  readonly data?: { readonly tides: unknown };
  readonly errors?: readonly { message: string; path?: readonly unknown[]; extensions: Record<string, unknown> }[];
}

async function send(query: string, operationName?: string): Promise<Received & { readonly status: number }> {
  const response = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, operationName }),
  });
  return { status: response.status, ...((await response.json()) as Received) };
}

/** Code and path of each error: `NO_ENTRY tides.0.berths`. */
const reported = ({ errors = [] }: Received) =>
  errors.map(({ path = [], extensions }) => `${extensions['code']} ${path.join('.')}`);

describe('errors that are none', () => {
  it.each([
    ['null', null],
    ['an empty list', []],
  ])('beside data, %s takes nothing away', async (_what, errors) => {
    replies.tides = { body: { data: { tides: [{ port: 'Brest' }] }, errors } };
    const response = await send('{ tides { port } }');
    expect(response.errors).toBeUndefined();
    expect(response.data).toEqual({ tides: [{ port: 'Brest' }] });
  });

  it.each([
    ['null', null],
    ['an empty list', []],
  ])('without data, %s is no response', async (_what, errors) => {
    replies.tides = { body: { errors } };
    expect(reported(await send('{ tides { port } }'))).toEqual(['UPSTREAM_UNAVAILABLE tides']);
  });
});

describe('a subscription', () => {
  const document = 'subscription Level { level } query Ports { tides { port } }';

  it('is refused as by a graph that has none, and is no failure in the log', async () => {
    const response = await send(document, 'Level');
    expect(response).toMatchObject({ status: 400, errors: [{ message: 'The graph has no subscriptions.' }] });
    expect(reported(response)).toEqual(['GRAPHQL_VALIDATION_FAILED ']);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('keeps nobody from a query of its document', async () => {
    const response = await send(document, 'Ports');
    expect(response.errors).toBeUndefined();
    expect(response.data?.tides).toHaveLength(3);
  });
});

describe('a status of 401', () => {
  it('leaves the subgraph’s own errors, with their code', async () => {
    const errors = [{ message: 'Who are you?', extensions: { code: 'UNAUTHENTICATED' } }];
    replies.tides = { status: 401, body: { errors } };
    const response = await send('{ tides { port } }');
    expect(response.errors).toMatchObject([{ message: 'Who are you?', extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(reported(response)).toEqual(['UNAUTHENTICATED tides']);
  });

  it('with another body is an outage', async () => {
    replies.tides = { status: 401, body: 'Who are you?' };
    expect(reported(await send('{ tides { port } }'))).toEqual(['UPSTREAM_UNAVAILABLE tides']);
  });
});

describe('entities that do not match what was requested', () => {
  const message = 'The subgraph ports did not respond with the requested entities.';
  const failed = (...indexes: number[]) => indexes.map((index) => `UPSTREAM_INVALID_RESPONSE tides.${index}.berths`);
  const ports = ['Brest', 'Sein', 'Brest', 'Molène'];

  it.each<[string, unknown]>([
    ['cut to the first', { _entities: ENTITIES.slice(0, 1) }],
    ['empty', { _entities: [] }],
    ['too long', { _entities: [...ENTITIES, { berths: 6 }] }],
    ['null', { _entities: null }],
    ['an object', { _entities: {} }],
    ['not there', {}],
    ['not there, nor data', null],
  ])('are an error for each of them where the list is %s, equal ones or not', async (_what, data) => {
    for (const [requested, indexes] of [
      [ports, [0, 1, 2, 3]],
      [
        ['Brest', 'Sein'],
        [0, 1],
      ],
    ] as const) {
      replies = { tides: tidesAt(...requested), ports: { body: { data } } };
      const before = log.lines.length;
      const response = await send('{ tides { port berths } }');
      expect(response.data?.tides).toEqual(requested.map((port) => ({ port, berths: null })));
      expect(reported(response).sort()).toEqual(failed(...indexes));
      expect(response.errors?.[0]?.message).toBe(message);
      const lines = log.lines.slice(before).filter(({ level }) => level === 'warn');
      expect(lines).toMatchObject([{ fields: { subgraph: 'ports', code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    }
  });

  it.each<[string, unknown]>([
    ['a text', 'x'],
    ['a list', [{ berths: 3 }]],
  ])('are an error at the places of one that is %s', async (_what, odd) => {
    replies = { tides: tidesAt(...ports), ports: { body: { data: { _entities: [odd, null, ENTITIES[2]] } } } };
    const response = await send('{ tides { port berths } }');
    expect(response.data?.tides).toEqual(ports.map((port) => ({ port, berths: port === 'Molène' ? 5 : null })));
    expect(reported(response).sort()).toEqual(failed(0, 2));
    expect(response.errors?.[0]?.message).toBe(message);
  });

  it.each<[string, object]>([
    ['no list', { data: { _entities: null } }],
    ['an empty list', { data: { _entities: [] } }],
    ['no data', { data: null }],
  ])('have the subgraph’s own error where there is one beside %s', async (_what, body) => {
    const error = { message: 'Full.', path: ['_entities'], extensions: { code: 'NO_ENTRY' } };
    replies = { tides: tidesAt('Brest'), ports: { body: { ...body, errors: [error] } } };
    const response = await send('{ tides { port berths } }');
    expect(response.data?.tides).toEqual([{ port: 'Brest', berths: null }]);
    expect(reported(response)).toEqual(['NO_ENTRY tides.0.berths']);
  });
});
