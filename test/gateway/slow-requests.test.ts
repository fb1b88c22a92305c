import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpServer, listen } from '../../gateway/endpoint/listener.js';
import { type LogLine, recordingLog } from './support/open-gateway.js';

let server: FastifyInstance;
let port: number;
const lines: LogLine[] = [];

beforeAll(async () => {
  server = createHttpServer({
    requestDeadlineMs: 1_000,
    fastPath: null,
    log: recordingLog(lines),
    phase: () => 'ready',
  });
  server.post('/', async ({ body }) => body);
  // Shorter than in production, but in the same order; by default the server checks only every few seconds.
  Object.assign(server.server, { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 50 });
  ({ port } = await listen(server, '127.0.0.1', 0));
});
afterAll(() => server.close());

describe('a request that does not arrive', () => {
  it.each([
    ['its headers', 'POST / HTTP/1.1\r\nhost: a\r\n'],
    ['its body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{'],
  ])('for the end of %s is answered with 408 and a code, and its connection is closed', async (_what, bytes) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 408 /);
    expect(head).toContain('connection: close');
    expect(JSON.parse(body)).toEqual({
      errors: [{ message: 'The request took too long to arrive.', extensions: { code: 'BAD_REQUEST' } }],
    });
    expect(lines.map(({ fields }) => fields)).toContainEqual({ status: 408, codes: ['BAD_REQUEST'] });
  });
});
