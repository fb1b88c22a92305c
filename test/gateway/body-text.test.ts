import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway } from './support/open-gateway.js';

let gateway: OpenedGateway;
beforeAll(async () => {
  gateway = await openGateway({
    resolvers: { volunteering: { Query: { echo: (_: unknown, { text }: { text: string }) => text } } },
  });
});
afterAll(() => gateway.close());

const QUERY = '{"query":"{ echo(text: \\"Orléans\\") }"}';
const LATIN_1 = Buffer.from(QUERY, 'latin1');
const UTF_8 = Buffer.from(QUERY);

async function send(body: Buffer, type: string, headers: Record<string, string> = {}) {
  const sent = { 'content-type': type, ...headers };
  const response = await request(`${gateway.url}/graphql`, { method: 'POST', headers: sent, body });
  return [response.statusCode, await response.body.json()];
}

const ANSWERED = [200, { data: { echo: 'Orléans' } }];
const refused = (status: number, message: string) => [
  status,
  { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] },
];

describe('the text of a body', () => {
  it.each([
    ['as it is', (body: Buffer) => body, {}],
    ['compressed', gzipSync, { 'content-encoding': 'gzip' }],
  ])('is UTF-8, with a byte order mark or without, %s', async (_how, pack, headers) => {
    const sendPacked = (body: Buffer) => send(pack(body), 'application/json', headers);
    expect(await sendPacked(LATIN_1)).toMatchObject(refused(400, 'The body is not UTF-8.'));
    expect(await sendPacked(UTF_8)).toEqual(ANSWERED);
    expect(await sendPacked(Buffer.from(`\ufeff${QUERY}`))).toEqual(ANSWERED);
  });

  it.each(['iso-8859-1', '"ISO-8859-1"', 'utf-16'])('is refused as %s, whatever its bytes are', async (charset) => {
    const type = `application/json; charset=${charset}`;
    for (const body of [LATIN_1, UTF_8]) {
      expect(await send(body, type)).toMatchObject(refused(415, 'The character set of a body is utf-8.'));
    }
  });

  it.each(['charset=UTF-8', ' Charset="utf-8"', 'charset=utf8', 'boundary=none'])(
    'is read as %s',
    async (parameter) => {
      expect(await send(UTF_8, `application/json;${parameter}`)).toEqual(ANSWERED);
    },
  );
});
