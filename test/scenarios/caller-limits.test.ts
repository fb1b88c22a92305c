import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startAuthStack } from '../auth/support/auth-stack.js';
import { startRedis } from '../auth/support/redis.js';
import { temporaryFolder } from '../temporary-folder.js';
import { ONE_SHAPE, type Stack, startStack } from './stack.js';

const QUERY = '{ departements { nom } }';
const PAGE = 'https://page.example';

let stack: Stack;

const open = async (env: Record<string, string>) => {
  stack = await startStack({ shape: ONE_SHAPE, sandbox: { scale: 0.02 }, env });
  return stack;
};
const request = (headers: Record<string, string> = {}) =>
  stack.send(QUERY, { headers: { 'x-passerelle-trace': '0', ...headers } });
const statusesOf = async (times: number, headers: Record<string, string> = {}) => {
  const statuses: number[] = [];
  for (let time = 0; time < times; time++) statuses.push((await request(headers)).status);
  return statuses;
};

/** The status of a response that comes before any byte of the body was sent. */
const statusWithoutBody = async (...headers: string[]) => {
  const { hostname, port } = new URL(stack.url);
  const socket = connect(Number(port), hostname);
  const body = ['content-type: application/json', 'content-length: 100'];
  const head = ['POST /graphql HTTP/1.1', `host: ${hostname}`, ...body, ...headers];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [received] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(received.toString().split(' ')[1]);
};

