import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { serverAudits } from 'graphql-http';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway, parseResponse, post } from './support/open-gateway.js';

const resolvers = {
  volunteering: {
    Query: {
      echo: (_: unknown, { text }: { text: string }) => text,
      missions: () => [],
    },
    Mutation: { apply: (_: unknown, { text }: { text: string }) => `applied ${text}` },
  },
};

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

describe('GraphQL over HTTP', () => {
  it('passes every audit of the specification, those that it only recommends too', async () => {
    const audits = serverAudits({ url: graphql, fetchFn: fetch });
    const failed = [];
    for (const audit of audits) {
      const result = await audit.fn();
      if (result.status !== 'ok') failed.push(`${audit.name}: ${result.reason}`);
    }
    expect(audits).toHaveLength(61);
    expect(failed).toEqual([]);
  });

  it('answers a query by GET and refuses a mutation there', async () => {
    expect((await get({ query: '{ echo(text: "a") }' })).data).toEqual({ echo: 'a' });
    const refused = await get({ query: 'mutation { apply(text: "a") }' });
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('POST');
  });

  it('reads variables of a GET from JSON and refuses what is none', async () => {
    const query = 'query ($text: String) { echo(text: $text) }';
    expect((await get({ query, variables: '{"text":"b"}' })).data).toEqual({ echo: 'b' });
    expect((await get({ query, variables: '{text}' })).status).toBe(400);
    expect((await get({ query, variables: '[1]' })).status).toBe(400);
  });

  it('answers in the form that is requested', async () => {
    const typeFor = async (accept: string) =>
      (await get({ query: '{ __typename }' }, { accept })).headers.get('content-type');
    expect(await typeFor('application/graphql-response+json')).toBe('application/graphql-response+json; charset=utf-8');
    expect(await typeFor('application/json;q=0.5, application/graphql-response+json')).toContain('graphql-response');
    expect(await typeFor('text/html, */*;q=0.1')).toBe('application/json; charset=utf-8');
    const refused = await get({ query: '{ __typename }' }, { accept: 'text/html' });
    expect(refused.status).toBe(406);
    expect(refused.errors?.[0]?.message).toContain('rows are text/csv, ');
  });

  it('lets no cache keep a response, and says that the sources are the sandbox', async () => {
    const { headers } = await gateway.send('{ __typename }');
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('x-passerelle-upstreams')).toBe('sandbox');
  });

  it('gives a request id back, and one of its own where none or a strange one was sent', async () => {
    const idFor = async (headers: Record<string, string>) =>
      (await gateway.send('{ __typename }', { headers })).headers.get('x-request-id');
    expect(await idFor({ 'x-request-id': 'abc-123' })).toBe('abc-123');
    expect(await idFor({ 'x-request-id': 'a b\tc' })).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idFor({})).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['nothing', '', 400],
    ['broken JSON', '{"query":', 400],
    ['a list', '[{"query":"{ __typename }"}]', 400],
    ['a text', '"{ __typename }"', 400],
    ['no query', '{}', 400],
    ['an empty query', '{"query":""}', 400],
    ['a query that is no text', '{"query":{"kind":"Document"}}', 400],
    ['variables that are text', '{"query":"{ __typename }","variables":"{}"}', 400],
    ['an operation name that is no text', '{"query":"{ __typename }","operationName":1}', 400],
    ['extensions that are a list', '{"query":"{ __typename }","extensions":[]}', 400],
    ['variables with half a surrogate pair', '{"query":"{ __typename }","variables":{"a":[{"b":"\\ud800"}]}}', 400],
    ['variables with a number beyond all numbers', '{"query":"{ __typename }","variables":{"a":[-1e400]}}', 400],
    ['another version of persisted queries', '{"extensions":{"persistedQuery":{"version":2,"sha256Hash":"a"}}}', 400],
    ['a persisted query without its hash', '{"extensions":{"persistedQuery":{"version":1}}}', 400],
    ['a document of 101 kB', JSON.stringify({ query: `{ __typename } #${'x'.repeat(101 * 1024)}` }), 413],
  ])('refuses a body that is %s with a code and a request id', async (_name, body, status) => {
    const response = await post(graphql, body);
    expect(response.status).toBe(status);
    expect(response.data).toBeUndefined();
    expect(response.errors?.[0]?.extensions).toEqual({
      code: 'BAD_REQUEST',
      requestId: response.headers.get('x-request-id'),
    });
  });

  it('refuses other types of body', async () => {
    expect((await post(graphql, '{ __typename }', { 'content-type': 'application/graphql' })).status).toBe(415);
    expect((await post(graphql, 'query={__typename}', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it.each([
    ['a syntax error', '{ echo(', 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a wrong variable', 'query ($text: String) { echo(text: $text) }', 'BAD_USER_INPUT'],
  ])('answers %s with 400, its code and no data', async (_name, query, code) => {
    const response = await gateway.send(query, { variables: { text: 5 } });
    expect(response.status).toBe(400);
    expect('data' in response).toBe(false);
    expect(response.errors?.map(({ extensions }) => extensions['code'])).toEqual([code]);
  });

  it.each([
    ['a subscription', 'subscription { echo(text: "a") }'],
    ['a number beyond all numbers', '{ half(of: 1e400) }'],
  ])('answers %s, which only the planner would refuse, as a document that is not valid', async (_name, query) => {
    const response = await gateway.send(query);
    expect(response.status).toBe(400);
    expect(response.errors?.map(({ extensions }) => extensions['code'])).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });

  it('answers a client that names application/json, and no other type before it, with 200', async () => {
    const statusFor = async (accept: string) => (await gateway.send('{ nothing }', { headers: { accept } })).status;
    expect(await statusFor('application/json')).toBe(200);
    expect(await statusFor('application/json, application/graphql-response+json;q=0.5')).toBe(200);
    expect(await statusFor('application/graphql-response+json, application/json;q=0.9')).toBe(400);
    expect(await statusFor('*/*')).toBe(400);
  });

  it('answers HEAD with the headers of a GET', async () => {
    const head = await fetch(`${graphql}?query={__typename}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'application/json; charset=utf-8',
      '',
    ]);
    const refused = await fetch(`${graphql}?query=mutation{apply(text:"a")}`, { method: 'HEAD' });
    expect(refused.status).toBe(405);
  });

  it('answers an operation name that the document does not have with 400', async () => {
    const query = 'query A { echo(text: "a") } query B { echo(text: "b") }';
    expect((await post(graphql, { query, operationName: 'B' })).data).toEqual({ echo: 'b' });
    for (const operationName of ['C', undefined]) {
      const response = await post(graphql, { query, operationName });
      expect(response.status).toBe(400);
      expect(response.errors?.[0]?.extensions['code']).toBe('OPERATION_RESOLUTION_FAILURE');
    }
  });

  it('answers 405 to other methods and 404 elsewhere, both as GraphQL errors', async () => {
    const put = await fetch(graphql, { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect((await parseResponse(await fetch(`${gateway.url}/nowhere`))).errors?.[0]?.extensions['code']).toBe(
      'BAD_REQUEST',
    );
  });
});

describe('every response', () => {
  const paths = [
    '/graphql?query={__typename}',
    '/graphql',
    '/nowhere',
    '/%zz',
    '/graphiql/assets/none',
    '/',
    '/graphiql',
  ];

  it.each([...paths, '/healthz', '/readyz', '/auth/session', '/home/home.css'])(
    'at %s says that it is what its type says, that nothing may frame it, and that its address goes nowhere',
    async (path) => {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PROPFIND'] as const) {
        const { headers, body } = await request(`${gateway.url}${path}`, { method: method as 'GET' });
        await body.dump();
        expect(headers).toMatchObject({
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
          'referrer-policy': 'no-referrer',
          'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        });
      }
    },
  );

  it.each(['/%zz', '/graphql/%', '/graphiql/assets/%c3%28'])(
    'to an address that cannot be decoded, as %s, is a coded error with a line in the log',
    async (path) => {
      const { statusCode, headers, body } = await request(`${gateway.url}${path}`);
      const requestId = headers['x-request-id'];
      expect([statusCode, await body.json()]).toEqual([
        400,
        { errors: [{ message: 'The request cannot be read.', extensions: { code: 'BAD_REQUEST', requestId } }] },
      ]);
      expect(gateway.log.map(({ fields }) => fields)).toContainEqual({
        requestId,
        status: 400,
        codes: ['BAD_REQUEST'],
      });
    },
  );

  it.each([
    ['no request', 'HELLO\r\n\r\n', 400, 'The request cannot be read.'],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'The headers are larger than 16 kB.',
    ],
  ])('to bytes that are %s is a coded error', async (_name, bytes, status, message) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.end(bytes);
    const response = await text(socket);
    const [head = '', body = ''] = response.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('x-content-type-options: nosniff');
    expect(JSON.parse(body)).toEqual({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
  });
});

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

  /** Text that hardly compresses, as that of an attachment. */
  const base64 = (length: number) => randomBytes(length).toString('base64').slice(0, length);

  async function expectLimit(bytes: number, key?: string) {
    const accepted = mutation(base64(bytes - 200));
    const refused = mutation(base64(bytes));
    const plain = (text: string) => send(text, undefined, key);
    const zipped = (text: string) => send(gzipSync(text), 'gzip', key);
    const chunked = (text: string) => send(Readable.from([text]) as never, undefined, key);
    for (const sendAs of [plain, zipped, chunked]) {
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

describe('automatic persisted queries', () => {
  const query = '{ echo(text: "persisted") }';
  const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') } };

  it('requests the text once and knows it from then on', async () => {
    const unknown = await post(graphql, { extensions });
    expect([unknown.status, unknown.errors?.[0]?.extensions['code']]).toEqual([200, 'PERSISTED_QUERY_NOT_FOUND']);
    expect((await post(graphql, { query, extensions })).data).toEqual({ echo: 'persisted' });
    expect((await post(graphql, { extensions })).data).toEqual({ echo: 'persisted' });
    expect((await get({ extensions: JSON.stringify(extensions) })).data).toEqual({ echo: 'persisted' });
  });

  it('refuses a hash that is not the text’s', async () => {
    const refused = await post(graphql, { query: '{ __typename }', extensions });
    expect([refused.status, refused.errors?.[0]?.extensions['code']]).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('other origins', () => {
  it('may call when they are named, exactly', async () => {
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

  it('may read what the headers of rows say: how they are called, how much failed, and what is stale', async () => {
    const rows = `${graphql}?${new URLSearchParams({ query: '{ echo(text: "a") }', format: 'csv' })}`;
    const { headers } = await fetch(rows, { headers: { origin: 'https://analyst.example' } });
    const readable = headers.get('access-control-expose-headers')?.split(', ');
    expect(readable).toEqual(expect.arrayContaining(['content-disposition', 'x-passerelle-errors', 'cache-status']));
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
