import { once } from 'node:events';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { listenSubgraph, type SubgraphHostOptions } from '../../gateway/endpoint/subgraph-host.js';
import type { OperationContext } from '../../kernel/operation.js';
import { NO_FIGURES } from '../../kernel/source-figures.js';
import { VERSION } from '../../runtime/configuration/role.js';
import { createCredentialMinter, createRootKeys } from '../../runtime/credentials/credentials.js';
import { Secret } from '../../runtime/credentials/secret.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { post, recordingLog } from './support/open-gateway.js';
import { createTestSubgraph, type TestSubgraph } from './support/test-graph.js';

const TOKEN = 'shared by gateway and subgraph';
const WITH_TOKEN = { 'x-passerelle-subgraph-token': TOKEN };

/** Characters of a response that is written in pieces. */
const LARGE = 300_000;

interface Context {
  readonly operation: OperationContext;
}

const call = {
  service: 'waste-identity',
  method: 'POST',
  path: '/graphql',
  status: 200,
  startMs: 0,
  ms: 1,
  bytes: 1,
  cache: 'BYPASS',
  entities: 1,
  retries: 0,
  sent: 1,
  planNode: '',
} as const;

let listener: Awaited<ReturnType<typeof listenSubgraph>> | undefined;
let subgraph: TestSubgraph;
afterEach(async () => {
  await listener?.close();
  listener = undefined;
});

async function open(options: Partial<SubgraphHostOptions> = {}): Promise<string> {
  subgraph = createTestSubgraph('waste-identity', {
    Query: {
      viewer: (_: unknown, __: unknown, { operation }: Context) => {
        operation.recorder.record(call);
        return { name: 'Ada' };
      },
      exchange: () => ({ token: 'secret token' }),
    },
  });
  listener = await listenSubgraph({
    phase: () => 'ready',
    subgraph,
    host: '127.0.0.1',
    port: 0,
    subgraphTokens: [new Secret(TOKEN)],
    mintCredential: createCredentialMinter(createRootKeys([])),
    requestDeadlineMs: 25_000,
    log: recordingLog([]),
    ...options,
  });
  return listener.url;
}

async function statusAndCode(response: ReturnType<typeof post>): Promise<[number, unknown]> {
  const { status, errors } = await response;
  return [status, errors?.[0]?.extensions['code']];
}