describe('The limits of a caller', () => {
  afterEach(async () => {
    vi.useRealTimers();
    await stack.close();
  });

  test('are requests in a minute: the next one is told when to come again, and calls nothing', async () => {
    await open({ CALLER_REQUESTS_PER_MINUTE: '5' });
    expect(await statusesOf(5)).toEqual([200, 200, 200, 200, 200]);
    stack.forgetCalls();
    for (const _way of ['counted', 'turned away']) {
      const refused = await request();
      expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('ratelimit-policy')).toBe('"requests";q=5;w=60');
      expect(refused.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/);
      expect(refused.headers.get('x-request-id')).toBe(refused.errors[0]?.extensions.requestId);
      expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(await statusWithoutBody(), 'before the body has come').toBe(429);
    expect(stack.log.lines.filter(({ message }) => message === 'request refused')).toHaveLength(3);
    expect(stack.calls()).toEqual([]);
  });

  test('refuse before the body has come whatever cookie is sent beside them', async () => {
    await open({ CALLER_REQUESTS_PER_MINUTE: '3' });
    expect(await statusesOf(4)).toEqual([200, 200, 200, 429]);
    const session = 'a'.repeat(43);
    for (const cookie of ['', 'theme=dark', 'passerelle=dark', `passerelle-login=${session}`, `other=${session}`]) {
      expect([cookie, await statusWithoutBody(`cookie: ${cookie}`)]).toEqual([cookie, 429]);
    }
    const own = ['authorization: Bearer of-mine', `cookie: passerelle=${session}`];
    expect(await statusesOf(4, { authorization: 'Bearer of-mine' })).toEqual([200, 200, 200, 429]);
    expect(await statusWithoutBody(...own), 'a token beside the session').toBe(429);
  });

  test('are each caller’s own: a key does not wait behind those without one', async () => {
    await open({ CALLER_REQUESTS_PER_MINUTE: '3' });
    expect(await statusesOf(5)).toEqual([200, 200, 200, 429, 429]);
    const { alice, bob } = stack.sandbox.keys.volunteering;
    expect(await statusesOf(4, { 'x-volunteering-key': alice })).toEqual([200, 200, 200, 429]);
    expect(await statusesOf(1, { 'x-volunteering-key': bob })).toEqual([200]);
  });

  test('are those of an address for who invents keys', async () => {
    await open({ CALLER_REQUESTS_PER_MINUTE: '3' });
    const statuses: number[] = [];
    for (let key = 0; key < 20; key++)
      statuses.push(...(await statusesOf(1, { 'x-volunteering-key': `invented-${key}` })));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10 + 3);
    expect(await statusWithoutBody('x-volunteering-key: invented-again')).toBe(429);
  });

  test('are not those of an address for a key that its service has taken, whatever keys are invented there', async () => {
    await open({ CALLER_REQUESTS_PER_MINUTE: '30', CALLER_CALLS_PER_MINUTE: '8' });
    const alice = { 'x-volunteering-key': stack.sandbox.keys.volunteering.alice };
    const cold = (city: string, headers: Record<string, string>) =>
      stack.send('query ($city: [String!]) { missions(first: 2, city: $city) { nodes { title } } }', {
        variables: { city: [city] },
        headers,
      });
    expect((await cold('first', alice)).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'] });
    for (let round = 1; round <= 2; round++) {
      // After a minute, the key no longer counts as one that its address has just introduced.
      vi.setSystemTime(Date.now() + 61_000);
      const invented = Array.from({ length: 40 }, (_, key) => ({ 'x-volunteering-key': `invented-${round}-${key}` }));
      await Promise.all(invented.map((headers, index) => cold(`${round}-${index}`, headers)));
      stack.forgetCalls();
      const { status, errors, headers } = await cold(`theirs-${round}`, alice);
      expect([status, errors, stack.calls().length]).toEqual([200, [], 1]);
      expect(headers.get('ratelimit'), 'of this minute, one call is theirs').toContain('"calls";r=7;');
    }
  });

  test('are those of the key that a service has taken, whatever keys for other services are invented beside it', async () => {
    await open({ CALLER_REQUESTS_PER_MINUTE: '20' });
    const alice = { 'x-volunteering-key': stack.sandbox.keys.volunteering.alice };
    const statuses: number[] = [];
    for (let key = 0; key < 30; key++) {
      const headers = { ...alice, 'x-work-study-key': `invented-${key}` };
      const { status } = await stack.send(`{ missions(first: ${key + 1}) { nodes { title } } }`, { headers });
      statuses.push(status);
    }
    // The first request came before the key was known to be real, so it counted for the address.
    expect(statuses.filter((status) => status === 200)).toHaveLength(21);
    expect(statuses.slice(21)).toEqual(Array.from({ length: 9 }, () => 429));
    expect((await request({ 'x-work-study-key': 'invented-0' })).status).toBe(200);
  });

  test('believe no forwarded address where no proxy is trusted', async () => {
    await open({ CALLER_REQUESTS_PER_MINUTE: '2' });
    const from = (address: string) => statusesOf(3, { 'x-forwarded-for': address });
    expect([...(await from('192.0.2.1')), ...(await from('192.0.2.2'))]).toEqual([200, 200, 429, 429, 429, 429]);
  });

  test('are upstream calls in a minute: what would exceed them is refused before its first call', async () => {
    await open({ CALLER_CALLS_PER_MINUTE: '5' });
    const lists = (first: number) => `{ missions(first: ${first}) { nodes { title } } }`;
    for (let first = 1; first <= 5; first++) expect((await stack.send(lists(first))).status).toBe(200);
    stack.forgetCalls();
    const refused = await stack.send(lists(6));
    expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await stack.send(lists(1))).status, 'what is cached costs nothing').toBe(200);
    expect(stack.calls()).toEqual([]);
  });

  test('give back calls that were estimated and not made', async () => {
    await open({ CALLER_CALLS_PER_MINUTE: '30' });
    const communes = (list: string) => stack.send(`{ missions(${list}) { nodes { commune { nom } } } }`);
    const { headers } = await communes('first: 20, city: ["Nowhere"]');
    expect(headers.get('ratelimit')).toMatch(/^"calls";r=29;t=\d+$/);
    const beyond = await communes('first: 40, city: ["Nowhere"]');
    expect([beyond.status, beyond.errors], 'what only may need more than is left').toEqual([200, []]);
    expect(beyond.headers.get('ratelimit')).toMatch(/^"calls";r=28;t=\d+$/);
    stack.forgetCalls();
    const cut = await communes('first: 100');
    expect(new Set(cut.errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['COST_EXCEEDED']));
    expect(stack.calls()).toHaveLength(28);
  });

  test('refuse nothing that costs nothing, and do not ask to come again', async () => {
    await open({ CALLER_CALLS_PER_MINUTE: '5' });
    const { status, data, errors, headers } = await stack.send('{ communesByName(name: "Lyon", first: 8) { id nom } }');
    expect([status, data.communesByName[0].nom, errors]).toEqual([200, 'Lyon', []]);
    expect([headers.get('ratelimit')?.slice(0, 11), headers.get('retry-after')]).toEqual(['"calls";r=5', null]);
  });

  test('close connections of an address that holds too many', async () => {
    await open({ CALLER_REQUESTS_PER_MINUTE: '1000' });
    const { hostname, port } = new URL(stack.url);
    const sockets: Socket[] = [];
    const closed = await new Promise<number>((resolve) => {
      for (let number = 0; number < 300; number++) {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        socket.on('close', () => resolve(number));
        sockets.push(socket);
      }
    });
    expect(closed).toBeGreaterThanOrEqual(200);
    for (const socket of sockets) socket.destroy();
  });

  test('are shared by replicas with Redis, and go on without it', async () => {
    const redis = await startRedis();
    if (redis === null) return open({});
    const env = { CALLER_REQUESTS_PER_MINUTE: '4', CACHE_URL: redis.url, SESSION_SECRET: 'x'.repeat(40) };
    const other = await startStack({ shape: ONE_SHAPE, sandbox: { scale: 0.02 }, env });
    try {
      await open(env);
      const both = [
        ...(await statusesOf(2)),
        ...(await Promise.all([0, 1, 2].map(() => other.send(QUERY)))).map(({ status }) => status),
      ];
      expect(both.sort()).toEqual([200, 200, 200, 200, 429]);
      await redis.kill();
      expect(await statusesOf(1, { 'x-volunteering-key': 'somebody' })).toEqual([200]);
    } finally {
      await other.close();
      await redis.close();
    }
  });
});

