import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway } from './support/open-gateway.js';

/** Guards how large a body may be, both as sent and unpacked, and which encodings it may have. */

const resolvers = {
  volunteering: { Mutation: { apply: (_: unknown, { text }: { text: string }) => `applied ${text}` } },
};

let gateway: OpenedGateway;
let graphql: string;

beforeAll(async () => {
  gateway = await openGateway({ resolvers });
  graphql = `${gateway.url}/graphql`;
});
afterAll(() => gateway.close());

describe('bodies', () => {
  const mutation = (text: string) =>
    JSON.stringify({ query: 'mutation ($text: String) { apply(text: $text) }', variables: { text } });

  function send(body: Buffer | string, encoding?: string, key?: string) {
    return request(graphql, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(encoding !== undefined && { 'content-encoding': encoding }),
        ...(key !== undefined && { 'x-work-study-key': key }),
      },
      body,
    });
  }

  /** Text that hardly compresses, like that of an attachment. */
  const base64 = (length: number) => randomBytes(length).toString('base64').slice(0, length);

  async function expectLimit(bytes: number, key?: string) {
    const accepted = mutation(base64(bytes - 200));
    const refused = mutation(base64(bytes));
    const plain = (text: string) => send(text, undefined, key);
    const zipped = (text: string) => send(gzipSync(text), 'gzip', key);
    const chunked = (text: string) => send(Readable.from([text]) as never, undefined, key);
    // How they are sent matters as little to larger ones.
    const forms = key === undefined ? [plain, zipped, chunked] : [plain];
    for (const sendAs of forms) {
      const response = await sendAs(accepted);
      expect(response.statusCode).toBe(200);
      await response.body.dump();
      const { statusCode, body } = await sendAs(refused);
      expect([statusCode, ((await body.json()) as { errors: unknown[] }).errors[0]]).toMatchObject([
        413,
        { message: expect.stringContaining('The body is larger than'), extensions: { code: 'BAD_REQUEST' } },
      ]);
    }
  }

  it('may be gzipped', async () => {
    const { body } = await send(gzipSync(mutation('zipped')), 'gzip');
    expect(await body.json()).toEqual({ data: { apply: 'applied zipped' } });
  });

  it('may have 256 kB, sent or unpacked', () => expectLimit(256 * 1024));

  it('may have 6 MB, for an attachment, with a key for work-study', () => expectLimit(6 * 1024 * 1024, 'any'));

  it('are larger than that with no key that is empty', async () => {
    const { statusCode, body } = await send(mutation(base64(300 * 1024)), undefined, ' ');
    expect([statusCode, await body.json()]).toMatchObject([
      413,
      { errors: [{ message: expect.stringContaining('256 kB') }] },
    ]);
  });

  it('may unpack to 64 kB whatever their size, and to a hundred times that beyond', async () => {
    const zipped = (characters: number) => send(gzipSync(mutation('x'.repeat(characters))), 'gzip', 'any');
    const accepted = await zipped(60 * 1024);
    expect(accepted.statusCode).toBe(200);
    await accepted.body.dump();
    const { statusCode, body } = await zipped(3 * 1024 * 1024);
    expect([statusCode, await body.json()]).toMatchObject([
      413,
      {
        errors: [
          { message: 'The body decompresses to more than 100 times its size.', extensions: { code: 'BAD_REQUEST' } },
        ],
      },
    ]);
  });

  it('are refused when they are not encoded as they say, or in a way that is not known', async () => {
    for (const [encoding, status] of [
      ['gzip', 400],
      ['zstd', 415],
    ] as const) {
      const { statusCode, body } = await send(mutation('plain'), encoding);
      expect(statusCode).toBe(status);
      await body.dump();
    }
  });
});
