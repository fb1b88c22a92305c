import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SandboxService } from '../../../sandbox/server/types.js';
import { fetchRaw } from '../raw.js';
import { startTestService } from './service-of-tests.js';

let service: SandboxService;
const unknown: string[] = [];
beforeAll(async () => {
  service = await startTestService({ onUnknownPath: (line) => unknown.push(line) });
});
afterEach(() => {
  service.reset();
  unknown.length = 0;
});
afterAll(() => service.close());

describe('routing', () => {
  it('ignores case and takes a trailing slash for another path', async () => {
    expect((await fetchRaw(`${service.url}/THINGS/A%23b`)).json().id).toBe('A#b');
    expect((await fetchRaw(`${service.url}/things/a/`)).status).toBe(404);
  });

  it('takes a trailing slash for the same path where the framework does', async () => {
    const express = await startTestService({ ignoreTrailingSlash: true });
    expect((await fetchRaw(`${express.url}/things/a/`)).status).toBe(200);
    await express.close();
  });

  it('answers HEAD like GET without a body', async () => {
    const [head, get] = [
      await fetchRaw(`${service.url}/things/1`, { method: 'HEAD' }),
      await fetchRaw(`${service.url}/things/1`),
    ];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('has the routes of its era alone', async () => {
    expect((await fetchRaw(`${service.url}/seed-only`)).status).toBe(404);
    service.era = 'seed';
    expect((await fetchRaw(`${service.url}/seed-only`)).status).toBe(200);
    service.era = 'today';
  });

  it('answers an unknown path or method with the service’s own 404, loudly', async () => {
    expect((await fetchRaw(`${service.url}/nothing?a=1`)).text).toBe('{"own":"not found"}');
    expect((await fetchRaw(`${service.url}/things/1`, { method: 'DELETE' })).status).toBe(404);
    expect(service.unknownPaths).toEqual(['GET /api/nothing?a=1 none', 'DELETE /api/things/1 none']);
    expect(unknown).toEqual([
      'sandbox test: no such route: GET /api/nothing?a=1 none',
      'sandbox test: no such route: DELETE /api/things/1 none',
    ]);
  });
});

describe('compression', () => {
  it('comes when it is requested and the body is long enough', async () => {
    const plain = await fetchRaw(`${service.url}/things/1`);
    const requested = await fetchRaw(`${service.url}/things/1`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(requested.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(requested.body).toString()).toBe(plain.text);
  });
});

describe('the list of calls', () => {
  it('holds each call with its key’s name, its body and the names of its credential headers', async () => {
    const headers = { 'x-api-key': 'alice', authorization: 'Bearer hidden-value', 'content-type': 'application/json' };
    await fetchRaw(`${service.url}/things`, { method: 'POST', headers, body: '{"a":1}' });
    await fetchRaw(`${service.url}/things/1?q=x`);
    expect(service.callLines()).toEqual(['GET /api/things/1?q=x none', 'POST /api/things alice']);
    expect(service.calls[0]).toMatchObject({
      body: { a: 1 },
      status: 200,
      aborted: false,
      credentialHeaders: ['authorization', 'x-api-key'],
    });
    expect(JSON.stringify(service.calls)).not.toContain('hidden-value');
  });

  it('shows a form’s fields and any other text', async () => {
    const post = (type: string, body: string) =>
      fetchRaw(`${service.url}/things`, { method: 'POST', headers: { 'content-type': type }, body });
    await post('application/x-www-form-urlencoded', 'a=1&b=%C3%A9');
    await post('text/plain', 'bonjour');
    expect(service.calls.map(({ body }) => body)).toEqual([{ a: '1', b: 'é' }, 'bonjour']);
  });

  it('tells of a client that left before the response was complete', async () => {
    service.fault({ kind: 'silent' });
    const outgoing = request(`${service.url}/things/1`, { agent: false });
    outgoing.on('error', () => undefined);
    outgoing.end();
    await service.seen((call) => call.url === '/api/things/1');
    outgoing.destroy();
    const call = await service.seen(({ aborted }) => aborted);
    expect([call.url, call.status]).toEqual(['/api/things/1', null]);
  });

  it('does not take a connection that a fault cut for a client that left', async () => {
    service.fault({ kind: 'cut' });
    await expect(fetchRaw(`${service.url}/things/1`)).rejects.toThrow();
    expect(service.calls[0]).toMatchObject({ aborted: false, status: null });
  });

  it('resolves at once for a call that it has seen already', async () => {
    await fetchRaw(`${service.url}/things/1`);
    expect((await service.seen(() => true)).url).toBe('/api/things/1');
  });
});

describe('a body', () => {
  it('is refused when it is announced or found to be too long', async () => {
    const limited = await startTestService({
      routes(app) {
        app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
        app.post('/api/small', { bodyLimit: 10 }, () => ({}));
      },
      unreadable: ({ statusCode = 500 }, _request, reply) => reply.code(statusCode).send({}),
    });
    const post = (headers: Record<string, string>, body: string) =>
      fetchRaw(`${limited.url}/small`, { method: 'POST', headers, body });
    expect((await post({ 'content-length': '11' }, 'x'.repeat(11))).status).toBe(413);
    expect((await post({ 'transfer-encoding': 'chunked' }, 'x'.repeat(11))).status).toBe(413);
    expect((await post({}, 'x'.repeat(10))).status).toBe(200);
    await limited.close();
  });
});

describe('the listener', () => {
  it('refuses connections while it is stopped and comes back on the same port', async () => {
    await service.stopListening();
    await expect(fetchRaw(`${service.url}/things/1`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await service.startListening();
    expect((await fetchRaw(`${service.url}/things/1`)).status).toBe(200);
  });
});
