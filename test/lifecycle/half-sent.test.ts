import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openGateway } from '../gateway/support/open-gateway.js';
import { SHORT_LIVED } from '../v8-flags.js';
import { until } from './support/until.js';

/** Guards that a process which ends waits for requests that have arrived completely, and for no others. */

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
/** Nobody listens there: health is answered without them. */
const NO_SUBGRAPHS = Object.fromEntries(
  ['WORK_STUDY', 'WASTE_IDENTITY', 'VOLUNTEERING'].map((name) => [
    `SUBGRAPH_${name}_URL`,
    'http://127.0.0.1:1/graphql',
  ]),
);

const HEAD = 'POST /graphql HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n';
const HALF = `${HEAD}content-length: 100\r\n\r\n{`;
const WHOLE = 'GET /healthz HTTP/1.1\r\nhost: here\r\n\r\n';

interface Client {
  readonly socket: Socket;
  received(): string;
}

/** Opens a connection and sends the bytes; resolves once they have been handed to the system. */
async function send(url: string, bytes: string): Promise<Client> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  // A server that has ended may leave a reset behind.
  socket.on('error', () => {});
  await new Promise((taken) => socket.write(bytes, taken));
  return { socket, received: () => received };
}

/** Resolves once the server has read what was sent before on other connections. */
async function isSeen(url: string): Promise<void> {
  for (let time = 0; time < 3; time += 1) await (await fetch(`${url}/healthz`)).text();
}

/** A gateway in a process of its own, once it has started; `end` sends the signal and resolves with how it ended. */
async function startProgram(settings: Record<string, string>) {
  const env = { PATH: process.env['PATH'] ?? '', PORT: '0', CACHE_DIR: 'off', ...settings, ...NO_SUBGRAPHS };
  const child = spawn(process.execPath, [...SHORT_LIVED, MAIN, 'gateway'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const address = () => /answers at (\S+)\/graphql/.exec(output)?.[1];
  await until(() => address() !== undefined && output.includes('startup complete'));
  const closed = once(child, 'close');
  return {
    url: address() ?? '',
    says: (text: string) => until(() => output.includes(text)),
    signal: () => child.kill('SIGTERM'),
    ended: async () => [(await closed)[0], output.match(/.*(error|not close).*/gi)],
  };
}

test('A process that gets a signal to end refuses what a caller may not send, and gives requests up of which only half was sent: of the body, and of either part after another request', async () => {
  // One more than the requests before the signal, of which each counts once its headers are there.
  const { url, says, signal, ended } = await startProgram({ DRAIN_MS: '1000', CALLER_REQUESTS_PER_MINUTE: '8' });
  await send(url, HALF);
  for (const half of [HALF, HEAD]) {
    const { socket, received } = await send(url, WHOLE);
    await until(() => received().includes('{"status":"ok"'));
    await new Promise((taken) => socket.write(half, taken));
  }
  await isSeen(url);
  signal();
  await says('closing');
  const statuses = [];
  for (let request = 0; request < 3; request += 1) {
    const response = await fetch(`${url}/graphql?query={__typename}`);
    statuses.push([response.status, response.headers.get('connection')]);
  }
  expect(statuses).toEqual([200, 429, 429].map((status) => [status, 'close']));
  expect(await ended()).toEqual([0, null]);
});

test('A gateway that closes answers what has arrived, and cuts off what has not', async () => {
  let release = (_text: string) => {};
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const echo = () => {
    begin();
    return new Promise((resolve) => {
      release = resolve;
    });
  };
  const gateway = await openGateway({ resolvers: { volunteering: { Query: { echo } } } });
  const response = gateway.send('{ echo(text: "a") }');
  await begun;
  const half = await send(gateway.url, HALF);
  await isSeen(gateway.url);
  const cut = once(half.socket, 'close');
  const closed = gateway.close();
  // After the time for which half a request is waited for.
  setTimeout(() => release('the answer'), 1_500);
  expect((await response).data).toEqual({ echo: 'the answer' });
  await Promise.all([closed, cut]);
  expect(half.received()).toBe('');
});

test('A gateway that closes answers on all connections that waited to be accepted', async () => {
  const gateway = await openGateway({ resolvers: {} });
  // The system completes them at once; their requests follow in the next turn.
  const clients = Array.from({ length: 10 }, () => send(gateway.url, WHOLE));
  const closed = gateway.close();
  for (const { socket, received } of await Promise.all(clients)) {
    if (!socket.destroyed) await once(socket, 'close');
    expect(received()).toContain('{"status":"ok"');
  }
  await closed;
});
