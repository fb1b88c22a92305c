import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway, parseResponse } from './support/open-gateway.js';

/** Guards which pages of other origins may call, and that none can make a browser send a query blindly. */

const resolvers = { volunteering: { Query: { echo: (_: unknown, { text }: { text: string }) => text } } };

let gateway: OpenedGateway;
let graphql: string;

beforeAll(async () => {
  gateway = await openGateway({ resolvers, gateway: { corsOrigins: ['https://analyst.example'] } });
  graphql = `${gateway.url}/graphql`;
});
afterAll(() => gateway.close());

async function get(search: Record<string, string>, headers: Record<string, string> = {}) {
  return parseResponse(await fetch(`${graphql}?${new URLSearchParams(search)}`, { headers }));
}

describe('other origins', () => {
  it('other origins may call when they are named, exactly', async () => {
    const preflight = (origin: string) => fetch(graphql, { method: 'OPTIONS', headers: { origin } });
    const named = await preflight('https://analyst.example');
    expect(named.status).toBe(204);
    expect(named.headers.get('access-control-allow-origin')).toBe('https://analyst.example');
    expect(named.headers.get('access-control-allow-headers')).toContain('x-work-study-key');
    expect(named.headers.get('vary')).toBe('Origin');
    for (const origin of ['https://analyst.example.evil', 'http://analyst.example', 'null']) {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
    }
    const { headers } = await gateway.send('{ __typename }', { headers: { origin: 'https://analyst.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('https://analyst.example');
  });

  it('other origins may read what the headers of rows say: how they are called, how much failed, and what is stale', async () => {
    const rows = `${graphql}?${new URLSearchParams({ query: '{ echo(text: "a") }', format: 'csv' })}`;
    const { headers } = await fetch(rows, { headers: { origin: 'https://analyst.example' } });
    const readable = headers.get('access-control-expose-headers')?.split(', ');
    expect(readable).toEqual(expect.arrayContaining(['content-disposition', 'x-passerelle-errors', 'cache-status']));
    expect(readable).toContain('x-passerelle-omitted-lists');
    for (const name of ['content-disposition', 'x-passerelle-errors']) expect(headers.get(name)).not.toBeNull();
  });

  it.each([
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
    ['by an image of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['from another name of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['in a word that no browser has yet', { 'sec-fetch-site': 'elsewhere' }, 403],
    ['by a page of another origin that names it alone', { origin: 'https://evil.example' }, 403],
    ['by a page of no origin', { origin: 'null' }, 403],
    ['by a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['by a page of an allowed origin', { 'sec-fetch-site': 'cross-site', origin: 'https://analyst.example' }, 200],
    ['by a page of an allowed origin that names it alone', { origin: 'https://analyst.example' }, 200],
    ['after a preflight', { 'sec-fetch-site': 'cross-site', 'x-passerelle-csrf': '1' }, 200],
    ['by our own page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['by the address bar', { 'sec-fetch-site': 'none' }, 200],
    ['by Excel or curl', {}, 200],
  ])('other origins cannot make a browser ask blindly: a GET that is sent %s', async (_name, headers, status) => {
    const response = await get({ query: '{ echo(text: "a") }' }, headers as Record<string, string>);
    expect(response.status).toBe(status);
    if (status === 403) expect(response.errors?.[0]?.extensions['code']).toBe('BAD_REQUEST');
  });

  it('other origins are our own by the host that was requested, whatever the scheme in front of it', async () => {
    for (const origin of [gateway.url, gateway.url.replace('http:', 'https:')]) {
      expect((await get({ query: '{ echo(text: "a") }' }, { origin })).status).toBe(200);
    }
  });
});
