import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway } from './support/open-gateway.js';

const LONG = 'é'.repeat(4_000);

let gateway: OpenedGateway;
let graphql: string;

beforeAll(async () => {
  gateway = await openGateway({ resolvers: { volunteering: { Query: { slow: () => LONG } } } });
  graphql = `${gateway.url}/graphql`;
});
afterAll(() => gateway.close());

describe('the body of a response', () => {
  it('is compressed when it is large and the client takes it, as the client prefers', async () => {
    const send = async (query: string, encoding: string) => {
      const { headers, body } = await request(graphql, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-encoding': encoding },
        body: JSON.stringify({ query }),
      });
      return { encoding: headers['content-encoding'], bytes: Buffer.from(await body.arrayBuffer()) };
    };
    const brotli = await send('{ slow }', 'gzip, br');
    expect(brotli.encoding).toBe('br');
    expect(JSON.parse(brotliDecompressSync(brotli.bytes).toString())).toEqual({ data: { slow: LONG } });
    const zipped = await send('{ slow }', 'gzip, br;q=0');
    expect(zipped.encoding).toBe('gzip');
    expect(JSON.parse(gunzipSync(zipped.bytes).toString())).toEqual({ data: { slow: LONG } });
    for (const [accepted, encoding] of [
      ['identity', undefined],
      ['gzip;q=0.5, identity', undefined],
      ['gzip;q=0, br;q=0', undefined],
      ['br;q=0.2, gzip;q=0.8', 'gzip'],
      ['*', 'br'],
      ['*;q=0.5, br;q=0', 'gzip'],
      ['x-gzip', 'gzip'],
    ] as const)
      expect([accepted, (await send('{ slow }', accepted)).encoding]).toEqual([accepted, encoding]);
    expect((await send('{ __typename }', 'gzip, identity;q=0')).encoding).toBe('gzip');
    expect((await send('{ __typename }', 'gzip, br')).encoding).toBeUndefined();
  });
});
