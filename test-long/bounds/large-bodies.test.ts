import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type MeteredServer, startMeteredServer } from '../../test/bounds/support/metered-server.js';
import { learnResponse } from '../../test/bounds/support/neighbour.js';
import { queryBody, send } from '../../test/bounds/support/send.js';
import { openWatch, type Watch } from '../../test/bounds/support/watch.js';

/** Bodies that arrive at the same time, each of so many bytes. */
const BODIES = 4;
const BODY_BYTES = 25e6;
/** In units of the calibrating work, of five to ten milliseconds: up to 4 on two busy cores, 8 to 200 without turns. */
const LONGEST_STALL = 7;

let body: Buffer;
let headers: Record<string, string>;
let service: Server;
let server: MeteredServer;
let watch: Watch;

beforeAll(async () => {
  service = createServer(answerTogether()).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  // The other services are off, as theirs are not set.
  server = await startMeteredServer({
    // Each caller may have an address of their own, as on the internet.
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'info',
    VOLUNTEERING_URL: `http://127.0.0.1:${port}`,
    VOLUNTEERING_API_KEY: 'operator',
    MAX_CALLS_PER_REQUEST: '1000000',
    REQUEST_DEADLINE_MS: '60000',
  });
  const small = ['{ __typename }', '{ __schema { queryType { name } } }'];
  watch = await openWatch(server, await Promise.all(small.map((query) => learnResponse(server.url, queryBody(query)))));
});

afterAll(async () => {
  await server?.close();
  service?.close();
});

const WORDS = 'Accompagner une personne isolée, l’écouter et sortir avec elle. ';
const rowsOf = (words: string) => {
  const description = words.repeat(Math.ceil(8_000 / words.length));
  const data = Array.from({ length: Math.ceil(BODY_BYTES / description.length) }, (_, at) => ({
    ...{ _id: `${at}`, title: 'Visite', tags: ['aide'], addresses: [{ city: 'Rouen', postalCode: '76000' }] },
    description,
  }));
  return JSON.stringify({ ok: true, data, total: data.length });
};

// The first test: nothing else has grown the heap.
test('Four bodies of 12 MB with millions of values are refused before they take a third of a gigabyte', async () => {
  // Of each, a quarter of a gigabyte would be made.
  body = Buffer.from(`{"ok":true,"data":[${'{},'.repeat(4e6)}{}],"total":3}`);
  headers = { 'content-type': 'application/json' };
  await server.collect();
  await server.reset();
  const texts = await Promise.all(
    Array.from({ length: BODIES }, async (_, at) => {
      const query = `{ missions(first: 100, city: ["of ${at}"]) { totalCount } }`;
      return (await send(server.url, { body: queryBody(query) })).text;
    }),
  );
  for (const text of texts) expect(text).toContain('UPSTREAM_INVALID_RESPONSE');
  expect((await server.read()).heapBytes).toBeLessThan(300e6);
});

test('Four large bodies of thousands of missions at once keep nobody waiting', async () => {
  body = Buffer.from(rowsOf(WORDS));
  headers = { 'content-type': 'application/json' };
  const ask = (at: number) => {
    const query = `{ missions(first: 100, city: ["thousands ${at}"]) { totalCount } }`;
    return send(server.url, { body: queryBody(query), headers: { 'x-forwarded-for': '192.0.2.1' } });
  };
  const { stall, peakMb, neighbour, result } = await watch(() =>
    Promise.all(Array.from({ length: BODIES }, (_, at) => ask(at))),
  );
  // All of them were in memory: they came, and none was refused for its size.
  expect(peakMb).toBeGreaterThan(BODY_BYTES / 1e6);
  for (const { text } of result) expect(text).not.toContain('UPSTREAM_INVALID_RESPONSE');
  expect(neighbour.wrong).toEqual([]);
  expect(stall).toBeLessThan(LONGEST_STALL);
});

/** Bytes at the end of each body that are sent once all others have left, so that all bodies end at the same time. */
const LAST_BYTES = 1_000;

/** Answers searches of missions together, and everything else at once. */
function answerTogether() {
  let waiting: ServerResponse[] = [];
  return ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    if (!url.includes('city')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true,"data":[],"total":0}');
      return;
    }
    waiting.push(response);
    if (waiting.length < BODIES) return;
    void sendTogether(waiting);
    waiting = [];
  };
}

async function sendTogether(responses: readonly ServerResponse[]): Promise<void> {
  const end = body.length - LAST_BYTES;
  for (const one of responses) one.writeHead(200, { ...headers, 'content-length': body.length });
  await Promise.all(responses.map((one) => new Promise((sent) => one.write(body.subarray(0, end), sent))));
  for (const one of responses) one.end(body.subarray(end));
}
