import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createPolicy } from '../../gateway/callers/caller-limits.js';
import { Secret } from '../../runtime/credentials/secret.js';
import { createRedisAdapter } from '../../runtime/stores/exact-store.js';
import { connectRedis, LOSABLE } from '../../runtime/stores/redis.js';
import { createRedisStore } from '../../runtime/stores/text-store.js';
import { startRedis } from '../auth/support/redis.js';
import { POLLING } from '../polling.js';
import { createMemoryLog } from '../scenarios/memory-log.js';

/** Guards against the use of another database than the one in `CACHE_URL`. */

const server = await startRedis();
afterAll(() => server?.close());

describe.runIf(server !== null)('a Redis without the database of CACHE_URL', () => {
  const url = server?.url ?? '';

  it.each([
    ['commands that wait for the server', {}, 0],
    ['commands that do not', LOSABLE, 0],
    ['commands either if it is late to say so', LOSABLE, 150],
  ])('is reported once, and gets no %s', async (_which, options, lateMs) => {
    const admin = new Redis(url);
    if (lateMs > 0) await admin.client('PAUSE', lateMs, 'ALL');
    const log = createMemoryLog();
    const redis = connectRedis({ url: new Secret(`${url}/77`), prefix: 'passerelle' }, log, options);
    const isDone = async (key: string) => (await redis.set(key, '1').catch(() => null)) !== null;
    expect(await isDone('first')).toBe(false);
    const refusal = {
      level: 'error',
      fields: { code: 'ERR' },
      message: 'the shared store refuses the database of CACHE_URL',
    };
    // A server that is late counts as away first.
    const isTold = ({ level, message }: { readonly level: string; readonly message: string }) =>
      lateMs > 0 ? message === refusal.message : level === 'error';
    expect(await log.seen(isTold)).toEqual(refusal);
    const refused = async () =>
      Number(/cmdstat_select:.*?failed_calls=(\d+)/.exec(await admin.info('commandstats'))?.[1]);
    const before = await refused();
    // It tries again, and is refused each time.
    await vi.waitFor(async () => expect(await refused()).toBeGreaterThan(before + 1), POLLING);
    expect(await isDone('second')).toBe(false);
    expect(log.lines.filter(({ message }) => lateMs === 0 || message === refusal.message)).toHaveLength(1);
    redis.disconnect();
    expect(await admin.keys('*')).toEqual([]);
    admin.disconnect();
  });

  it('is used once it has that database', async () => {
    const log = createMemoryLog();
    const admin = new Redis(url);
    await admin.acl('SETUSER', 'caller', 'on', '>word', '~*', '+@all', '-select');
    const redis = connectRedis(
      { url: new Secret(url.replace('//', '//caller:word@').concat('/5')), prefix: 'passerelle' },
      log,
    );
    expect((await log.seen(({ level }) => level === 'error')).fields).toEqual({ code: 'NOPERM' });
    await admin.acl('SETUSER', 'caller', '+select');
    await log.seen(({ message }) => message === 'the shared store can be reached again');
    await redis.set('key', '1');
    redis.disconnect();
    await admin.select(5);
    expect(await admin.keys('*')).toEqual(['passerelle:key']);
    admin.disconnect();
  });

  it('of a user who may only use one prefix is used below it', async () => {
    const log = createMemoryLog();
    const admin = new Redis(url);
    await admin.acl('SETUSER', 'tenant', 'on', '>word', '~tenant-1:*', '+@all');
    const shared = new Secret(url.replace('//', '//tenant:word@'));
    const client = connectRedis({ url: shared, prefix: 'tenant-1' }, log);
    await once(client, 'ready');
    await createPolicy('requests', 10, client).take('somebody');
    await createRedisAdapter(client).set('session', '1', 60_000);
    await createRedisStore(client, log).set('entry', '1', 60_000);
    client.disconnect();
    expect((await admin.keys('tenant-1:*')).sort()).toEqual([
      'tenant-1:cache:entry',
      'tenant-1:caller-requests:somebody',
      'tenant-1:session',
    ]);
    expect(log.lines).toEqual([]);
    admin.disconnect();
  });
});
