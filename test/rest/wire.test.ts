import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UpstreamResponse } from '../../subgraphs/rest/upstream.js';
import { createOperation } from './support/operation.js';
import { createToolkit, search, type Toolkit } from './support/toolkit.js';
import { createVirtualClock, settle } from './support/virtual-clock.js';
import { json, startWireServer, type WireServer } from './support/wire-server.js';

let server: WireServer;
let toolkit: Toolkit;

beforeEach(async () => {
  server = await startWireServer();
  toolkit = createToolkit(server.url);
});

afterEach(async () => {
  await toolkit.close();
  await server.close();
});

const send = (operation = createOperation(), more: Parameters<typeof search>[0] = {}) =>
  toolkit.call(search({ cache: 'never', ...more }), operation);

/** A TCP server, for what HTTP servers do not do. */
async function startRawServer(onRequest: (socket: Socket, count: number) => void) {
  let count = 0;
  const sockets = new Set<Socket>();
  const raw = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => {
      count += 1;
      onRequest(socket, count);
    });
  });
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const address = raw.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    raw.close();
    await once(raw, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

async function outcome(onRequest: (socket: Socket, count: number) => void) {
  const raw = await startRawServer(onRequest);
  const client = createToolkit(raw.url);
  const result = await client.call(search({ method: 'POST' }), createOperation()).catch(failureOf);
  await client.close();
  await raw.close();
  return result;
}

/** The code of an error, and the kind of transport failure that caused it. */
function failureOf({ code, cause }: { code?: string; cause?: { kind?: string } }) {
  return { code, kind: cause?.kind };
}

describe('the wire', () => {
  it('keeps connections alive between calls', async () => {
    const ports = new Set<number | undefined>();
    server.respond = (request, response, incoming) => {
      ports.add(incoming.socket.remotePort);
      json({})(request, response, incoming);
    };
    await send();
    // The pool takes a connection back in the turn after its response.
    await settle();
    await send();
    expect(ports.size).toBe(1);
  });

  it('requests a small response as it is, and reads one that is compressed all the same', async () => {
    server.respond = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync('{"nom":"Brest"}'));
    };
    expect(await send(createOperation(), { small: true })).toEqual({ nom: 'Brest' });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  it.each([
    ['a few bytes that a lot comes out of', 'x'.repeat(200_000)],
    ['many bytes', Array.from({ length: 2000 }, (_, place) => Math.sin(place)).join()],
  ])('reads %s', async (_what, text) => {
    server.respond = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify({ text })));
    };
    expect(await send()).toEqual({ text });
  });

  it('reads UTF-8 that is cut between two chunks, and a byte order mark', async () => {
    const body = Buffer.from(`\uFEFF${JSON.stringify({ nom: 'Écouché-les-Vallées' })}`);
    server.respond = (_request, response) => {
      response.writeHead(200);
      response.write(body.subarray(0, 12));
      response.end(body.subarray(12));
    };
    expect(await send()).toEqual({ nom: 'Écouché-les-Vallées' });
  });

  it('sends JSON and forms as such', async () => {
    const write = { cache: 'never', method: 'POST' } as const;
    await toolkit.call(search({ ...write, body: { nom: 'Évron' } }), createOperation());
    await toolkit.call(search({ ...write, form: [['code', 'a b&c']] }), createOperation());
    expect(server.seen.map(({ headers, body }) => [headers['content-type'], body])).toEqual([
      ['application/json', '{"nom":"Évron"}'],
      ['application/x-www-form-urlencoded', 'code=a+b%26c'],
    ]);
  });

  it('takes no body that nests deeper than it could be written again', async () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const answered = (body: string) => {
      server.respond = (_request, response) => {
        response.end(body);
      };
      return send();
    };
    expect(JSON.stringify(await answered(nested(199)))).toBe(nested(199));
    for (const levels of [200, 100_000]) {
      await expect(answered(nested(levels))).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
    }
  });

  it('follows no redirect', async () => {
    const other = await startWireServer();
    server.respond = (_request, response) => {
      response.writeHead(302, { location: other.url });
      response.end();
    };
    await expect(send()).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
    expect(other.seen).toHaveLength(0);
    await other.close();
  });

  it('breaks off a body that is larger than 64 MB', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    server.respond = (_request, response) => {
      closed = once(response, 'close');
      response.writeHead(200);
      const chunk = Buffer.alloc(4 * 1024 * 1024, 0x20);
      const pour = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', pour);
      pour();
    };
    await expect(send()).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE', message: /too large/ });
    await closed;
  });

  it('breaks off a small body that unpacks to more than 64 MB', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024));
    server.respond = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(bomb);
    };
    await expect(send()).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE', message: /too large/ });
  });

  it('closes the socket when the last caller leaves', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    server.respond = (_request, response) => {
      closed = once(response, 'close');
    };
    const operation = createOperation();
    const call = toolkit.call(search(), operation);
    await server.arrived(1);
    operation.leave();
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await closed;
  });
});

