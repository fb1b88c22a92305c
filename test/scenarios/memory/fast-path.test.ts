import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../temporary-folder.js';
import { lastAnswered } from '../answered.js';
import { IS_APART, type Stack, startStack } from '../stack.js';

const KNOWN = '{ missions(first: 2) { nodes { id title } } }';
const BODY = JSON.stringify({ query: KNOWN });
const ORIGIN = 'https://page.example';
const JSON_TYPE = { 'content-type': 'application/json' };

async function post(stack: Stack, headers: Record<string, string> = {}, body: string | Uint8Array = BODY) {
  const response = await fetch(`${stack.url}/graphql`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
  return { response, text: await response.text(), way: lastAnswered(stack).way };
}

/** Sends a request in pieces, each after the server has read the one before; returns all received until the close. */
async function sendPieces(stack: Stack, pieces: readonly string[], isEnded: boolean): Promise<string> {
  const { port, hostname } = new URL(stack.url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  for (const piece of pieces) {
    await new Promise((taken) => socket.write(piece, taken));
    // The server runs in this process and reads between turns of the event loop.
    for (let turn = 0; turn < 3; turn++) await new Promise((turned) => setImmediate(turned));
  }
  if (isEnded) socket.end();
  await new Promise((closed) => socket.once('close', closed));
  return received;
}

describe.skipIf(IS_APART)('A request that was answered before', () => {
  let stack: Stack;
  beforeAll(async () => {
    // A body counts as the same for a second.
    vi.useFakeTimers({ toFake: ['Date'] });
    const env = { CORS_ORIGINS: ORIGIN };
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env });
    // Executed in full, then by the router from the cache, and from then on before the router.
    for (const way of ['schema', 'whole response', 'whole response']) expect((await post(stack)).way).toBe(way);
  });
  afterAll(async () => {
    await stack.close();
    vi.useRealTimers();
  });

  test('has the bytes and the headers that the router gives it', async () => {
    const query = '{ departements { nom codeInsee } }';
    const body = JSON.stringify({ query });
    const responses = [];
    for (let time = 0; time < 4; time++) {
      const { response, text } = await post(stack, { origin: ORIGIN, 'x-request-id': 'mine' }, body);
      const { date, 'cache-control': cacheControl, ...headers } = Object.fromEntries(response.headers);
      responses.push({ text, headers, cacheControl: cacheControl?.replace(/\d+$/, 'N') });
    }
    const [executed, routed, ...met] = responses;
    expect(executed?.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, 'x-request-id': 'mine' });
    expect(executed?.cacheControl).toBe('public, max-age=N');
    expect(routed).toEqual(executed);
    for (const response of met) expect(response).toEqual(executed);
  });

  test('is answered in the type that it accepts', async () => {
    const accept = 'application/graphql-response+json';
    const { response, way } = await post(stack, { accept });
    expect([response.headers.get('content-type'), way]).toEqual([`${accept}; charset=utf-8`, 'whole response']);
  });

  test.each(['gzip', 'br'])('is compressed once for all who accept %s', async (encoding) => {
    // Few enough rows that writing them never checks the clock.
    const body = JSON.stringify({ query: '{ missions(first: 12) { nodes { id title descriptionHtml } } }' });
    const plain = await post(stack, {}, body);
    const responses = [];
    for (let time = 0; time < 4; time++) responses.push(await post(stack, { 'accept-encoding': encoding }, body));
    for (const { response, text } of responses) {
      expect([response.headers.get('content-encoding'), text]).toEqual([encoding, plain.text]);
      expect(response.headers.get('content-length')).toBe(responses[0]?.response.headers.get('content-length'));
    }
    expect(new Set(responses.map(({ way }) => way))).toEqual(new Set(['whole response']));
    const refusing = await post(stack, { 'accept-encoding': `${encoding};q=0, identity` }, body);
    expect([refusing.response.headers.get('content-encoding'), refusing.text]).toEqual([null, plain.text]);
  });

  test('is answered from memory whatever a client says of itself', async () => {
    const body = JSON.stringify({
      query: '{ missions(first: 3) { nodes { title } } }',
      extensions: { clientLibrary: { name: 'mine' } },
    });
    const ways = [];
    for (let time = 0; time < 3; time++) ways.push((await post(stack, {}, body)).way);
    expect(ways).toEqual(['schema', 'whole response', 'whole response']);
  });

  test('with a cookie is answered once its session was looked for', async () => {
    const cookie = `passerelle=${randomBytes(32).toString('base64url')}`;
    expect(await post(stack, { cookie })).toMatchObject({ way: 'whole response', response: { status: 200 } });
    const forged = await post(stack, { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://other.example' });
    expect(forged).toMatchObject({ response: { status: 403 }, way: undefined });
  });

  const END = `content-length: ${BODY.length}\r\n\r\n`;

  test.each([
    ['behind its head', [END, BODY.slice(0, 9), BODY.slice(9)]],
    ['the first of them with its head', [`${END}${BODY.slice(0, 9)}`, BODY.slice(9)]],
  ])('may arrive in pieces, %s', async (_where, rest) => {
    const head = `POST /graphql HTTP/1.1\r\nhost: here\r\nconnection: close\r\ncontent-type: application/json\r\n`;
    const pieces = [head, ...rest];
    expect(await sendPieces(stack, pieces, false)).toMatch(/^HTTP\/1\.1 200 .*"missions"/s);
    expect(lastAnswered(stack).way).toBe('whole response');
  });

  test('is refused when its end does not arrive', async () => {
    const head = `POST /graphql HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n`;
    const refused = stack.log.seen(({ fields }) => JSON.stringify(fields).includes('cut-off'));
    await sendPieces(stack, [`${head}x-request-id: cut-off\r\ncontent-length: 99\r\n\r\n{"query"`], true);
    expect((await refused).message).toBe('request refused');
  });

  test.each([
    ['as rows', { accept: 'text/csv' }, BODY, /^"?id/],
    ['with a trace', { 'x-passerelle-trace': '1' }, BODY, /"passerelle":/],
    ['compressed', { 'content-encoding': 'gzip' }, gzipSync(BODY), /^\{"data":\{"missions"/],
    ['of which nothing is acceptable', { accept: 'image/png' }, BODY, /"BAD_REQUEST"/],
    ['as another type', { 'content-type': 'text/plain' }, BODY, /must be application\/json/],
  ])('goes to the router %s', async (_what, headers, body, expected) => {
    const { text } = await post(stack, headers, body);
    expect(text).toMatch(expected);
  });

  test('is one of the bytes that were sent: another one is read anew', async () => {
    const other = await post(stack, {}, `${BODY} `);
    expect(other).toMatchObject({ way: 'whole response', response: { status: 200 } });
    const broken = await post(stack, {}, `${BODY}}`);
    expect(broken.text).toContain('The body is not JSON.');
  });
});

test('An operation that a safelist only logs is logged each time', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'safelist.json');
  const listed = '{ __typename }';
  const hash = createHash('sha256').update(listed).digest('hex');
  await writeFile(file, JSON.stringify({ operations: { [hash]: listed } }));
  const env = { SAFELIST: file, SAFELIST_MODE: 'log' };
  const stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env });
  for (let time = 0; time < 4; time++) await post(stack);
  const warnings = stack.log.lines.filter(({ message }) => /not on the safelist/.test(message));
  expect([warnings.length, lastAnswered(stack).way]).toEqual([4, 'whole response']);
  await stack.close();
});
