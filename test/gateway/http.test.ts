import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
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
  gateway = await openGateway({ resolvers });
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

  it('is served below a slash at the end too', async () => {
    const query = '{ echo(text: "a") }';
    for (let time = 0; time < 3; time += 1)
      expect((await post(`${graphql}/`, { query })).data, 'also from memory').toEqual({ echo: 'a' });
    const got = await fetch(`${graphql}/?${new URLSearchParams({ query })}`);
    expect([got.status, await got.json()]).toEqual([200, { data: { echo: 'a' } }]);
    expect((await fetch(`${graphql}/`, { method: 'OPTIONS' })).status).toBe(204);
    for (const path of ['//', '/other', '/%2f']) expect((await fetch(`${graphql}${path}`)).status, path).toBe(404);
  });

  it('reads variables of a GET from JSON and refuses what is none', async () => {
    const query = 'query ($text: String) { echo(text: $text) }';
    expect((await get({ query, variables: '{"text":"b"}' })).data).toEqual({ echo: 'b' });
    expect((await get({ query, variables: '{text}' })).status).toBe(400);
    expect((await get({ query, variables: '[1]' })).status).toBe(400);
    const deep = await get({ query, variables: `{"text":${'['.repeat(300)}${']'.repeat(300)}}` });
    expect([deep.status, deep.errors?.[0]?.message]).toEqual([400, '`variables` is nested more than 200 deep.']);
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
    const strange = ['a b\tc', 'a"', 'x'.repeat(129)].map((sent) => ({ 'x-request-id': sent }));
    const own = await Promise.all([...strange, {}, {}].map(idFor));
    for (const id of own) expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(own).size).toBe(5);
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

  it.each(['/healthz', '/readyz', '/schema.graphql', '/graphiql', '/'])(
    'answers 405 to other methods at %s, with those that it has',
    async (path) => {
      for (const method of ['POST', 'DELETE']) {
        const refused = await fetch(`${gateway.url}${path}?a=1`, { method });
        expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
        expect((await parseResponse(refused)).errors?.[0]?.extensions['code']).toBe('BAD_REQUEST');
      }
      expect((await fetch(`${gateway.url}${path}`, { method: 'HEAD' })).status).toBe(200);
    },
  );

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
});
