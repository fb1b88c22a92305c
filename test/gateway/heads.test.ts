import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Metrics } from '../../runtime/process/metrics.js';
import { listenMetrics } from '../../runtime/process/metrics-listener.js';
import { freePort } from '../bounds/support/free-port.js';
import { type Stack, startStack } from '../scenarios/stack.js';

/** Guards what a request says before its body: how many headers it has, and the name that it was sent to. */

const WORLD = { scale: 0.02 };

/** One request with these headers, of which a name may repeat. */
async function send(url: string, path: string, headers: readonly string[] = []) {
  const { statusCode, body } = await request(`${url}${path}`, { headers: [...headers] });
  return { status: statusCode, body: await body.text() };
}
const to = (url: string, host: string, path = '/graphql?query={__typename}') => send(url, path, ['host', host]);

describe('A request with more headers than are read', () => {
  const PROXIED = { TRUSTED_PROXIES: '127.0.0.1', CALLER_REQUESTS_PER_MINUTE: '3' };
  const filled = (count: number, last: readonly string[] = []) =>
    // undici adds host and connection.
    [...Array.from({ length: count - 2 - last.length / 2 }, (_, n) => [`x-${n}`, '']).flat(), ...last];
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape: 'in process', sandbox: WORLD, env: PROXIED });
  });
  afterAll(() => stack.close());

  test('is refused before it counts against anybody: the address that a proxy appended may be lost', async () => {
    const forwarded = ['x-forwarded-for', '192.0.2.1'];
    for (const count of [101, 1_010, 2_000]) {
      const { status, body } = await send(stack.url, '/healthz', filled(count, forwarded));
      expect([count, status, JSON.parse(body).errors[0].extensions.code]).toEqual([count, 431, 'BAD_REQUEST']);
    }
    const query = '/graphql?query={__typename}';
    for (let time = 0; time < 5; time += 1)
      expect((await send(stack.url, query, filled(1_010, forwarded))).status).toBe(431);
    // Neither the proxy's address nor the forwarded one has lost any of its three requests.
    for (const headers of [forwarded, []])
      for (let time = 0; time < 3; time += 1) expect((await send(stack.url, query, headers)).status).toBe(200);
  });

  test('is one of a hundred and one; a hundred are read', async () => {
    const forwarded = ['x-forwarded-for', '192.0.2.2'];
    expect((await send(stack.url, '/graphql?query={__typename}', filled(100, forwarded))).status).toBe(200);
    expect((await send(stack.url, '/graphql?query={__typename}', filled(101, forwarded))).status).toBe(431);
  });
});

describe('A name in Host', () => {
  const STRANGERS = [
    'evil.example',
    'evil.example:4000',
    'a.b.evil.com.',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
  ];
  const NEAR = [
    'localhost',
    'localhost:4000',
    '127.0.0.1:1',
    '[::1]:4000',
    '10.1.2.3',
    'gateway:4000',
    'LocalHost.',
    'a.svc.cluster.local',
    'gateway.passerelle.svc',
  ];

  test('that a stranger has registered is not answered on loopback, whatever is asked; addresses and private names are', async () => {
    const stack = await startStack({ shape: 'in process', sandbox: WORLD });
    const { origin } = new URL(stack.url);
    const statuses = async (hosts: readonly string[], path?: string) =>
      Promise.all(hosts.map(async (host) => [host, (await to(origin, host, path)).status]));
    expect(await statuses(STRANGERS)).toEqual(STRANGERS.map((host) => [host, 421]));
    expect(await statuses(NEAR)).toEqual(NEAR.map((host) => [host, 200]));
    for (const path of ['/', '/graphiql', '/schema.graphql', '/auth/session', '/nowhere'])
      expect([path, (await to(origin, 'evil.example', path)).status]).toEqual([path, 421]);
    for (const probe of ['/healthz', '/readyz']) expect((await to(origin, 'balancer.example', probe)).status).toBe(200);
    const lines = stack.log.lines.filter(({ message }) => message.startsWith('refused a name in Host'));
    expect(
      lines.filter(({ fields }) => (fields as { host?: string }).host === 'evil.example'),
      'each name is told once',
    ).toHaveLength(1);
    for (let name = 0; name < 50; name += 1) await to(origin, `n${name}.example`);
    expect(stack.log.lines.filter(({ message }) => message.startsWith('refused a name in Host'))).toHaveLength(20);
    await stack.close();
  });

  test('is that of PUBLIC_URL, or private, wherever the gateway listens', async () => {
    const env = { PUBLIC_URL: 'https://passerelle.example', HOST: '0.0.0.0' };
    const stack = await startStack({ shape: 'in process', sandbox: WORLD, env });
    for (const host of ['passerelle.example', 'PASSERELLE.example:443', ...NEAR])
      expect([host, (await to(stack.url, host)).status]).toEqual([host, 200]);
    for (const host of [...STRANGERS, 'www.passerelle.example'])
      expect([host, (await to(stack.url, host)).status]).toEqual([host, 421]);
    await stack.close();
  });

  test.each([
    ['beyond loopback', { HOST: '0.0.0.0' }],
    ['behind a proxy that is trusted', { TRUSTED_PROXIES: '127.0.0.1' }],
  ])('may be any without PUBLIC_URL %s, where nobody knows which is right', async (_where, env) => {
    const stack = await startStack({ shape: 'in process', sandbox: WORLD, env });
    expect((await to(stack.url, 'passerelle.example')).status).toBe(200);
    await stack.close();
  });

  test('is one: of two, a proxy may have read the other', async () => {
    const stack = await startStack({ shape: 'in process', sandbox: WORLD });
    const socket = connect(Number(new URL(stack.url).port), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: evil.example\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
    await stack.close();
  });

  test('that a stranger has registered reads no metrics on loopback', async () => {
    const port = await freePort();
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const listener = await listenMetrics({ metrics: new Metrics(), host: '127.0.0.1', port, log });
    const url = `http://127.0.0.1:${port}`;
    expect((await to(url, 'evil.example', '/metrics')).status).toBe(421);
    expect((await to(url, `localhost:${port}`, '/metrics')).status).toBe(200);
    await listener.close();
  });

  test('is only shown on the home page: nothing in it stands for a part of the page', async () => {
    const stack = await startStack({ shape: 'in process', sandbox: WORLD, env: { HOST: '0.0.0.0' } });
    const { body: page } = await to(stack.url, 'localhost', '/');
    for (const part of ["$'", '$`', '$&', '$$']) {
      const { status, body } = await to(stack.url, part.repeat(400), '/');
      expect([part, status, body.length < page.length + 20_000]).toEqual([part, 200, true]);
      expect(body).toContain(part.repeat(400).replaceAll('&', '&amp;'));
    }
    await stack.close();
  });
});
