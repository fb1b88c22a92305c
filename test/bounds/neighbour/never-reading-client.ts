import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, vi } from 'vitest';
import { POLLING } from '../../polling.js';

/** Asks and reads nothing; resolves once the first bytes of the response have come. */
export async function sendAndLeave(url: string, body: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = ['POST /graphql HTTP/1.1', 'host: a', 'content-type: application/json'];
  socket.write(`${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  await once(socket, 'readable');
  return socket;
}

/** Resolves once the server has closed the connection: only who writes learns of it without reading. */
export async function closedByServer(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  await vi.waitFor(() => {
    // Between requests, an empty line is nothing.
    socket.write('\r\n');
    expect(socket.destroyed).toBe(true);
  }, POLLING);
}
