import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../runtime/credentials/secret.js';
import { connectRedis } from '../../runtime/stores/redis.js';
import { startRedis } from '../auth/support/redis.js';
import { createMemoryLog } from '../scenarios/memory-log.js';

/** Guards what the log says of a Redis that refuses its password. */

const PASSWORD = 'PASSWORD-OF-THE-TESTS';
const server = await startRedis();

describe.runIf(server !== null)('a Redis with a password', () => {
  const { host } = new URL(server?.url ?? 'redis://nowhere');
  beforeAll(async () => {
    const admin = new Redis(server?.url ?? '');
    await admin.config('SET', 'requirepass', PASSWORD);
    admin.disconnect();
  });
  afterAll(() => server?.close());

  it.each([
    ['another password', `redis://:OTHER-${PASSWORD}@${host}`, 'WRONGPASS'],
    ['none', `redis://${host}`, 'NOAUTH'],
    ['another user', `redis://SOMEBODY:${PASSWORD}@${host}`, 'WRONGPASS'],
  ])('says in one word why it cannot be reached with %s', async (_which, url, code) => {
    const log = createMemoryLog();
    const redis = connectRedis({ url: new Secret(url), prefix: 'passerelle' }, log);
    const line = await log.seen(({ level }) => level === 'error');
    redis.disconnect();
    expect(line).toEqual({ level: 'error', fields: { code }, message: 'the shared store cannot be reached' });
    expect(log.text()).not.toMatch(/PASSWORD|SOMEBODY/);
  });

  it('a Redis without TLS is told of where the address says that it has it', async () => {
    const log = createMemoryLog();
    const redis = connectRedis({ url: new Secret(`rediss://${host}`), prefix: 'passerelle' }, log);
    const { message } = await log.seen(({ level }) => level === 'error');
    redis.disconnect();
    expect(message).toContain('CACHE_URL begins with redis://, not rediss://');
  });
});
