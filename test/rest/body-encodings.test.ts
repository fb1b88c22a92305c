import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UpstreamResponse } from '../../subgraphs/rest/upstream.js';
import { createOperation } from './support/operation.js';
import { createToolkit, search, type Toolkit } from './support/toolkit.js';
import { startWireServer, type WireServer } from './support/wire-server.js';

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
