import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRedisGuard } from '../../runtime/stores/redis.js';
import { createLines } from './support/lines.js';

/** Guards what a frozen Redis costs. */

/** A connection to a server that can be frozen: it then takes commands, and answers them once it is thawed. */
class FreezableRedis extends EventEmitter {
  readonly status = 'ready';
  readonly commands: string[] = [];
  #frozen: (() => void)[] | null = null;

  freeze(): void {
    this.#frozen = [];
  }

  thaw(): void {
    for (const response of this.#frozen ?? []) response();
    this.#frozen = null;
  }

  get(key: string): Promise<string> {
    return this.#command(`GET ${key}`);
  }

  ping(): Promise<string> {
    return this.#command('PING');
  }

  #command(text: string): Promise<string> {
    this.commands.push(text);
    return new Promise((resolve) => {
      if (this.#frozen === null) resolve('OK');
      else this.#frozen.push(() => resolve('OK'));
    });
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function create() {
  const redis = new FreezableRedis();
  const guard = createRedisGuard(redis as unknown as Redis, createLines().log);
  const get = (): Promise<string> =>
    guard
      .run((client) => client.get('key'))
      .then(
        () => 'answered',
        () => 'away',
      );
  /** The state of a command after 50 ms. */
  async function getIn50Ms(): Promise<string> {
    let outcome = 'waiting';
    void get().then((one) => {
      outcome = one;
    });
    await vi.advanceTimersByTimeAsync(50);
    await new Promise((resolve) => setImmediate(resolve));
    return outcome;
  }
  return { redis, guard, get, getIn50Ms };
}

it('a frozen server costs at most 50 ms a command until the third, and from then on nothing is sent to it', async () => {
  const { redis, get, getIn50Ms } = create();
  expect(await getIn50Ms()).toBe('answered');
  redis.freeze();
  for (let failure = 1; failure <= 3; failure += 1) expect(await getIn50Ms()).toBe('away');
  const sent = redis.commands.length;
  const outcomes = await Promise.all(Array.from({ length: 1_000 }, get));
  expect(new Set(outcomes)).toEqual(new Set(['away']));
  expect(redis.commands).toHaveLength(sent);
});

it('a frozen server is asked by one command at a time: after 1, 2, 4 and then every 5 seconds', async () => {
  const { redis, get, getIn50Ms } = create();
  redis.freeze();
  for (let failure = 1; failure <= 3; failure += 1) await getIn50Ms();
  redis.commands.length = 0;
  const counts: number[] = [];
  for (let second = 0; second < 24; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    await get();
    counts.push(redis.commands.length);
  }
  expect(redis.commands).toEqual(Array(6).fill('PING'));
  expect(counts.map((count, index) => count - (counts[index - 1] ?? 0))).toEqual([
    1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,
  ]);
});

it('a server that thaws is used at once: what it owed is a sign of life', async () => {
  const { redis, guard, getIn50Ms } = create();
  redis.freeze();
  for (let failure = 1; failure <= 3; failure += 1) await getIn50Ms();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(guard.reachable).toBe(false);
  redis.thaw();
  await vi.advanceTimersByTimeAsync(0);
  expect(guard.reachable).toBe(true);
  expect(await getIn50Ms()).toBe('answered');
});
