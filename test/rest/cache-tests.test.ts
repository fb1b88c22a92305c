import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../subgraphs/rest/ports/ports.js';
import { createOperation } from './support/operation.js';
import { createToolkit, search, type Toolkit } from './support/toolkit.js';
import { settle } from './support/virtual-clock.js';
import { json, type Responder, startWireServer, type WireServer } from './support/wire-server.js';

/**
 * The cases of the public HTTP cache tests (http-tests/cache-tests) about staleness, by their ids there, against a real
 * server. No service sends these windows, so we decide how long a response is fresh and may be served stale; what a
 * service forbids is forbidden here too. On a virtual clock without sockets: stale.test.ts.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const reference = search({ cache: 'reference', key: 'operator', path: '/communes', template: '/communes' });

let server: WireServer;
let toolkit: Toolkit;
let laterMs = 0;
beforeEach(async () => {
  laterMs = 0;
  server = await startWireServer();
  const clock = { ...systemClock, wallMs: () => Date.now() + laterMs };
  toolkit = createToolkit(server.url, {}, { clock, random: () => 0 });
});
afterEach(async () => {
  await toolkit.close();
  await server.close();
});

/** The value or error code of a request, its cache status, and why it was stale. */
async function send(request = search()) {
  const operation = createOperation();
  const value = await toolkit.call(request, operation).catch((error: { code: string }) => error.code);
  const [row] = operation.rows;
  return { value, cache: row?.cache, reason: row?.stale?.reason };
}

/** Responds with `{ number: 1 }`, then moves past its freshness, after which the service responds as the case says. */
async function becomeStale(cacheControl: string, then: Responder) {
  server.respond = json({ number: 1 }, 200, cacheControl === '' ? {} : { 'cache-control': cacheControl });
  expect(await send()).toMatchObject({ value: { number: 1 }, cache: 'MISS' });
  laterMs = 2 * MINUTE;
  server.respond = then;
}

const disconnect: Responder = (_request, response) => response.destroy();
const unavailable = json({ message: 'Service Unavailable' }, 503);
const cutBody: Responder = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"number":', () => response.destroy());
};

const STANDS_IN = { value: { number: 1 }, cache: 'STALE', reason: 'OUTAGE' };

describe('the public cache tests, at the wire', () => {
  it.each<[id: string, cacheControl: string, then: Responder]>([
    ['stale-close', '', disconnect],
    ['stale-503', '', unavailable],
    ['stale-sie-close', 'max-age=2, stale-if-error=60', disconnect],
    ['stale-sie-503', 'max-age=2, stale-if-error=60', unavailable],
    ['stale-close, in the middle of the body', '', cutBody],
  ])('%s: the entry is served stale', async (_id, cacheControl, then) => {
    await becomeStale(cacheControl, then);
    expect(await send()).toEqual(STANDS_IN);
  });

  it.each<[id: string, cacheControl: string]>([
    ['stale-close-must-revalidate', 'max-age=2, must-revalidate'],
    ['stale-close-proxy-revalidate', 'max-age=2, proxy-revalidate'],
    ['stale-close-no-cache', 'max-age=2, no-cache'],
    ['stale-close-s-maxage=2', 'max-age=2, s-maxage=2'],
    ['no-store', 'no-store'],
  ])('%s: what is cached does not stand in', async (_id, cacheControl) => {
    await becomeStale(cacheControl, disconnect);
    expect(await send()).toMatchObject({ value: 'UPSTREAM_UNAVAILABLE', reason: undefined });
  });

  it('stale-close, connection refused: the entry is served stale', async () => {
    await becomeStale('', disconnect);
    await server.close();
    expect(await send()).toEqual(STANDS_IN);
    server = await startWireServer();
  });

  it('stale-while-revalidate: given at once, renewed behind; the next one is fresh', async () => {
    server.respond = json({ number: 1 });
    await send(reference);
    laterMs = 36 * HOUR;
    server.respond = json({ number: 2 });
    expect(await send(reference)).toEqual({ value: { number: 1 }, cache: 'STALE', reason: 'REVALIDATING' });
    await server.arrived(2);
    // The refresh is still in flight: meanwhile, the same request gets the old response or already the new one.
    let next = await send(reference);
    while (next.cache === 'STALE') {
      await settle();
      next = await send(reference);
    }
    expect(next).toMatchObject({ value: { number: 2 }, cache: 'HIT' });
    expect(server.seen).toHaveLength(2);
  });

  it('stale-while-revalidate-window: past it the service is asked first', async () => {
    server.respond = json({ number: 1 });
    await send(reference);
    laterMs = 49 * HOUR;
    server.respond = json({ number: 2 });
    expect(await send(reference)).toMatchObject({ value: { number: 2 }, cache: 'MISS' });
  });

  it('304-etag-update: what is cached is fresh again', async () => {
    server.respond = json({ number: 1 }, 200, { etag: '"a"' });
    await send();
    laterMs = 2 * MINUTE;
    server.respond = (request, response) => {
      response.writeHead(request.headers['if-none-match'] === '"a"' ? 304 : 500).end();
    };
    expect(await send()).toMatchObject({ value: { number: 1 }, cache: 'MISS' });
    expect(await send()).toMatchObject({ value: { number: 1 }, cache: 'HIT' });
    expect(server.seen).toHaveLength(2);
  });
});
