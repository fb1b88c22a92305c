import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  MAX_UNREAD_OF_ONE,
  UNREAD_BYTES,
  type UnreadReason,
  type UnreadResponses,
  watchUnread,
} from '../../runtime/http/server.js';

const IDLE_MS = 200;
/** More than the system buffers for a connection. */
const LARGE = Buffer.alloc(32 * 1024 * 1024);
const PIECE = LARGE.subarray(0, 64 * 1024);

let server: Server;
let unread: UnreadResponses;
let respond: (response: ServerResponse) => void;
let open: ServerResponse[];
let reasons: UnreadReason[];
const sockets: Socket[] = [];

beforeEach(async () => {
  open = [];
  reasons = [];
  server = createServer((_request, response) => {
    open.push(response);
    respond(response);
  });
  unread = watchUnread(server, IDLE_MS, (reason) => reasons.push(reason));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** A client that sends this many requests at once and reads nothing; resolves once all have arrived. */
async function send(requests = 1, localAddress = '127.0.0.1'): Promise<Socket> {
  const before = open.length;
  const closings = reasons.length;
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  sockets.push(socket);
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests));
  while (open.length < before + requests && reasons.length === closings) await once(server, 'request');
  return socket;
}

async function closed(response: ServerResponse | undefined): Promise<void> {
  if (response !== undefined && !response.destroyed) await once(response, 'close');
}

describe('a client that asks and does not read', () => {
  it('is closed when it takes nothing of a response', async () => {
    respond = (response) => response.end(LARGE);
    await send();
    await closed(open[0]);
    expect(reasons).toEqual(['stalled']);
  });

  it('is left alone while it waits for us, however long', async () => {
    respond = (response) => response.write(PIECE);
    const socket = await send();
    socket.resume();
    const looked = performance.now() + 4 * IDLE_MS;
    while (performance.now() < looked) {
      open[0]?.write(PIECE);
      await once(socket, 'data');
      await pause(IDLE_MS / 20);
    }
    socket.end();
    expect(reasons).toEqual([]);
  });

  it('loses everything that it requested ahead: each response is closed', async () => {
    respond = () => {};
    const socket = await send(3);
    const all = Promise.all(open.map((response) => once(response, 'close')));
    socket.destroy();
    await all;
    expect(open.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it(`is closed when it sends more than ${MAX_UNREAD_OF_ONE} requests ahead`, async () => {
    respond = () => {};
    await send(MAX_UNREAD_OF_ONE);
    expect(reasons).toEqual([]);
    await send(MAX_UNREAD_OF_ONE + 1);
    expect(reasons).toEqual(['too many unread']);
  });

  it('may leave one response of any size unread', async () => {
    respond = () => {};
    await send(2);
    unread.hold(open[0]!, 2 * UNREAD_BYTES);
    expect(reasons).toEqual([]);
    unread.hold(open[1]!, 1);
    expect(reasons).toEqual([]);
    await send();
    unread.hold(open[2]!, 1);
    expect(reasons).toEqual(['too much unread']);
  });

  it('is closed before the client of another address that leaves less unread, however long', async () => {
    respond = () => {};
    await send(1, '127.0.0.2');
    await send();
    const [other, greedy] = open as [ServerResponse, ServerResponse];
    unread.hold(other, UNREAD_BYTES / 2);
    unread.hold(greedy, UNREAD_BYTES);
    expect(reasons).toEqual(['too much unread']);
    await closed(greedy);
    expect(other.destroyed).toBe(false);
  });

  it('gives way to others when all unread answers together are too large: whoever has held its own for longest, first', async () => {
    respond = () => {};
    const half = UNREAD_BYTES / 2;
    for (const _client of [1, 2, 3]) await send();
    const [first, second, third] = open as [ServerResponse, ServerResponse, ServerResponse];
    unread.hold(first, half);
    unread.hold(second, half);
    expect(reasons).toEqual([]);
    unread.hold(third, half);
    expect(reasons).toEqual(['too much unread']);
    await closed(first);
    expect([first, second, third].map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
    // A finished response no longer counts.
    const ended = once(second, 'close');
    sockets[1]?.resume();
    second.end();
    await ended;
    await send();
    unread.hold(open[3]!, half);
    expect(reasons).toHaveLength(1);
  });
});