/** One stack for all tests: each uses its own addresses. */
describe('The limits of a caller behind a trusted proxy', () => {
  beforeAll(async () => {
    const file = join(temporaryFolder(), 'safelist.json');
    const hash = createHash('sha256').update(QUERY).digest('hex');
    writeFileSync(file, JSON.stringify({ operations: { [hash]: QUERY } }));
    const proxies = { TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8' };
    await open({ CALLER_REQUESTS_PER_MINUTE: '2', ...proxies, SAFELIST: file, CORS_ORIGINS: PAGE });
  });
  afterAll(() => stack.close());

  test('count the address that a trusted proxy forwards', async () => {
    const from = (address: string) => statusesOf(3, { 'x-forwarded-for': address });
    expect(await from('192.0.2.1')).toEqual([200, 200, 429]);
    expect(await from('192.0.2.2, 10.1.1.1')).toEqual([200, 200, 429]);
    expect(await from('198.51.100.7, 192.0.2.2')).toEqual([429, 429, 429]);
    expect(await from('2001:db8::1')).toEqual([200, 200, 429]);
    expect(await from('2001:db8::2')).toEqual([429, 429, 429]);
  });

  test('know an address in whatever form a proxy writes it', async () => {
    const from = (address: string) => statusesOf(1, { 'x-forwarded-for': address });
    const [v4, v6] = [
      ['203.0.113.1:4711', '203.0.113.1', '::ffff:203.0.113.1', '::ffff:cb00:7101'],
      ['[2001:DB8:1::2]:443', '2001:db8:1::1', '2001:0db8:1:0::3', '[2001:db8:1::4]'],
    ];
    for (const [first, second, ...others] of [v4, v6] as [string, string, ...string[]][]) {
      expect([...(await from(first)), ...(await from(second))]).toEqual([200, 200]);
      for (const other of others) expect(await from(other), other).toEqual([429]);
    }
    expect(await from('203.0.113.7:80')).toEqual([200]);
  });

  test('are never spent by a key that reads like an address', async () => {
    const attack = { 'x-forwarded-for': '203.0.113.66', 'x-work-study-key': 'address 203.0.113.67' };
    expect(await statusesOf(3, attack)).toEqual([200, 200, 429]);
    expect(await statusesOf(1, { 'x-forwarded-for': '203.0.113.67' })).toEqual([200]);
  });

  test.each([
    ['that is not JSON', '{"query"', 1],
    ['without a query', '{}', 2],
    ['with a list of queries', `[{"query":"${QUERY}"}]`, 3],
    ['that the safelist does not have', '{"query":"{ regions { nom } }"}', 4],
  ])('count a request %s, which is refused', async (_what, body, host) => {
    const address = { 'x-forwarded-for': `198.18.0.${host}` };
    const statuses: number[] = [];
    for (let time = 0; time < 3; time++) {
      const headers = { 'content-type': 'application/json', ...address };
      const response = await fetch(`${stack.url}/graphql`, { method: 'POST', headers, body });
      statuses.push(response.status);
      await response.body?.cancel();
    }
    expect(statuses.slice(0, 2)).not.toContain(429);
    expect(statuses[2]).toBe(429);
    expect(await statusesOf(1, address)).toEqual([429]);
  });

  const fetchRaw = async (path: string, init: RequestInit) => {
    const response = await fetch(`${stack.url}${path}`, { redirect: 'manual', ...init });
    const body = await response.text();
    return { status: response.status, body, headers: response.headers };
  };
  const cookie = `passerelle=${'a'.repeat(43)}`;

  test.each<[what: string, path: string, status: number, init?: RequestInit]>([
    ['the home page', '/', 200],
    ['its headers alone', '/?lang=fr', 200, { method: 'HEAD' }],
    ['a file of it', '/home/home.css', 200],
    ['the analyst page', '/graphiql', 200],
    ['a file of that page that is not there', '/graphiql/assets/nothing.js', 404],
    ['the schema', '/schema.graphql', 200],
    ['a login', '/auth/waste/login', 302],
    ['a callback of no login', '/auth/waste/callback?state=none', 400],
    ['a session', '/auth/session', 200],
    ['a logout without our header', '/auth/waste/logout', 403, { method: 'POST' }],
    ['a preflight', '/graphql', 204, { method: 'OPTIONS' }],
    ['a method that GraphQL does not have', '/graphql', 405, { method: 'PUT' }],
    ['an operation with the session of another site', `/graphql?query=${QUERY}`, 403, { headers: { cookie } }],
    ['a path that is not there', '/nowhere', 404],
    ['a path that cannot be decoded', '/%zz', 400],
    ['a header that is too long', '/', 431, { headers: { 'accept-language': `fr${' '.repeat(15_000)}!` } }],
    ['another such header, to the endpoint', '/graphql', 431, { headers: { accept: ','.repeat(15_000) } }],
    ['more parameters than anything has', `/graphql?format=csv&query=${QUERY}&${'x&'.repeat(5_000)}`, 400],
  ])('count %s once', async (what, path, status, init = {}) => {
    const host = `198.19.${what.length}.${path.length % 250}`;
    const headers = { ...init.headers, 'x-forwarded-for': host };
    expect((await fetchRaw(path, { ...init, headers })).status).toBe(status);
    expect((await fetchRaw(path, { ...init, headers })).status).toBe(status);
    const refused = await fetchRaw(path, { ...init, headers });
    expect(refused.status).toBe(429);
    if (init.method !== 'HEAD') expect(refused.body).toContain('"code":"TOO_MANY_REQUESTS"');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statusesOf(1, { 'x-forwarded-for': host })).toEqual([429]);
    for (const probe of ['/healthz', '/readyz', '/readyz?from=balancer'])
      expect((await fetchRaw(probe, { headers: { 'x-forwarded-for': host } })).status, probe).toBe(200);
  });

  test('count preflights of listed pages, and let the page read why its request is refused', async () => {
    const address = { 'x-forwarded-for': '198.21.0.1' };
    const preflight = async (origin: string) => {
      const headers = { ...address, origin, 'access-control-request-method': 'POST' };
      return (await fetchRaw('/graphql', { method: 'OPTIONS', headers })).status;
    };
    for (const _time of [1, 2, 3]) expect(await preflight(PAGE)).toBe(204);
    const refused = await request({ ...address, origin: PAGE });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([429, PAGE]);
    expect([await preflight(PAGE), await preflight('https://elsewhere.example')]).toEqual([204, 429]);
    // A key of its own is counted by itself, so its page must get as far.
    expect(await statusesOf(1, { ...address, origin: PAGE, 'x-work-study-key': 'a-key' })).not.toEqual([429]);
  });

  test('say which header is too long', async () => {
    const headers = { 'accept-language': 'x'.repeat(1_001), 'x-forwarded-for': '198.20.0.1' };
    const { status, body } = await fetchRaw('/graphql', { headers });
    expect([status, JSON.parse(body)]).toEqual([
      431,
      {
        errors: [
          {
            message: 'The header accept-language is longer than 1000 characters.',
            extensions: { code: 'BAD_REQUEST', requestId: expect.any(String) },
          },
        ],
      },
    ]);
  });
});