describe('the encodings of a body', () => {
  const twice = (body: string) => gzipSync(gzipSync(body));
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['gzip, identity', gzipSync],
    ['gzip, gzip', twice],
    ['br, gzip', (body: string) => gzipSync(brotliCompressSync(body))],
  ])('the wire reads %s and counts the bytes that come out of it', async (encoding, compress) => {
    const body = JSON.stringify({ nom: 'Évron', padding: 'x'.repeat(5000) });
    server.respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      response.end(compress(body));
    };
    const operation = createOperation();
    expect(await send(operation)).toMatchObject({ nom: 'Évron' });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip, br');
    expect(operation.rows[0]?.bytes).toBe(Buffer.byteLength(body));
  });

  it.each([
    ['of more codings than two', 'gzip, gzip, gzip', gzipSync(gzipSync(gzipSync('{}')))],
    ['of an unknown coding', 'gzip, zstd', gzipSync('{}')],
    ['of raw deflate, which nobody requested', 'deflate', deflateRawSync('{}')],
    ['that is not what its encoding says', 'gzip', '{"plain":true}'],
  ])('the wire refuses a body %s', async (_what, encoding, body) => {
    server.respond = (_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      response.end(body);
    };
    await expect(send()).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
  });

  it.each([
    ['iso-8859-1', Buffer.from('{"nom":"Évron"}', 'latin1')],
    ['"windows-1252"', Buffer.from('{"nom":"Évron"}', 'latin1')],
    ['utf-16le', Buffer.from('{"nom":"Évron"}', 'utf16le')],
    ['UTF-8', Buffer.from('{"nom":"Évron"}')],
    ['us-ascii', Buffer.from('{"nom":"Évron"}')],
  ])('the wire reads the characters of a body in %s', async (charset, body) => {
    server.respond = (_request, response) => {
      response.writeHead(200, { 'content-type': `application/json; charset=${charset}` });
      response.end(body);
    };
    expect(await send()).toEqual({ nom: 'Évron' });
  });

  it.each([
    ['a plain list', undefined, Buffer.from('[{"a":"}\\""},{"b":{}},{"c":')],
    ['a zipped list', 'gzip', gzipSync('[{"a":"}\\""},{"b":{}},{"c":"').subarray(0, -8)],
  ])('gives the whole items of %s that is broken off, to who takes it', async (_what, encoding, body) => {
    server.respond = (_request, response) => {
      response.writeHead(200, encoding === undefined ? {} : { 'content-encoding': encoding });
      response.write(body, () => response.destroy());
    };
    const parse = ({ json, isCut }: UpstreamResponse) => ({ json, isCut });
    expect(await send(createOperation(), { streamed: true, parse })).toEqual({
      json: [{ a: '}"' }, { b: {} }],
      isCut: true,
    });
    await expect(send()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  it('the wire refuses a body in characters that nobody knows', async () => {
    server.respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=klingon' });
      response.end('{}');
    };
    await expect(send()).rejects.toMatchObject({
      code: 'UPSTREAM_INVALID_RESPONSE',
      message: expect.stringContaining('of unknown characters'),
    });
  });
});

