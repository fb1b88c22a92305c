import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { expect, test } from 'vitest';
import { type CallerLimits, readProxies } from '../../gateway/callers/caller-limits.js';
import { createServerGuard } from '../../gateway/callers/connection-guard.js';

/** Guards what counts as one address for the bound on open connections. */

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

function openFrom(addressOf: (number: number) => string, proxies: readonly string[] = []): number {
  const server = new EventEmitter();
  const refusals = {
    hosts: { refuse: () => null },
    headersOf: () => ({}),
    report: () => {},
    phase: () => 'ready' as const,
  };
  createServerGuard({ isOn: true } as CallerLimits, readProxies(proxies), refusals).watch(server as Server);
  const connections = Array.from({ length: MANY }, (_, number) => new ConnectionFrom(addressOf(number)));
  for (const connection of connections) server.emit('connection', connection);
  return connections.filter(({ isOpen }) => isOpen).length;
}

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
