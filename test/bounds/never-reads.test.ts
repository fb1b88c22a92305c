import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { type MeteredServer, startMeteredServer } from './support/metered-server.js';
import { learnAnswer, type SmallQuestion } from './support/neighbour.js';
import { asked } from './support/send.js';
import { watch } from './support/watch.js';

const CLIENTS = 5;
const ALIASES = 90;
/** Of what is left when nobody is left: caches that the questions filled, and garbage of the moment. */
const HELD_MB = 24;

let sandbox: Sandbox;
let server: MeteredServer;
let small: SmallQuestion;

beforeAll(async () => {
  sandbox = await startSandbox();
  server = await startMeteredServer({ ...variablesOf(sandbox), REQUEST_DEADLINE_MS: '5000', LOG_LEVEL: 'warn' });
  small = await learnAnswer(server.url, asked('{ missions(first: 1) { nodes { id } } }'));
});

afterAll(async () => {
  await server?.close();
  await sandbox?.close();
});

/** Sixteen megabytes or so of descriptions, from one call that the cache has. */
const LARGE = asked(
  `{ missions(first: 500) { nodes { ${Array.from({ length: ALIASES }, (_, alias) => `a${alias}: descriptionHtml`).join(' ')} } } }`,
);

/** Asks and reads nothing; resolves once the first bytes of the answer have come. */
async function askAndLeave(body: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const lines = ['POST /graphql HTTP/1.1', 'host: a', 'content-type: application/json'];
  socket.write(`${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  await once(socket, 'readable');
  return socket;
}

/** What still comes when the client reads after all, until the connection ends. */
async function readOn(socket: Socket): Promise<{ readonly promised: number; readonly bytes: number }> {
  const chunks: Buffer[] = [];
  socket.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.destroyed) await once(socket, 'close');
  const received = Buffer.concat(chunks);
  const head = received.subarray(0, received.indexOf('\r\n\r\n')).toString();
  return { promised: Number(/content-length: (\d+)/.exec(head)?.[1]), bytes: received.length - head.length };
}

describe('Clients that ask and never read', () => {
  test('lose their connections, their answers are let go, and others are served meanwhile', async () => {
    const first = await readAll(LARGE);
    expect(first).toBeGreaterThan(8e6);
    const before = (await server.collect()).outsideBytes;
    const seen = await watch(server, [small], async () => {
      const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => askAndLeave(LARGE)));
      const held = (await server.collect()).outsideBytes - before;
      while ((await server.collect()).outsideBytes - before > held / CLIENTS / 2);
      return { held, ends: await Promise.all(sockets.map(readOn)) };
    });
    // Otherwise nothing was left unread.
    expect(seen.result.held).toBeGreaterThan((CLIENTS * first) / 4);
    for (const { promised, bytes } of seen.result.ends) expect(bytes).toBeLessThan(promised);
    expect(seen.heldMb).toBeLessThan(HELD_MB);
    expect(seen.neighbour.wrong).toEqual([]);
    expect(seen.neighbour.asked).toBeGreaterThan(0);
  });
});

/** Bytes of the whole answer. */
async function readAll(body: string): Promise<number> {
  const answer = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    body,
  });
  return (await answer.arrayBuffer()).byteLength;
}
