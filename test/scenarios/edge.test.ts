import { createHash } from 'node:crypto';
import { request as send } from 'node:http';
import { networkInterfaces } from 'node:os';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SERVICES } from '../../kernel/services.js';
import { start } from '../../main.js';
import { ConfigurationError, readConfiguration } from '../../runtime/configuration/configuration.js';
import { createMemoryLog } from './memory-log.js';
import { plainMissions, the } from './samples.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

const PAGE = 'https://analysts.example';
const HAS_IPV6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

describe.each(USUAL_SHAPE)('The endpoint over HTTP, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 }, env: { CORS_ORIGINS: PAGE } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  const get = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${stack.url}/graphql?${new URLSearchParams(parameters)}`, {
      headers: { 'x-passerelle-csrf': '1', 'apollo-require-preflight': '1', ...headers },
    });
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const names = () => stack.sandbox.world.departements.map(({ nom }) => nom);

  test('answers queries by GET, with variables', async () => {
    const { id, title } = the(plainMissions(stack.sandbox.world)[0]);
    const response = await get({
      query: 'query ($id: ID!) { mission(id: $id) { title } }',
      variables: JSON.stringify({ id }),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ data: { mission: { title } } });
    expect(stack.calls()).toEqual([`volunteering GET /v0/mission/${id} operator`]);
  });

  test('refuses writes by GET, without a call', async () => {
    const response = await get({
      query: 'mutation { generateAppointmentLink(input: { parcoursupId: "1" }) { userErrors { message } } }',
    });
    expect(response.status).toBe(405);
    expect(stack.calls()).toEqual([]);
  });

  test('takes automatic persisted queries: the text once, then the hash', async () => {
    const query = '{ departements { nom } }';
    const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') };
    const unknown = (await (await post({ extensions: { persistedQuery } })).json()) as {
      errors: { extensions: { code: string } }[];
    };
    expect(unknown.errors.map(({ extensions }) => extensions.code)).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    await post({ query, extensions: { persistedQuery } });
    const known = (await (await post({ extensions: { persistedQuery } })).json()) as {
      data: { departements: { nom: string }[] };
    };
    expect(known.data.departements.map(({ nom }) => nom)).toEqual(names());
  });

  test('answers in gzip to a client that takes it, and reads bodies in gzip', async () => {
    const body = gzipSync(JSON.stringify({ query: '{ departements { nom codeInsee } }' }));
    const { encoding, bytes } = await raw(body, { 'content-encoding': 'gzip', 'accept-encoding': 'gzip' });
    expect(encoding).toBe('gzip');
    const parsed = JSON.parse(gunzipSync(bytes).toString()) as { data: { departements: { nom: string }[] } };
    expect(parsed.data.departements.map(({ nom }) => nom)).toEqual(names());
  });

  function raw(body: Buffer, headers: Record<string, string>): Promise<{ encoding: unknown; bytes: Buffer }> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
      const request = send(`${stack.url}/graphql`, options, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(pieces) }),
        );
      });
      request.on('error', reject).end(body);
    });
  }

  test('lets pages of named origins ask, and no others', async () => {
    const preflight = (origin: string) =>
      fetch(`${stack.url}/graphql`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    expect((await preflight(PAGE)).headers.get('access-control-allow-origin')).toBe(PAGE);
    expect((await preflight('https://elsewhere.example')).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('tells that it is alive and ready, and which sources it asks', async () => {
    expect((await fetch(`${stack.url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${stack.url}/readyz`);
    expect(ready.status).toBe(200);
    const { status, sources } = (await ready.json()) as { status: string; sources: { name: string; state: string }[] };
    expect(status).toBe('ready');
    expect(sources.map(({ name }) => name)).toEqual(SERVICES);
    // The addresses are configured, so the program counts the sandbox as the real services.
    expect(ready.headers.get('x-passerelle-upstreams')).toBe('real');
    expect((await post({ query: '{ __typename }' })).headers.get('x-passerelle-upstreams')).toBe('real');
  });

  test('refuses an operation that the document does not have, and a document that is none', async () => {
    const cases: readonly [object, string][] = [
      [{ query: 'query A { __typename } query B { __typename }', operationName: 'C' }, 'OPERATION_RESOLUTION_FAILURE'],
      [{ query: '{ departements { nom }' }, 'GRAPHQL_PARSE_FAILED'],
      [{ query: '{ departements { prefet } }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ];
    for (const [body, code] of cases) {
      const response = await post(body);
      expect(response.status).toBe(400);
      const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
      expect(errors.map(({ extensions }) => extensions.code)).toEqual([code]);
    }
    expect(stack.calls()).toEqual([]);
  });

  test('refuses lists in lists before they are planned: a few dozen would keep the planner for ever', async () => {
    const lists = `${'['.repeat(24)}${']'.repeat(24)}`;
    const response = await post({ query: `{ jobSearch(romes: ${lists}) { truncated } }` });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
  });

  test('logs how long a request took', async () => {
    const { id } = the(plainMissions(stack.sandbox.world)[1]);
    const heal = stack.sandbox.volunteering.fault({ kind: 'latency', path: `/v0/mission/${id}`, ms: 50 });
    await stack.send(`{ mission(id: "${id}") { title } }`, { headers: { 'x-request-id': 'slow-one' } });
    heal();
    const { fields } = await stack.log.seen(
      (line) =>
        line.message === 'request answered' && 'requestId' in line.fields && line.fields.requestId === 'slow-one',
    );
    expect((fields as { ms: number }).ms).toBeGreaterThanOrEqual(45);
  });
});

describe('A start without sources', () => {
  test('is the sandbox in development, and says so on each response', async () => {
    const running = await start(readConfiguration('all', { PORT: '0', CACHE_DIR: 'off' }), createMemoryLog());
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ missions(first: 1) { nodes { title } } }' }),
    });
    const { data } = (await response.json()) as { data: { missions: { nodes: unknown[] } } };
    await running.close();
    expect(data.missions.nodes).toHaveLength(1);
    expect(response.headers.get('x-passerelle-upstreams')).toBe('sandbox');
  });

  test.runIf(HAS_IPV6)('listens at an IPv6 address that is written as in a URL', async () => {
    const env = { HOST: '[::1]', PORT: '0', METRICS_PORT: 'OFF', CACHE_DIR: 'OFF' };
    const running = await start(readConfiguration('all', env), createMemoryLog());
    const { status } = await fetch(`${running.url}/readyz`);
    await running.close();
    expect([running.url, status]).toEqual([expect.stringMatching(/^http:\/\/\[::1\]:\d+$/), 200]);
  });

  test('is refused in production', () => {
    const production = { NODE_ENV: 'production', SESSION_SECRET: 'a-session-secret-of-more-than-32-characters' };
    expect(() => readConfiguration('all', production)).toThrow(ConfigurationError);
  });
});
