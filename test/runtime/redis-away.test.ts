import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../runtime/credentials/secret.js';
import { connectRedis, LOSABLE } from '../../runtime/stores/redis.js';
import { createRedisStore } from '../../runtime/stores/text-store.js';
import { startRedis } from '../auth/support/redis.js';
import { createLines } from './support/lines.js';

const server = await startRedis();
afterAll(() => server?.close());

describe.runIf(server !== null)('a client whose commands may be lost', () => {
  if (server === null) return;
  let client: Redis;
  let lines: ReturnType<typeof createLines>;

  beforeEach(async () => {
    lines = createLines();
    client = connectRedis({ url: new Secret(server.url), prefix: 'passerelle' }, lines.log, LOSABLE);
    await until(isReady);
  });
  afterEach(async () => {
    client.disconnect();
    server.thaw();
    await server.kill();
    await server.restart();
  });

  const isReady = () => client.status === 'ready';
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

  it('gives a frozen server up after two seconds of late commands, then at once, until it thaws', async () => {
    server.freeze();
    let late = 0;
    const startedMs = performance.now();
    while (isReady()) {
      await expect(client.get('key')).rejects.toThrow();
      late += 1;
    }
    // Each waited for its own time.
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(2_000);
    expect(late).toBeLessThanOrEqual(21);
    expect(await inThisTurn(() => client.get('key'))).toBe('refused');
    server.thaw();
    await until(isReady);
    expect(await client.get('key')).toBeNull();
    expect(lines.read().map(({ msg }) => msg)).toEqual([
      'the shared store cannot be reached',
      'the shared store can be reached again',
    ]);
  });

  it('gives a killed server up at once, and takes it back when it is there again', async () => {
    await server.kill();
    await until(() => !isReady());
    expect(await inThisTurn(() => client.get('key'))).toBe('refused');
    await server.restart();
    await until(isReady);
    expect(await client.get('key')).toBeNull();
  });

  it('says once that a full server refuses what is written, and reads on', async () => {
    const store = createRedisStore(client, lines.log);
    await store.set('key', 'value', 60_000);
    await client.config('SET', 'maxmemory', '1');
    for (const _time of [1, 2, 3]) {
      await store.set('key', 'secret', 60_000);
      expect(await store.get('key')).toBe('value');
    }
    expect(isReady()).toBe(true);
    expect(lines.read()).toMatchObject([{ level: 'warn', code: 'OOM', msg: 'Redis refuses commands' }]);
    await client.config('SET', 'maxmemory', '0');
  });

  it('lets a cache forget rather than fail', async () => {
    const store = createRedisStore(client, lines.log);
    await store.set('key', 'text', 60_000);
    expect(await store.get('key')).toBe('text');
    await server.kill();
    await until(() => !isReady());
    await store.set('key', 'text', 60_000);
    expect(await store.get('key')).toBeUndefined();
  });

  it('keeps nothing for ever', async () => {
    await createRedisStore(client, lines.log).set('key', 'text', 1_234.5);
    const [key = ''] = await client.keys('*');
    const ttl = await client.pttl(key.replace('passerelle:', ''));
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(1_235);
  });
});
