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

const QUERY = 'query ($text: String) { __typename echo(text: $text) }';
const body = (variables: string) => `{"query":"${QUERY}","variables":${variables}}`;

async function send(sent: Buffer | string, headers: Record<string, string>) {
  const { statusCode, body: response } = await request(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: sent,
  });
  return { status: statusCode, text: await response.text() };
}

async function expectRefused(sent: ReturnType<typeof send>): Promise<void> {
  const { status, text } = await sent;
  expect([400, 413]).toContain(status);
  expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
}

const KEY = { 'x-work-study-key': 'any' };
const keys = (count: number) => body(`{${Array.from({ length: count }, (_, key) => `"k${key}":0`).join(',')}}`);

describe('a body of many values', () => {
  it('is refused with a key too', () => expectRefused(send(keys(30_000), KEY)));

  it('is refused in a GET too, in its variables and in its extensions', async () => {
    const get = async (search: Record<string, string>) => {
      const { statusCode, body: response } = await request(`${gateway.url}/graphql?${new URLSearchParams(search)}`);
      return [statusCode, await response.json()];
    };
    const deep = `{"text":${'['.repeat(300)}${']'.repeat(300)}}`;
    expect(await get({ query: QUERY, variables: deep })).toMatchObject([
      400,
      { errors: [{ message: '`variables` is nested more than 200 deep.' }] },
    ]);
    expect(await get({ query: QUERY, extensions: `{"text":[${'0,'.repeat(3_500)}0]}` })).toMatchObject([200, {}]);
  });
});
