import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_LONG } from '../runs.js';
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

const ROUNDS = 5;

/** CPU time of one run, in microseconds. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The least of several runs: what the work needs when nothing else is going on. */
async function leastCost(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) least = Math.min(least, await cost(work));
  return least;
}

/** Whether any of several runs costs less than twice an honest request. */
async function costsLessThanTwice(work: () => Promise<unknown>): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round += 1) if ((await cost(work)) < 2 * honest) return true;
  // A collection of the whole heap makes everything more expensive, so this compares with honest requests sent in turn.
  let honestNow = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    honestNow = Math.min(honestNow, await cost(sendHonest));
    if ((await cost(work)) < 2 * honestNow) return true;
  }
  return false;
}

async function expectRefused(sent: ReturnType<typeof send>): Promise<void> {
  const { status, text } = await sent;
  expect([400, 413]).toContain(status);
  expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
}

const KEY = { 'x-work-study-key': 'any' };
const keys = (count: number) => body(`{${Array.from({ length: count }, (_, key) => `"k${key}":0`).join(',')}}`);

let honest: number;
let attachment: string;
const sendHonest = () => send(attachment, KEY);

/** What is sent to a whole server, without a key, is in `bounds/`. */
describe.runIf(IS_LONG)('a body of many values', () => {
  beforeAll(async () => {
    attachment = body(JSON.stringify({ text: 'QUJD'.repeat(1_400_000) }));
    honest = await leastCost(sendHonest);
  });

  it.each([
    ['half a million keys', () => keys(500_000)],
    ['a million empty texts', () => body(`{"text":[${'"",'.repeat(1_000_000)}""]}`)],
    ['zeros without end', () => body(`{"text":[${'0,'.repeat(2_950_000)}0]}`)],
    ['lists in lists', () => body(`{"text":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`)],
  ])('of %s costs at most twice an honest attachment, zipped or not, with a key or without', async (_name, write) => {
    const text = write();
    const zipped = gzipSync(text);
    for (const headers of [{}, KEY]) {
      const plain = () => send(text, headers);
      const packed = () => send(zipped, { ...headers, 'content-encoding': 'gzip' });
      for (const go of [plain, packed]) {
        expect(await costsLessThanTwice(() => expectRefused(go()))).toBe(true);
      }
    }
  });
});

describe('a body of many values', () => {
  it('a body of many values is refused with a key too', () => expectRefused(send(keys(30_000), KEY)));

  it('a body of many values is refused in a GET too, in its variables and in its extensions', async () => {
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
