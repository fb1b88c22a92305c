import { Agent } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SandboxService } from '../../../sandbox/server/types.js';
import { fetchRaw, sendOnSocket } from '../raw.js';
import { startTestService } from './service-of-tests.js';

let service: SandboxService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => service.reset());
afterAll(() => service.close());

const thing = () => fetchRaw(`${service.url}/things/1`);

describe('faults that answer in the service’s stead', () => {
  it('status: the service’s own body of the status', async () => {
    service.fault({ kind: 'status', status: 500 });
    const { status, headers, text } = await thing();
    expect([status, text, headers['x-service']]).toEqual([500, '{"own":"failure"}', 'test']);
  });

  it('rate-limit: the service’s own 429', async () => {
    service.fault({ kind: 'rate-limit' });
    const { status, headers, text } = await thing();
    expect([status, text, headers['retry-after']]).toEqual([429, '{"own":"too many"}', '60']);
  });

  it('proxy-rate-limit: a page without JSON, retry-after or the service’s headers', async () => {
    service.fault({ kind: 'proxy-rate-limit' });
    const { status, headers, text } = await thing();
    expect([status, headers['content-type'], headers['retry-after'], headers['x-service']]).toEqual([
      429,
      'text/html',
      undefined,
      undefined,
    ]);
    expect(text).toContain('429 Too Many Requests');
  });

  it('html: a proxy’s page, by default a 502', async () => {
    service.fault({ kind: 'html', times: 1 });
    service.fault({ kind: 'html', status: 200 });
    const responses = [await thing(), await thing()];
    expect(responses.map(({ status }) => status)).toEqual([502, 200]);
    for (const { headers, text } of responses) expect([headers['content-type'], text[0]]).toEqual(['text/html', '<']);
  });

  it('html-404: a 404 that is not the service’s own', async () => {
    service.fault({ kind: 'html-404' });
    const { status, text } = await thing();
    expect([status, text.includes('404 Not Found')]).toEqual([404, true]);
  });

  it('json-404: a 404 of an API gateway, in JSON', async () => {
    service.fault({ kind: 'json-404' });
    const { status, headers, text } = await thing();
    expect([status, headers['x-service'], JSON.parse(text)]).toEqual([
      404,
      undefined,
      { message: 'no Route matched with those values' },
    ]);
  });

  it('redirect: leads where it is told', async () => {
    service.fault({ kind: 'redirect', headers: { location: 'http://127.0.0.1:9/' } });
    const { status, headers } = await thing();
    expect([status, headers['location']]).toEqual([302, 'http://127.0.0.1:9/']);
  });

  it('big-body: as many bytes as asked, uncompressed', async () => {
    service.fault({ kind: 'big-body', bytes: 300_000 });
    const { body, headers } = await fetchRaw(`${service.url}/things/1`, { headers: { 'accept-encoding': 'gzip' } });
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.length).toBeGreaterThanOrEqual(300_000);
    expect(() => JSON.parse(body.toString())).not.toThrow();
  });

  it('gzip-bomb: few bytes that become many, although nobody requested gzip', async () => {
    service.fault({ kind: 'gzip-bomb', bytes: 3_000_000 });
    const { body, headers } = await thing();
    expect(headers['content-encoding']).toBe('gzip');
    expect(body.length).toBeLessThan(30_000);
    expect(gunzipSync(body).length).toBeGreaterThanOrEqual(3_000_000);
  });
});

