import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { type CallerLimits, readProxies } from '../../gateway/callers/caller-limits.js';
import { createServerGuard, type GuardOptions } from '../../gateway/callers/connection-guard.js';
import { RequestError } from '../../runtime/http/request-error.js';
import { openGateway, recordingLog } from './support/open-gateway.js';

/** Guards what counts as one address for the bound on open connections, and how much of a turn a flood may take. */

/** No machine has enough addresses of an IPv6 network for real connections: these have nothing but their address. */
class ConnectionFrom extends EventEmitter {
  isOpen = true;
  readonly remoteAddress: string;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.isOpen = false;
    this.emit('close');
  }
}

const MANY = 300;

/** More than a turn has for such answers: half a millisecond. */
function work(): void {
  const untilMs = performance.now() + 0.6;
  while (performance.now() < untilMs);
}

const REFUSALS: GuardOptions = {
  hosts: { refuse: () => null },
  crossOrigin: { isPreflight: () => false },
  headersOf: () => ({}),
  report: work,
  log: recordingLog([]),
  identity: null,
  mintCredential: () => expect.unreachable(),
  trace: 'off',
};

function guarded(proxies: readonly string[] = []) {
  const server = new EventEmitter();
  createServerGuard({ isOn: true } as CallerLimits, readProxies(proxies), REFUSALS).watch(server as Server);
  return (address: string) => {
    const connection = new ConnectionFrom(address);
    server.emit('connection', connection);
    return connection;
  };
}

function openFrom(addressOf: (number: number) => string, proxies: readonly string[] = []): number {
  const connect = guarded(proxies);
  const connections = Array.from({ length: MANY }, (_, number) => connect(addressOf(number)));
  return connections.filter(({ isOpen }) => isOpen).length;
}

test('a connection that closes makes room for one more of its address', () => {
  const connect = guarded();
  const [first] = Array.from({ length: 256 }, () => connect('192.0.2.1'));
  expect(connect('192.0.2.1').isOpen).toBe(false);
  first?.destroy();
  expect([connect('192.0.2.1').isOpen, connect('192.0.2.1').isOpen]).toEqual([true, false]);
});

test('connections of one address, and of one network of IPv6, are counted together', () => {
  expect(openFrom(() => '192.0.2.1')).toBe(256);
  expect(openFrom((number) => `2001:db8:0:1::${number.toString(16)}`)).toBe(256);
  expect(openFrom((number) => (number % 2 === 0 ? '192.0.2.1' : '::ffff:192.0.2.1'))).toBe(256);
});

test('those of other addresses, of other networks, and of a trusted proxy are not', () => {
  expect(openFrom((number) => `192.0.2.${number % 200}`)).toBe(MANY);
  expect(openFrom((number) => `2001:db8:0:${number.toString(16)}::1`)).toBe(MANY);
  expect(openFrom(() => '2001:db8::7', ['2001:db8::/32'])).toBe(MANY);
});

test.each([
  ['probes', '/readyz', false],
  ['probes beyond the limit', '/readyz', true],
  ['requests that are refused', '/graphql', true],
])('%s that arrive at once are answered in turns, between which others are served', async (_what, path, isRefused) => {
  const REQUESTS = 64;
  let turn = 0;
  const turns: number[] = [];
  const limits = {
    isOn: true,
    async admit() {
      if (isRefused) throw new RequestError(429, 'Too many.');
      return {};
    },
  } as unknown as CallerLimits;
  const guard = createServerGuard(limits, null, REFUSALS);
  const before = guard.before((_request, response) => response.end());
  const handle: RequestListener = (request, response) => {
    response.once('finish', () => turns.push(turn));
    before(request, response);
  };
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  // All of them in one read.
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(REQUESTS));
  socket.resume();
  while (turns.length < REQUESTS) {
    await new Promise(setImmediate);
    turn += 1;
  }
  socket.destroy();
  server.close();
  const perTurn = new Map<number, number>();
  for (const one of turns) perTurn.set(one, (perTurn.get(one) ?? 0) + 1);
  expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(2);
});

test('an expectation is ignored: who has no requests left is refused whatever they expect', async () => {
  const gateway = await openGateway({ gateway: { callerRequestsPerMinute: 3 } });
  const statuses: number[] = [];
  const { port } = new URL(gateway.url);
  for (let time = 0; time < 5; time += 1) {
    const headers = { expect: 'a-miracle', 'content-type': 'application/json' };
    const call = request({ port, path: '/graphql', method: 'POST', headers }).end('{"query":"{ __typename }"}');
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    statuses.push(response.statusCode ?? 0);
  }
  await gateway.close();
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});