describe('a connection that fails', () => {
  it('is unavailable when it is refused', async () => {
    await server.close();
    const operation = createOperation();
    expect(await send(operation).catch(failureOf)).toEqual({ code: 'UPSTREAM_UNAVAILABLE', kind: 'refused' });
    expect(operation.rows).toMatchObject([{ status: null, error: 'UPSTREAM_UNAVAILABLE' }]);
    server = await startWireServer();
  });

  it.each([
    ['it is closed before the answer', 'reset', (socket: Socket) => socket.destroy()],
    ['it is reset before the answer', 'reset', (socket: Socket) => socket.resetAndDestroy()],
    ['the body is cut', 'cut', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"cut":')],
    [
      'a chunked body ends too early',
      'cut',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"cut\r\n'),
    ],
  ])('is unavailable when %s', async (_what, kind, fail) => {
    expect(await outcome(fail)).toEqual({ code: 'UPSTREAM_UNAVAILABLE', kind });
  });

  it('is invalid when it speaks no HTTP', async () => {
    const result = await outcome((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n'));
    expect(result).toEqual({ code: 'UPSTREAM_INVALID_RESPONSE', kind: 'unreadable' });
  });

  it.each([
    ['1xx responses', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n', '', 'unreadable'],
    [
      'chunks of a byte, each of which takes a hundred in memory',
      '1\r\n \r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      'too-large',
    ],
  ])('is invalid when it sends %s without an end', async (_what, piece, head, kind) => {
    const pieces = piece.repeat(1_000);
    const result = await outcome((socket) => {
      const flood = () => {
        while (!socket.destroyed && socket.write(pieces));
      };
      socket.on('drain', flood);
      socket.write(head);
      flood();
    });
    expect(result).toEqual({ code: 'UPSTREAM_INVALID_RESPONSE', kind });
  });

  it('costs no second try when it was closed while it lay idle: the call leaves on a new one', async () => {
    const connections = new Set<Socket>();
    const raw = await startRawServer((socket) => {
      connections.add(socket);
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
    const client = createToolkit(raw.url);
    const write = search({ method: 'POST', cache: 'never' });
    for (let number = 1; number <= 3; number += 1) {
      const operation = createOperation();
      expect(await client.call(write, operation)).toEqual({});
      expect(operation.rows).toMatchObject([{ sent: 1, status: 200 }]);
      expect(connections.size).toBe(number);
    }
    await client.close();
    await raw.close();
  });
});

describe('time on the wire', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n';
  const drip = (socket: Socket) => {
    if (socket.destroyed) return;
    socket.write(' ');
    setImmediate(drip, socket);
  };

  it.each([
    ['says nothing', () => {}],
    ['stops in the middle of its head', (socket: Socket) => socket.write(HEAD.slice(0, 20))],
    ['stops after its head', (socket: Socket) => socket.write(HEAD)],
    [
      'never stops, byte by byte',
      (socket: Socket) => {
        socket.write(HEAD);
        drip(socket);
      },
    ],
  ])('is ours alone: a service that %s is left at the end of the attempt', async (_what, respond) => {
    const clock = createVirtualClock();
    let arrived = (_socket: Socket): void => {};
    const met = new Promise<Socket>((resolve) => {
      arrived = resolve;
    });
    const raw = await startRawServer((socket) => {
      respond(socket);
      arrived(socket);
    });
    const client = createToolkit(raw.url, {}, { clock });
    let isOver = false;
    const call = client
      .call(search(), createOperation())
      .catch(failureOf)
      .finally(() => {
        isOver = true;
      });
    const socket = await met;
    const left = new Promise((resolve) => socket.once('close', resolve));
    await clock.advance(9_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(isOver).toBe(true);
    expect(await call).toEqual({ code: 'UPSTREAM_TIMEOUT', kind: undefined });
    await left;
    expect(clock.pending).toBe(0);
    await client.close();
    await raw.close();
  });
});
