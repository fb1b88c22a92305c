import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, vi } from 'vitest';
import { POLLING } from '../../polling.js';

/** Sends a request and reads nothing; resolves once the first bytes of the response have arrived. */
export async function sendAndLeave(url: string, body: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = ['POST /graphql HTTP/1.1', 'host: a', 'content-type: application/json'];
  socket.write(`${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  await once(socket, 'readable');
  return socket;
}

/** Resolves once the server has closed the connection; a client that does not read notices only by writing. */
export async function closedByServer(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  await vi.waitFor(() => {
    // An empty line between requests is ignored.
    socket.write('\r\n');
    expect(socket.destroyed).toBe(true);
  }, POLLING);
}
