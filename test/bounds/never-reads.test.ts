import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { POLLING } from '../polling.js';
import { type MeteredServer, startMeteredServer } from './support/metered-server.js';
import { learnResponse, type SmallOperation } from './support/neighbour.js';
import { queryBody } from './support/send.js';
import { openWatch } from './support/watch.js';

const CLIENTS = 3;
const ALIASES = 70;
/** Also how long a client may take nothing. On a busy machine all the responses have to be made within it. */
const DEADLINE_MS = 8_000;
/** Of what is left when nobody is left: caches that the queries filled, and garbage of the moment. */
const HELD_MB = 24;

let sandbox: Sandbox;
let server: MeteredServer;
let small: SmallOperation;

beforeAll(async () => {
  sandbox = await startSandbox();
  server = await startMeteredServer({
    ...variablesOf(sandbox),
    REQUEST_DEADLINE_MS: String(DEADLINE_MS),
    LOG_LEVEL: 'warn',
  });
  small = await learnResponse(server.url, queryBody('{ missions(first: 1) { nodes { id } } }'));
});

afterAll(async () => {
  await server?.close();
  await sandbox?.close();
});

/** Twelve megabytes or so of descriptions, from one call that the cache has. */
const LARGE = queryBody(
  `{ missions(first: 500) { nodes { ${Array.from({ length: ALIASES }, (_, alias) => `a${alias}: descriptionHtml`).join(' ')} } } }`,
);

/** Asks and reads nothing; resolves once the first bytes of the response have come. */
async function sendAndLeave(body: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const lines = ['POST /graphql HTTP/1.1', 'host: a', 'content-type: application/json'];
  socket.write(`${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  await once(socket, 'readable');
  return socket;
}

/** Resolves once the server has closed the connection: only who writes learns of it without reading. */
async function closedByServer(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  await vi.waitFor(() => {
    // Between requests, an empty line is nothing.
    socket.write('\r\n');
    expect(socket.destroyed).toBe(true);
  }, POLLING);
}

describe('Clients that ask and never read', () => {
  test('lose their connections and their responses, and others are served meanwhile', async () => {
    // More than the system takes from us on its own, or nothing would be left unread.
    expect(await bytesOf(LARGE)).toBeGreaterThan(10e6);
    const watch = await openWatch(server, [small]);
    const seen = await watch(async () => {
      const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => sendAndLeave(LARGE)));
      for (const socket of sockets) await closedByServer(socket);
    });
    expect(seen.heldMb).toBeLessThan(HELD_MB);
    expect(seen.neighbour.wrong).toEqual([]);
    expect(seen.neighbour.requests).toBeGreaterThan(0);
  });
});

/** Bytes of the whole response. */
async function bytesOf(body: string): Promise<number> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    body,
  });
  return (await response.arrayBuffer()).byteLength;
}
