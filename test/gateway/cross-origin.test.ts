import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Metrics } from '../../runtime/process/metrics.js';
import { type OpenedGateway, openGateway, parseResponse } from './support/open-gateway.js';

/** Guards which pages of other origins may call, and that none can make a browser send a query blindly. */

const resolvers = { volunteering: { Query: { echo: (_: unknown, { text }: { text: string }) => text } } };

let gateway: OpenedGateway;
let graphql: string;
const metrics = new Metrics();

const ORIGINS = ['https://analyst.example', 'https://*.preview.example.fr', 'capacitor://localhost'];

beforeAll(async () => {
  gateway = await openGateway({ resolvers, gateway: { corsOrigins: ORIGINS, metrics } });
  graphql = `${gateway.url}/graphql`;
});
afterAll(() => gateway.close());

async function get(search: Record<string, string>, headers: Record<string, string> = {}) {
  return parseResponse(await fetch(`${graphql}?${new URLSearchParams(search)}`, { headers }));
}

/** Sends a preflight as a browser does. */
async function preflight(origin: string, ...wanted: readonly string[]): Promise<Headers> {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    ...(wanted.length > 0 && { 'access-control-request-headers': wanted.join(',') }),
  };
  const response = await fetch(graphql, { method: 'OPTIONS', headers });
  expect(response.status).toBe(204);
  return response.headers;
}

describe('other origins', () => {
  it('may send what they like, and what their clients add unasked', async () => {
    const wanted = 'content-type,x-work-study-key,apollographql-client-name,x-other';
    const headers = await preflight('https://analyst.example', wanted);
    expect(headers.get('access-control-allow-headers')).toBe(wanted);
    expect((await preflight('https://elsewhere.example', wanted)).get('access-control-allow-headers')).toBeNull();
  });

  it.each([
    ['https://branch-7.preview.example.fr', true],
    ['https://a.b.preview.example.fr', false],
    ['https://preview.example.fr', false],
    ['https://.preview.example.fr', false],
    ['https://*.preview.example.fr', false],
    ['http://branch-7.preview.example.fr', false],
    ['https://branch-7.preview.example.fr:8443', false],
    ['https://branch-7.preview.example.fr.evil.example', false],
    ['https://evil.example/.preview.example.fr', false],
    ['capacitor://localhost', true],
    ['capacitor://elsewhere', false],
    ['ionic://localhost', false],
  ])('may be one label of a pattern, or those of an app: %s %s', async (origin, allowed) => {
    const headers = await preflight(origin);
    expect(headers.get('access-control-allow-origin')).toBe(allowed ? origin : null);
    const { status } = await get({ query: '{ echo(text: "a") }' }, { origin, 'sec-fetch-site': 'cross-site' });
    expect(status).toBe(allowed ? 200 : 403);
  });

  it('that are refused are counted each time, and logged once', async () => {
    const counted = async () =>
      Number(/passerelle_preflights_refused_total\{reason="origin"\} (\d+)/.exec(await metrics.text())?.[1]) || 0;
    const before = await counted();
    for (const _time of [1, 2]) await preflight('https://new.example');
    expect(await counted()).toBe(before + 2);
    const lines = gateway.log.filter(({ message }) => message.startsWith('a page may not call'));
    expect(lines.filter(({ fields }) => fields['origin'] === 'https://new.example')).toHaveLength(1);
  });

  it('that strangers invent do not fill the log', async () => {
    const flooded = await openGateway({ resolvers, gateway: { corsOrigins: ORIGINS, metrics } });
    for (let count = 0; count < 150; count += 1) {
      const headers = { origin: `https://${count}.example`, 'access-control-request-method': 'POST' };
      await fetch(`${flooded.url}/graphql`, { method: 'OPTIONS', headers });
    }
    await flooded.close();
    expect(flooded.log.filter(({ message }) => message.startsWith('a page may not call'))).toHaveLength(100);
  });

  it('find every header that they may read in the documentation', async () => {
    const page = readFileSync(new URL('../../docs/frontends.md', import.meta.url), 'utf8');
    const exposed =
      (await preflight('https://analyst.example')).get('access-control-expose-headers')?.split(', ') ?? [];
    expect(exposed.length).toBeGreaterThan(10);
    expect(exposed.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('may call when they are named, exactly', async () => {
    const named = await preflight('https://analyst.example');
    expect(named.get('access-control-allow-origin')).toBe('https://analyst.example');
    expect(named.get('vary')).toBe('Origin');
    for (const origin of ['https://analyst.example.evil', 'http://analyst.example', 'null']) {
      expect((await preflight(origin)).get('access-control-allow-origin')).toBeNull();
    }
    const { headers } = await gateway.send('{ __typename }', { headers: { origin: 'https://analyst.example' } });
    expect(headers.get('access-control-allow-origin')).toBe('https://analyst.example');
  });

  it('may read what the headers of rows say: how they are called, how much failed, and what is stale', async () => {
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
  ])('cannot make a browser ask blindly: a GET that is sent %s', async (_name, headers, status) => {
    const response = await get({ query: '{ echo(text: "a") }' }, headers as Record<string, string>);
    expect(response.status).toBe(status);
    if (status === 403) expect(response.errors?.[0]?.extensions['code']).toBe('BAD_REQUEST');
  });

  it('are our own by the host that was requested, whatever the scheme in front of it', async () => {
    for (const origin of [gateway.url, gateway.url.replace('http:', 'https:')]) {
      expect((await get({ query: '{ echo(text: "a") }' }, { origin })).status).toBe(200);
    }
  });
});