describe('faults of the connection', () => {
  it('drop: the connection ends before any answer', async () => {
    service.fault({ kind: 'drop' });
    expect(await sendOnSocket(service.origin, '/api/things/1')).toEqual({ text: '', error: undefined });
  });

  it('reset: the connection is reset before any answer', async () => {
    service.fault({ kind: 'reset' });
    expect(await sendOnSocket(service.origin, '/api/things/1')).toEqual({ text: '', error: 'ECONNRESET' });
  });

  it('cut: half of the body, then the end of the connection', async () => {
    service.fault({ kind: 'cut' });
    const { text, error } = await sendOnSocket(service.origin, '/api/things/1');
    expect(text).toContain('HTTP/1.1 200');
    expect(text).toContain('{"id":"1"');
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
    expect(error).toBeUndefined();
    await expect(thing()).rejects.toThrow('aborted');
  });

  it('reset-mid-body: half of the body, then a reset', async () => {
    service.fault({ kind: 'reset-mid-body' });
    const { text, error } = await sendOnSocket(service.origin, '/api/things/1');
    expect([text.includes('{"id":"1"'), error]).toEqual([true, 'ECONNRESET']);
  });

  it.each([
    ['ten bytes more than come', {}, 10],
    ['as many bytes more or less as it says', { bytes: -7 }, -7],
  ])('wrong-length: announces %s', async (_what, more, missing) => {
    service.fault({ kind: 'wrong-length', ...more });
    const { text } = await sendOnSocket(service.origin, '/api/things/1', { connection: 'close' });
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const announced = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(announced - Buffer.byteLength(body)).toBe(missing);
    expect(() => JSON.parse(body)).not.toThrow();
  });

  it('slow-close: the whole body, whose end is that of the connection', async () => {
    service.fault({ kind: 'slow-close', ms: 1 });
    const { text, error } = await sendOnSocket(service.origin, '/api/things/1');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).not.toMatch(/content-length|transfer-encoding/i);
    expect([JSON.parse(body).id, error]).toEqual(['1', undefined]);
  });

  it('slow-close: the end may come later than anyone waits', async () => {
    service.fault({ kind: 'slow-close', ms: 60_000, times: 1 });
    const response = fetchRaw(`${service.url}/things/1`);
    response.catch(() => undefined);
    await service.seen((call) => call.url === '/api/things/1');
    await service.stopListening();
    await expect(response).rejects.toThrow();
    await service.startListening();
  });

  it('idle-close: a connection that served a call is reset when the next comes; a new one is served', async () => {
    service.fault({ kind: 'idle-close', times: 1 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await fetchRaw(`${service.url}/things/1`, { agent });
    await expect(fetchRaw(`${service.url}/things/2`, { agent })).rejects.toMatchObject({ code: 'ECONNRESET' });
    const third = await fetchRaw(`${service.url}/things/3`, { agent });
    agent.destroy();
    expect([first.status, third.status]).toEqual([200, 200]);
    expect(service.calls.map(({ status, aborted }) => [status, aborted])).toEqual([
      [200, false],
      [null, false],
      [200, false],
    ]);
  });

  it('silent: nothing comes until the client leaves, and the service sees it leave', async () => {
    service.fault({ kind: 'silent', times: 1 });
    const response = fetchRaw(`${service.url}/things/1`);
    response.catch(() => undefined);
    await service.seen((call) => call.url === '/api/things/1');
    await service.stopListening();
    await expect(response).rejects.toThrow('socket hang up');
    await service.startListening();
    expect((await thing()).status).toBe(200);
  });

  it('drip: the whole body, in pieces', async () => {
    service.fault({ kind: 'drip', ms: 1, bytes: 100 });
    expect((await thing()).json().id).toBe('1');
  });
});

describe('faults that change a response', () => {
  it('headers: sets and removes', async () => {
    service.fault({ kind: 'headers', headers: { 'x-ratelimit-reset': '7.5', 'x-service': null, Date: 'then' } });
    const { headers } = await thing();
    expect([headers['x-ratelimit-reset'], headers['x-service'], headers['date']]).toEqual(['7.5', undefined, 'then']);
  });

  it('wrong-type: by a function in tests, by JSON pointers over HTTP', async () => {
    service.fault({ kind: 'wrong-type', times: 1, change: () => ({ id: 7 }) });
    service.fault({ kind: 'wrong-type', set: { '/list/1/n': 'two', '/nowhere/x': 1 } });
    expect((await thing()).json()).toEqual({ id: 7 });
    expect((await thing()).json().list).toEqual([{ n: 1 }, { n: 'two' }]);
  });

  it('latency: the response is late by at least that much', async () => {
    service.fault({ kind: 'latency', ms: 30 });
    const startedAt = performance.now();
    await thing();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
  });

  it('latency: the response waits for what the fault names', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.fault({ kind: 'latency', until, times: 1 });
    let answered = false;
    const held = thing().then(() => {
      answered = true;
    });
    await service.seen(() => true);
    await thing();
    expect(answered).toBe(false);
    release();
    await held;
  });

  it('modifiers add up with a fault that answers', async () => {
    service.fault({ kind: 'headers', headers: { 'x-more': 'yes' } });
    service.fault({ kind: 'status' });
    const { status, headers } = await thing();
    expect([status, headers['x-more']]).toEqual([503, 'yes']);
  });
});

describe('which calls a fault meets', () => {
  it('those of its path and method, as often as it says', async () => {
    service.fault({ kind: 'status', path: '/api/THINGS', method: 'GET', times: 1 });
    const post = await fetchRaw(`${service.url}/things`, { method: 'POST', body: '{}' });
    expect([post.status, (await thing()).status, (await thing()).status]).toEqual([200, 503, 200]);
  });

  it('makes a sequence of faults that each come once', async () => {
    service.fault({ kind: 'status', status: 500, times: 1 });
    service.fault({ kind: 'html', times: 1 });
    expect([(await thing()).status, (await thing()).status, (await thing()).status]).toEqual([500, 502, 200]);
  });

  it('ends when it is taken back', async () => {
    const end = service.fault({ kind: 'status' });
    end();
    expect((await thing()).status).toBe(200);
  });
});