describe('a subgraph over HTTP', () => {
  it('answers to no public name without a token, which a stranger may let resolve to it', async () => {
    const ask = async (host: string, tokens: readonly Secret[]) => {
      const headers = { ...WITH_TOKEN, 'content-type': 'application/json', host };
      const url = await open({ subgraphTokens: tokens });
      const { statusCode, body } = await request(url, { method: 'POST', headers, body: '{"query":"{ __typename }"}' });
      await body.dump();
      await listener?.close();
      return statusCode;
    };
    expect(await ask('evil.example', [])).toBe(421);
    expect(await ask('localhost:4001', [])).toBe(200);
    expect(await ask('subgraph.example', [new Secret(TOKEN)])).toBe(200);
  });

  it('answers what it is asked, at /graphql', async () => {
    const url = await open({ subgraphTokens: [] });
    expect(new URL(url).pathname).toBe('/graphql');
    expect((await post(url, { query: '{ viewer { name } }' })).data).toEqual({ viewer: { name: 'Ada' } });
    const { data } = await post(url, { query: '{ _service { sdl } }' });
    expect(data._service.sdl).toContain('type Viewer');
  });

  it('keeps a connection for as long as it is told', async () => {
    const { headers } = await request(`${await open({ keepAliveMs: 65_000 })}/healthz`);
    expect(headers['keep-alive']).toBe('timeout=65');
  });

  it('shows its recorded calls to a caller with the token, and calls internal fields for them', async () => {
    const url = await open();
    const shown = { passerelleCalls: [call], passerelleUncacheable: true };
    expect((await post(url, { query: '{ viewer { name } }' }, WITH_TOKEN)).extensions).toEqual(shown);
    const query = 'query ($code: String!) { ...F } fragment F on Query { exchange(code: $code) { token } }';
    const { data } = await post(url, { query, variables: { code: 'c' } }, WITH_TOKEN);
    expect(data).toEqual({ exchange: { token: 'secret token' } });
  });

  it.each([
    ['no token', {}],
    ['an empty token', { 'x-passerelle-subgraph-token': '' }],
    ['another token', { 'x-passerelle-subgraph-token': TOKEN.replace('shared', 'forged') }],
    ['the token twice', { 'x-passerelle-subgraph-token': `${TOKEN}, ${TOKEN}` }],
  ])('serves nobody with %s, once it has one', async (_what, headers) => {
    const url = await open();
    for (const body of [{ query: '{ viewer { name } }' }, '{', { query: '{' }]) {
      const { status, data, errors, headers: sent } = await post(url, body, headers);
      expect([status, data, errors?.[0]?.extensions['code']]).toEqual([401, undefined, 'BAD_REQUEST']);
      expect(errors?.[0]?.message).toContain('SUBGRAPH_TOKEN');
      expect(sent.get('www-authenticate')).toBe('PasserelleSubgraphToken');
    }
    expect(subgraph.requested).toEqual([]);
  });

  it('calls internal fields for nobody when it has no token', async () => {
    const url = await open({ subgraphTokens: [] });
    const response = await post(url, { query: '{ exchange(code: "c") { token } }' }, WITH_TOKEN);
    expect(response.status).toBe(403);
    expect((await post(url, { query: '{ viewer { name } }' }, WITH_TOKEN)).extensions).toBeUndefined();
  });

  it('refuses to listen beyond loopback without a token', async () => {
    await expect(open({ host: '0.0.0.0', subgraphTokens: [] })).rejects.toThrow('SUBGRAPH_TOKEN');
  });

  it('reads what the gateway says of the request, and no credential but its own', async () => {
    const url = await open();
    await post(
      url,
      { query: '{ viewer { name } }' },
      {
        ...WITH_TOKEN,
        'x-request-id': 'r7',
        'x-passerelle-deadline-ms': '1500',
        'x-passerelle-fetch': 'missions.@',
        authorization: 'Bearer own',
        'x-work-study-key': 'foreign',
      },
    );
    const [operation] = subgraph.requested;
    expect(operation).toMatchObject({ requestId: 'r7', planNode: 'missions.@', internal: true });
    expect(operation?.credential?.reveal()).toBe('own');
    expect(operation?.deadline.remainingMs()).toBeLessThanOrEqual(1_500);
    expect(JSON.stringify(operation)).not.toContain('foreign');
  });

  it('takes no deadline that is longer than its own, or none that can be read', async () => {
    const url = await open({ requestDeadlineMs: 2_000 });
    for (const deadline of ['999999999', '-1', 'soon']) {
      await post(url, { query: '{ viewer { name } }' }, { ...WITH_TOKEN, 'x-passerelle-deadline-ms': deadline });
    }
    expect(subgraph.requested).toHaveLength(3);
    expect(subgraph.requested.every(({ deadline }) => deadline.remainingMs() <= 2_000)).toBe(true);
  });

  it.each([
    ['broken JSON', '{', 400, 'BAD_REQUEST'],
    ['no query', '{}', 400, 'BAD_REQUEST'],
    ['variables that are a list', '{"query":"{ viewer { name } }","variables":[]}', 400, 'BAD_REQUEST'],
    ['a syntax error', '{"query":"{ viewer"}', 400, 'GRAPHQL_PARSE_FAILED'],
    ['thousands of brackets', `{"query":"${'{ viewer '.repeat(9000)}"}`, 400, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{"query":"{ nothing }"}', 200, 'BAD_USER_INPUT'],
    [
      'a fragment in itself',
      '{"query":"{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }"}',
      200,
      'BAD_USER_INPUT',
    ],
  ])('answers %s with a code', async (_name, body, status, code) => {
    const response = await post(await open(), body, WITH_TOKEN);
    expect([response.status, response.errors?.[0]?.extensions['code']]).toEqual([status, code]);
  });

  describe.each([
    ['without a token', [], 1],
    ['with a token, ten times as large as others', [new Secret(TOKEN)], 10],
  ])('%s, takes a document', (_which, tokens, times) => {
    /** A chain of fragments, each within the one before; the last spreads the first. */
    const cycle = (fragments: number) =>
      `{ ...F0 } ${Array.from({ length: fragments }, (_, n) => `fragment F${n} on Query { ...F${(n + 1) % fragments} }`).join(' ')}`;
    /** Unknown fields, one token each: only a document that is parsed is validated. */
    const fields = (count: number) => 'x '.repeat(count);
    const padded = (bytes: number) => `{ viewer { name } }${' '.repeat(bytes - 19)}`;

    it.each<[string, string, [number, string?]]>([
      ['of so many bytes', padded(times * 100 * 1024), [200]],
      ['of one byte more', padded(times * 100 * 1024 + 1), [413, 'BAD_REQUEST']],
      ['of so many tokens', `{ ${fields(times * 10_000 - 2)}}`, [200, 'BAD_USER_INPUT']],
      ['of one token more', `{ ${fields(times * 10_000 - 1)}}`, [400, 'GRAPHQL_PARSE_FAILED']],
      ['of too many fragments in a circle', cycle(times * 100), [400, 'GRAPHQL_VALIDATION_FAILED']],
      ['of as many as it may have, in a circle', cycle(times * 100 - 1), [200, 'BAD_USER_INPUT']],
    ])('%s', async (_what, query, expected) => {
      const { status, errors } = await post(await open({ subgraphTokens: tokens }), { query }, WITH_TOKEN);
      expect([status, errors?.[0]?.extensions['code']]).toEqual([expected[0], expected[1]]);
    });
  });

  it('makes nothing of a body of too many values or levels: others have less room than the gateway', async () => {
    const body = (list: string) => `{"query":"{ viewer { name } }","variables":{"list":${list}}}`;
    const large = body(`[${'0,'.repeat(100_000)}0]`);
    const deep = body(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const url = await open();
    expect((await post(url, large, WITH_TOKEN)).data).toEqual({ viewer: { name: 'Ada' } });
    expect(await statusAndCode(post(url, deep, WITH_TOKEN))).toEqual([400, 'BAD_REQUEST']);
    await listener?.close();
    expect(await statusAndCode(post(await open({ subgraphTokens: [] }), large))).toEqual([413, 'BAD_REQUEST']);
  });

  it.each([{}, { 'x-passerelle-subgraph-token': 'wrong' }])(
    'refuses %o before the body has arrived',
    async (headers) => {
      const url = await open();
      const body = new Readable({ read() {} });
      body.push('{');
      const { statusCode } = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      body.push(null);
      expect(statusCode).toBe(401);
    },
  );

  it('answers what cannot be decoded or is not there with a code, and every response is what its type says', async () => {
    const { origin } = new URL(await open());
    for (const [path, status] of [
      ['/%zz', 400],
      ['/nowhere', 404],
      ['/healthz', 200],
      ['/readyz', 200],
      ['/graphql', 404],
    ] as const) {
      const { statusCode, headers, body } = await request(origin + path);
      expect(statusCode).toBe(status);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
      if (status === 200) await body.dump();
      else expect(await body.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    }
  });

  it('takes a caller that leaves for no error, whatever it would have been sent', async () => {
    const log = createMemoryLog();
    const url = await open({ log });
    const abort = new AbortController();
    subgraph.schema.getQueryType()!.getFields()['viewer']!.resolve = async (_, __, { operation }: Context) => {
      const left = once(operation.signal, 'abort');
      abort.abort();
      await left;
      return { name: 'x'.repeat(LARGE) };
    };
    const body = JSON.stringify({ query: '{ viewer { name } }' });
    const headers = { ...WITH_TOKEN, 'content-type': 'application/json' };
    await expect(request(url, { method: 'POST', headers, body, signal: abort.signal })).rejects.toThrow();
    const { level, message } = await log.seen(() => true);
    expect([level, message]).toEqual(['debug', 'a caller left before its response']);
  });

  it('tells its state on every response and at /readyz', async () => {
    const url = await open();
    subgraph.state = 'DEGRADED';
    const { headers } = await post(url, { query: '{ viewer { name } }' }, WITH_TOKEN);
    expect(headers.get('x-passerelle-state')).toBe('DEGRADED');
    const { body } = await request(new URL('/readyz', url));
    expect(await body.json()).toEqual({
      status: 'ready',
      version: VERSION,
      sources: [{ name: 'waste-identity', state: 'DEGRADED', upstream: 'sandbox', ...NO_FIGURES }],
    });
  });

  it.each([
    ['without a token', {}, 200],
    ['with its token', WITH_TOKEN, 200],
    ['with another', { 'x-passerelle-subgraph-token': 'another' }, 401],
    ['with none, as a gateway without one says', { 'x-passerelle-subgraph-token': '' }, 401],
  ])('answers /readyz %s', async (_which, headers, status) => {
    const { statusCode, body } = await request(new URL('/readyz', await open()), { headers });
    expect([statusCode, Object.keys(Object(await body.json()))]).toEqual([
      status,
      status === 200 ? ['status', 'version', 'sources'] : ['errors'],
    ]);
  });
});
