import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { POLLING } from '../polling.js';
import { MANY_ADDRESSES } from './neighbour/compare.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import { learnResponse } from './support/neighbour.js';
import { queryBody, send } from './support/send.js';
import { openWatch } from './support/watch.js';

const CLIENTS = 120;
/** How long a client stays. */
const STAY_MS = 1;
const WAITING = 1_000;
/** Of the server's work while three small queries are answered. */
const IDLE_MS = 10;
/** In units of the calibrating work, of five to ten milliseconds: 16 if all start in one turn, 14 if all end in one. */
const LONGEST_STALL = 10;

const JOINS =
  'query($city: [String!]) { missions(first: 500, city: $city) { nodes { id title communeMatch { method } commune { nom } organization { title } } } }';
const bodyOf = (client: number) => queryBody(JOINS, { city: ['Rouen', `${client}`] });

let stack: MeteredStack;

beforeAll(async () => {
  stack = await startMeteredStack(MANY_ADDRESSES);
});

afterAll(() => stack?.close());

test('Joins whose clients leave at once, right after a start, keep nobody waiting', async () => {
  const { url } = stack.server;
  const watch = await openWatch(stack.server, [await learnResponse(url, queryBody('{ __typename }'))]);
  const { stall, neighbour, result } = await watch(async () => {
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => open(url)));
    for (const [at, socket] of sockets.entries()) socket.write(postOf(bodyOf(at)));
    await pause(STAY_MS);
    for (const socket of sockets) socket.destroy();
    // Its turn comes after theirs.
    return send(url, { body: bodyOf(CLIENTS), headers: { 'x-forwarded-for': '192.0.2.1' } });
  });
  expect(result.status).toBe(200);
  expect(neighbour.wrong).toEqual([]);
  expect(stall).toBeLessThan(LONGEST_STALL);
});

test('A thousand calls that wait, and whose clients leave at once, keep nobody waiting', async () => {
  const { url } = stack.server;
  const watch = await openWatch(stack.server, [await learnResponse(url, queryBody('{ __typename }'))]);
  const sockets = await Promise.all(Array.from({ length: WAITING }, () => open(url)));
  const release = holdCalls();
  for (const [at, socket] of sockets.entries())
    socket.write(postOf(queryBody(`{ missions(city: "${at}") { totalCount } }`)));
  await vi.waitFor(expectIdle, POLLING);
  const { stall, neighbour } = await watch(async () => {
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(expectIdle, POLLING);
  });
  release();
  expect(neighbour.wrong).toEqual([]);
  expect(stall).toBeLessThan(LONGEST_STALL);
});

test.each([
  ['ahead on each of fifty connections', 50, 20],
  ['at once on connections of their own', 1_000, 1],
])('A thousand responses from memory that one caller asks %s keep nobody waiting', async (_how, count, ahead) => {
  const { url } = stack.server;
  const body = queryBody('{ missions(first: 50) { nodes { id title } } }');
  for (let time = 0; time < 3; time++) await send(url, { body });
  const watch = await openWatch(stack.server, [await learnResponse(url, queryBody('{ __typename }'))]);
  const sockets = await Promise.all(Array.from({ length: count }, () => open(url)));
  const { stall, neighbour } = await watch(async () => {
    const ended = sockets.map(untilClosed);
    for (const socket of sockets) socket.write(postOf(body).repeat(ahead - 1) + postOf(body, 'close'));
    const texts = await Promise.all(ended);
    expect(texts.map((text) => text.split('HTTP/1.1 200 OK').length - 1)).toEqual(texts.map(() => ahead));
  });
  expect(neighbour.wrong).toEqual([]);
  expect(stall).toBeLessThan(LONGEST_STALL);
});

/** What arrives on a connection until the server closes it. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += chunk;
  return text;
}

/** Calls to the volunteering service are not answered until the returned function is called. */
function holdCalls(): () => void {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const end = stack.sandbox.volunteering.fault({ kind: 'latency', key: 'operator', until });
  return () => {
    end();
    release();
  };
}

/** Whether what has arrived has been worked on as far as it can be. */
async function expectIdle(): Promise<void> {
  const { server } = stack;
  await server.note();
  for (let time = 0; time < 3; time++) await send(server.url, { body: queryBody('{ __typename }') });
  const notes = await server.noted();
  expect((notes.at(-1) ?? 0) - (notes[1] ?? 0)).toBeLessThan(IDLE_MS);
}

async function open(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

function postOf(body: string, connection = 'keep-alive'): string {
  const lines = [
    'POST /graphql HTTP/1.1',
    'host: localhost',
    'x-forwarded-for: 192.0.2.1',
    'content-type: application/json',
    `connection: ${connection}`,
  ];
  return `${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
