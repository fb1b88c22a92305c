import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../runtime/credentials/secret.js';
import { connectRedis, createRedisGuard, type RedisGuard } from '../../runtime/stores/redis.js';
import { createRedisStore } from '../../runtime/stores/text-store.js';
import { startRedis } from '../auth/support/redis.js';
import { createLines } from './support/lines.js';

const server = await startRedis();
afterAll(() => server?.close());

describe.runIf(server !== null)('the guard around Redis', () => {
  if (server === null) return;
  let client: Redis;
  let guard: RedisGuard;
  let lines: ReturnType<typeof createLines>;

  beforeEach(async () => {
    lines = createLines();
    client = connectRedis({ url: new Secret(server.url), prefix: 'passerelle' }, lines.log, {
      enableOfflineQueue: false,
      commandTimeout: undefined,
    });
    guard = createRedisGuard(client, lines.log);
    await until(() => guard.reachable);
  });
  afterEach(async () => {
    client.disconnect();
    await server.kill();
    await server.restart();
  });

  async function until(is: () => boolean): Promise<void> {
    while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** The outcome of a command within this turn of the event loop, so that neither network nor timers affect it. */
  function inThisTurn(command: () => Promise<unknown>): Promise<string> {
    const settled = command().then(
      () => 'answered',
      () => 'refused',
    );
    return Promise.race([settled, new Promise<string>((resolve) => setImmediate(resolve, 'waiting'))]);
  }

  /** How long a command took, and whether it was answered. */
  async function timeOf(): Promise<{ ms: number; answered: boolean }> {
    const startedMs = performance.now();
    const answered = await guard
      .run((redis) => redis.get('key'))
      .then(
        () => true,
        () => false,
      );
    return { ms: performance.now() - startedMs, answered };
  }

  it('gives a killed server up at once, and takes it back when it is there again', async () => {
    await server.kill();
    await until(() => !guard.reachable);
    expect(await inThisTurn(() => guard.run((redis) => redis.get('key')))).toBe('refused');
    await server.restart();
    await until(() => guard.reachable);
    expect((await timeOf()).answered).toBe(true);
  });

  it('takes a refusal of the server for a response', async () => {
    for (let n = 0; n < 5; n += 1) {
      await expect(guard.run((redis) => redis.call('NO-SUCH-COMMAND'))).rejects.toThrow(/unknown command/i);
    }
    expect(guard.reachable).toBe(true);
  });

  it('says once that a full server refuses what is written, and reads on', async () => {
    await guard.run((redis) => redis.set('key', 'value'));
    await guard.run((redis) => redis.config('SET', 'maxmemory', '1'));
    for (const _time of [1, 2, 3]) {
      await expect(guard.run((redis) => redis.set('key', 'secret'))).rejects.toThrow('OOM');
      expect(await guard.run((redis) => redis.get('key'))).toBe('value');
    }
    expect(guard.reachable).toBe(true);
    expect(lines.read()).toMatchObject([{ level: 'warn', code: 'OOM', msg: 'Redis refuses commands' }]);
    await guard.run((redis) => redis.config('SET', 'maxmemory', '0'));
  });

  it('does not take its own standstill for the server’s', async () => {
    const requested = Array.from({ length: 5 }, () => guard.run((redis) => redis.get('key')));
    const untilMs = performance.now() + 200;
    while (performance.now() < untilMs);
    await expect(Promise.all(requested)).resolves.toHaveLength(5);
    expect(guard.reachable).toBe(true);
  });

  it('lets a cache forget rather than fail', async () => {
    const store = createRedisStore(guard);
    await store.set('key', 'text', 60_000);
    expect(await store.get('key')).toBe('text');
    await server.kill();
    await until(() => !guard.reachable);
    await store.set('key', 'text', 60_000);
    expect(await store.get('key')).toBeUndefined();
  });

  it('keeps nothing for ever', async () => {
    await createRedisStore(guard).set('key', 'text', 1_234.5);
    const [key = ''] = await guard.run((redis) => redis.keys('*'));
    const ttl = await guard.run((redis) => redis.pttl(key.replace('passerelle:', '')));
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(1_235);
  });
});
