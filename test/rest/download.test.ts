import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../subgraphs/rest/ports/ports.js';
import type { Download } from '../../subgraphs/rest/upstream.js';
import { createToolkit, type Toolkit } from './support/toolkit.js';
import { plain, startWireServer, type WireServer } from './support/wire-server.js';

let server: WireServer;
let toolkit: Toolkit;

beforeEach(async () => {
  server = await startWireServer();
  toolkit = createToolkit('http://127.0.0.1:9/never-asked');
});

afterEach(async () => {
  await toolkit.close();
  await server.close();
});

function file(parts: Partial<Download> = {}): Download {
  return {
    url: `${server.url}/export.json?signature=of-the-link`,
    template: '/job/v1/export (file)',
    maxBytes: 1_000_000,
    signal: new AbortController().signal,
    ...parts,
  };
}

async function read(download: Download): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of toolkit.download(download)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

describe('a download', () => {
  it('comes from the link’s own host, without any key, and is counted', async () => {
    server.respond = plain('[1,2,3]', 200);
    expect(await read(file())).toBe('[1,2,3]');
    expect(server.seen[0]?.url).toBe('/export.json?signature=of-the-link');
    expect(Object.keys(server.seen[0]?.headers ?? {}).sort()).toEqual(['accept-encoding', 'connection', 'host']);
    expect(toolkit.rows.map(({ row }) => row)).toMatchObject([
      { path: '/job/v1/export (file)', status: 200, bytes: 7, cache: 'BYPASS', sent: 1 },
    ]);
    expect(JSON.stringify(toolkit.rows)).not.toContain('signature');
  });

  it('is unpacked as it arrives', async () => {
    const text = JSON.stringify(Array.from({ length: 5000 }, (_, n) => ({ n })));
    server.respond = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(text));
    };
    expect(await read(file())).toBe(text);
  });

  it.each([
    ['plain', (body: Buffer) => body, {}],
    ['packed', gzipSync, { 'content-encoding': 'gzip' }],
  ])('is broken off when it is too large: %s', async (_what, pack, headers) => {
    server.respond = (_request, response) => {
      response.writeHead(200, headers);
      response.end(pack(Buffer.alloc(100_000)));
    };
    await expect(read(file({ maxBytes: 99_999 }))).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
  });

  it('tells a link that has died', async () => {
    server.respond = plain('<Error>AccessDenied</Error>', 403);
    await expect(read(file())).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(toolkit.rows[0]?.row).toMatchObject({ status: 403, error: 'UPSTREAM_UNAVAILABLE' });
  });

  it.each([
    ['plain', {}],
    ['packed', { 'content-encoding': 'gzip' }],
  ])('tells a file that is cut: %s', async (_what, headers) => {
    server.respond = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000', ...headers });
      response.write(gzipSync('[1,2,3]').subarray(0, 15), () => response.destroy());
    };
    await expect(read(file())).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  it('closes the socket when its reader has enough', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    server.respond = (_request, response) => {
      closed = once(response, 'close');
      response.write('[1,');
    };
    for await (const _chunk of toolkit.download(file())) break;
    await closed;
    expect(toolkit.rows).toHaveLength(1);
  });

  it('ends when it is called off, also before the first byte', async () => {
    const controller = new AbortController();
    server.respond = () => controller.abort(new Error('Enough.'));
    await expect(read(file({ signal: controller.signal }))).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  it('ends after thirty seconds without a byte', async () => {
    const silences: { ms: number; task: () => void }[] = [];
    const clock = {
      ...systemClock,
      after(ms: number, task: () => void) {
        const silence = { ms, task };
        silences.push(silence);
        return () => silences.splice(silences.indexOf(silence), 1);
      },
    };
    const patient = createToolkit('http://127.0.0.1:9', {}, { clock });
    server.respond = (_request, response) => response.write('[1,');
    const chunks = patient.download(file())[Symbol.asyncIterator]();
    await chunks.next();
    const next = expect(chunks.next()).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    expect(silences.map(({ ms }) => ms)).toEqual([30_000]);
    silences[0]?.task();
    await next;
    expect(silences).toEqual([]);
    await patient.close();
  });
});
