import { Redis } from 'ioredis';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../runtime/credentials/secret.js';
import { connectRedis } from '../../runtime/stores/redis.js';
import { startRedis } from '../auth/support/redis.js';
import { POLLING } from '../polling.js';
import { createMemoryLog } from '../scenarios/memory-log.js';

/** Guards against the use of another database than the one in `CACHE_URL`. */

const server = await startRedis();
afterAll(() => server?.close());

describe.runIf(server !== null)('a Redis without the database of CACHE_URL', () => {
  const url = server?.url ?? '';

  it.each([
    ['commands that wait for the server', {}],
    ['commands that do not', { enableOfflineQueue: false, commandTimeout: undefined }],
  ])('is reported once, and gets no %s', async (_which, options) => {
    const log = createMemoryLog();
    const redis = connectRedis(new Secret(`${url}/77`), log, options);
    const isDone = async (key: string) => (await redis.set(key, '1').catch(() => null)) !== null;
    expect(await isDone('first')).toBe(false);
    expect(await log.seen(({ level }) => level === 'error')).toEqual({
      level: 'error',
      fields: { code: 'ERR' },
      message: 'the shared store refuses the database of CACHE_URL',
    });
    const admin = new Redis(url);
    const refused = async () =>
      Number(/cmdstat_select:.*?failed_calls=(\d+)/.exec(await admin.info('commandstats'))?.[1]);
    const before = await refused();
    // It tries again, and is refused each time.
    await vi.waitFor(async () => expect(await refused()).toBeGreaterThan(before + 1), POLLING);
    expect(await isDone('second')).toBe(false);
    expect(log.lines).toHaveLength(1);
    redis.disconnect();
    expect(await admin.keys('*')).toEqual([]);
    admin.disconnect();
  });

  it('is used once it has that database', async () => {
    const log = createMemoryLog();
    const admin = new Redis(url);
    await admin.acl('SETUSER', 'caller', 'on', '>word', '~*', '+@all', '-select');
    const redis = connectRedis(new Secret(url.replace('//', '//caller:word@').concat('/5')), log);
    expect((await log.seen(({ level }) => level === 'error')).fields).toEqual({ code: 'NOPERM' });
    await admin.acl('SETUSER', 'caller', '+select');
    await log.seen(({ message }) => message === 'the shared store can be reached again');
    await redis.set('key', '1');
    redis.disconnect();
    await admin.select(5);
    expect(await admin.keys('*')).toEqual(['key']);
    admin.disconnect();
  });
});
