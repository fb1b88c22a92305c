import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../runtime/credentials/secret.js';
import {
  connectRedis,
  createRedisGuard,
  createRedisLease,
  type InTurn,
  RedisAway,
  type RedisGuard,
} from '../../runtime/stores/redis.js';
import { startRedis } from '../auth/support/redis.js';
import { SHORT_LIVED } from '../v8-flags.js';
import { createLines } from './support/lines.js';

const server = await startRedis();
afterAll(() => server?.close());

/** Long enough for a busy machine to renew it in time, short enough to wait until it ends. */
const LEASE_MS = 900;
const KEY = 'passerelle:lease:export';

/** A replica with its own connection, which can die. */
interface Replica {
  readonly inTurn: InTurn;
  readonly guard: RedisGuard;
  die(): void;
}

/** Work that lasts until the test ends it. */
function openWork() {
  const work = { started: Promise.resolve(), end: () => {}, fail: (_reason: Error) => {}, run: async () => {} };
  let start = () => {};
  work.started = new Promise((resolve) => {
    start = resolve;
  });
  const ended = new Promise<void>((resolve, reject) => {
    work.end = resolve;
    work.fail = reject;
  });
  work.run = () => {
    start();
    return ended;
  };
  return work;
}

describe.runIf(server !== null)('turns of replicas over one Redis', () => {
  if (server === null) return;
  const { signal } = new AbortController();
  let admin: Redis;
  let opened: Replica[] = [];

  beforeEach(() => {
    admin = new Redis(server.url);
  });
  afterEach(async () => {
    for (const replica of opened.splice(0)) replica.die();
    await admin.flushall();
    admin.disconnect();
  });

  async function open(): Promise<Replica> {
    const { log } = createLines();
    const options = { enableOfflineQueue: false, commandTimeout: undefined };
    const client = connectRedis({ url: new Secret(server?.url ?? ''), prefix: 'passerelle' }, log, options);
    const redis = createRedisGuard(client, log);
    if (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve));
    const inTurn = createRedisLease({ redis, name: 'export', leaseMs: LEASE_MS });
    const replica = { inTurn, guard: redis, die: () => client.disconnect() };
    opened.push(replica);
    return replica;
  }

  it('work one after the other, all of them', async () => {
    opened = await Promise.all([open(), open(), open()]);
    let working = 0;
    let most = 0;
    let done = 0;
    const work = async () => {
      working += 1;
      most = Math.max(most, working);
      await admin.ping();
      working -= 1;
      done += 1;
    };
    await Promise.all(opened.map(({ inTurn }) => inTurn(work, signal)));
    expect({ most, done }).toEqual({ most: 1, done: 3 });
    expect(await admin.exists(KEY)).toBe(0);
  });

  it('keep theirs as long as they work: the lease is renewed and never given for ever', async () => {
    const work = openWork();
    const done = (await open()).inTurn(work.run, signal);
    await work.started;
    const owner = await admin.get(KEY);
    for (let renewals = 0, leftMs = LEASE_MS; renewals < 1; ) {
      const nowMs = await admin.pttl(KEY);
      expect(nowMs).toBeGreaterThan(0);
      if (nowMs > leftMs) renewals += 1;
      leftMs = nowMs;
    }
    expect(await admin.get(KEY)).toBe(owner);
    work.end();
    await done;
    expect(await admin.exists(KEY)).toBe(0);
  });

  it('take over from one that was killed in the middle', async () => {
    const next = await open();
    const dying = fork(
      new URL('./support/lease-holder.mjs', import.meta.url),
      [server.url, 'export', String(LEASE_MS)],
      { execArgv: SHORT_LIVED },
    );
    onTestFinished(() => void dying.kill('SIGKILL'));
    await once(dying, 'message');
    const lease = await admin.get(KEY);
    let worked = false;
    const taking = next.inTurn(async () => {
      worked = true;
      expect(await admin.get(KEY)).not.toBe(lease);
    }, signal);
    await next.guard.run((redis) => redis.ping());
    expect(worked).toBe(false);
    dying.kill('SIGKILL');
    await taking;
    expect(worked).toBe(true);
  });

  it('give back theirs alone, also when the work fails', async () => {
    const replica = await open();
    const work = openWork();
    const done = replica.inTurn(work.run, signal);
    await work.started;
    await admin.set(KEY, 'of another', 'PX', 60_000);
    work.fail(new Error('The work failed.'));
    await expect(done).rejects.toThrow('The work failed.');
    expect(await admin.get(KEY)).toBe('of another');
    await admin.del(KEY);
    await expect(replica.inTurn(() => Promise.reject(new Error('Again.')), signal)).rejects.toThrow('Again.');
    expect(await admin.exists(KEY)).toBe(0);
  });

  it('wait no longer than they want to', async () => {
    await admin.set(KEY, 'of another', 'PX', 60_000);
    const controller = new AbortController();
    const waiting = (await open()).inTurn(() => Promise.reject(new Error('It was not its turn.')), controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('are not taken for lost because one response came late, nor waited for when they are one’s own', async () => {
    const { guard } = await open();
    let requested = 0;
    const late: RedisGuard = {
      ...guard,
      async script(...parts) {
        const response = await guard.script(...parts);
        requested += 1;
        if (requested === 1) throw new RedisAway();
        return response;
      },
    };
    const inTurn = createRedisLease({ redis: late, name: 'export', leaseMs: LEASE_MS });
    await inTurn(async () => {
      expect(requested).toBe(2);
      expect(await admin.exists(KEY)).toBe(1);
    }, signal);
    expect(await admin.exists(KEY)).toBe(0);
  });

  it('do not wait for anybody without Redis', async () => {
    const replica = await open();
    await admin.set(KEY, 'of another', 'PX', 60_000);
    replica.die();
    let worked = false;
    await replica.inTurn(async () => {
      worked = true;
    }, signal);
    expect(worked).toBe(true);
  });
});
