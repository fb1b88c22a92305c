import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, expect, it, vi } from 'vitest';
import { startAuthStack } from './support/auth-stack.js';
import { startRedis } from './support/redis.js';

/** Guards logins and sessions after a failover of Redis that keeps connections open. */

const [first, second] = [await startRedis(), await startRedis()];
afterAll(() => Promise.all([first?.close(), second?.close()]));
const SESSION_SECRET = 'a-session-secret-of-more-than-32-characters';

it.skipIf(first === null || second === null)(
  'a login works within 5 s of a failover, and sessions of before are there',
  async () => {
    if (first === null || second === null) return;
    const address = await openAddress(portOf(first.url));
    const [old, next] = [new Redis(first.url), new Redis(second.url)];
    await next.replicaof('127.0.0.1', portOf(first.url));
    await vi.waitFor(async () => expect(await next.info('replication')).toContain('master_link_status:up'), WAIT);
    const house = await startAuthStack({ shape: 'in process', env: { CACHE_URL: address.url, SESSION_SECRET } });
    const before = house.person();
    await house.logIn(before.browser, before.user);
    await vi.waitFor(async () => expect(await next.dbsize()).toBe(await old.dbsize()), WAIT);

    await next.replicaof('NO', 'ONE');
    await old.replicaof('127.0.0.1', portOf(second.url));
    address.leadTo(portOf(second.url));
    const failedOverMs = performance.now();
    const after = house.person();
    // The first that writes may find out about the failover.
    await vi.waitFor(async () => expect((await house.logIn(after.browser, after.user)).status).toBe(200), WAIT);
    expect(performance.now() - failedOverMs).toBeLessThan(5_000);
    for (const { browser, user } of [before, after]) {
      const { data } = await house.send(browser, '{ viewer { email } }');
      expect(data.viewer.email).toBe(user.email);
    }
    await house.close();
    for (const client of [old, next]) client.disconnect();
    address.close();
  },
);

const WAIT = { timeout: 30_000, interval: 50 };

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** An address that leads new connections to one server, and then to another; those that are open stay. */
async function openAddress(port: number) {
  let target = port;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(target, '127.0.0.1');
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on('error', () => {});
      each.on('close', () => {
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It has no port.');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    leadTo: (other: number) => {
      target = other;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