/** One stack for all tests: each uses its own address. */
describe('Wide limits of a caller', () => {
  beforeAll(() => open({ CALLER_REQUESTS_PER_MINUTE: '1000', TRUSTED_PROXIES: '127.0.0.0/8' }));
  afterAll(() => stack.close());

  test('are told with each response, also one that is answered from the cache', async () => {
    const address = { 'x-forwarded-for': '192.0.2.1' };
    const left: number[] = [];
    for (let time = 0; time < 5; time++) {
      const { headers } = await request(address);
      left.push(Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]));
    }
    expect(left).toEqual([999, 998, 997, 996, 995]);
  });

  test('are told with rows that are refused too: they are planned once the request is counted', async () => {
    const search = new URLSearchParams({ query: QUERY, format: 'csv', columns: 'nowhere', path: 'departements' });
    const { status, headers } = await fetch(`${stack.url}/graphql?${search}`, {
      headers: { 'x-forwarded-for': '192.0.2.2' },
    });
    expect([status, headers.get('ratelimit')]).toEqual([400, expect.stringMatching(/^"requests";r=999;/)]);
  });

  test('count logins that an address begins', async () => {
    const statuses: number[] = [];
    for (let login = 0; login < 31; login++) {
      statuses.push((await fetch(`${stack.url}/auth/waste/login`, { redirect: 'manual' })).status);
    }
    expect(statuses.slice(0, 30).every((status) => status === 302)).toBe(true);
    expect(statuses[30]).toBe(429);
    const { headers } = await fetch(`${stack.url}/auth/waste/login`, { redirect: 'manual' });
    expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([
      '"logins";q=30;w=60',
      expect.stringMatching(/^"logins";r=0;t=\d+$/),
    ]);
  });
});

test('Somebody who is logged in does not wait behind others at their address', async () => {
  const house = await startAuthStack({
    shape: ONE_SHAPE,
    sandbox: { scale: 0.02 },
    env: { CALLER_REQUESTS_PER_MINUTE: '5' },
  });
  try {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    const statuses: number[] = [];
    for (const who of [house.person().browser, browser]) {
      for (let time = 0; time < 6; time++) statuses.push((await house.send(who, QUERY)).status);
    }
    // The two requests of the login, and the probe that it returns to, counted for the address.
    expect(statuses.slice(0, 6)).toEqual([200, 200, 429, 429, 429, 429]);
    expect(statuses.slice(6)).toEqual([200, 200, 200, 200, 200, 429]);
  } finally {
    await house.close();
  }
});
