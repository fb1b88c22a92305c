import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { Secret } from '../../runtime/credentials/secret.js';
import { connectRedis, createRedisGuard, type RedisGuard } from '../../runtime/stores/redis.js';
import { openStores } from '../../runtime/stores/text-store.js';
import { systemClock } from '../../subgraphs/rest/ports/ports.js';
import { createRedisQuotaLog } from '../../subgraphs/rest/ports/redis-quota-log.js';
import { startRedis } from '../auth/support/redis.js';
import { POLLING } from '../polling.js';
import { createLines } from '../runtime/support/lines.js';
import { createLimitedService, type LimitedService } from './support/limited-service.js';
import { createOperation } from './support/operation.js';
import { createToolkit, search, type Toolkit } from './support/toolkit.js';
import { startWireServer, type WireServer } from './support/wire-server.js';

const redis = await startRedis();
afterAll(() => redis?.close());

const REPLICAS = 3;
const SCOPES = () => [{ kind: 'window', name: 'search', limit: 60, windowMs: 60_000 } as const];

interface Replica {
  readonly toolkit: Toolkit;
  readonly guard: RedisGuard;
  /** Whether the replica ever lost Redis. */
  readonly lost: () => boolean;
  close(): Promise<void>;
}

describe.runIf(redis !== null)('three replicas over one Redis', () => {
  if (redis === null) return;
  const url = new Secret(redis.url);
  let service: LimitedService;
  let server: WireServer;
  let replicas: Replica[] = [];

  beforeEach(async () => {
    service = createLimitedService(systemClock, 60);
    server = await startWireServer((request, response) => {
      const {
        status = 200,
        headers,
        body,
      } = service.respond({ ...request, url: new URL(request.url, 'http://x') } as never);
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
    replicas = [];
  });
  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await server.close();
    redis.thaw();
    await redis.kill();
    await redis.restart();
  });

  async function open(): Promise<Replica> {
    const lines = createLines();
    const { log } = lines;
    const client = connectRedis({ url, prefix: 'passerelle' }, log, {
      enableOfflineQueue: false,
      commandTimeout: undefined,
    });
    const guard = createRedisGuard(client, log);
    if (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve).once('close', resolve));
    const toolkit = createToolkit(
      server.url,
      { dialect: { headers: () => ({}), scopes: SCOPES } },
      { random: Math.random, sharedQuota: (service) => createRedisQuotaLog(guard, service, randomUUID) },
    );
    return {
      toolkit,
      guard,
      lost: () => lines.read().some(({ msg }) => msg === 'Redis is away: this process continues on its local fallback'),
      async close() {
        await toolkit.close();
        client.disconnect();
      },
    };
  }

  async function openAll(): Promise<void> {
    replicas = await Promise.all(Array.from({ length: REPLICAS }, open));
    // By then, each has announced itself.
    await Promise.all(
      replicas.map(({ toolkit }) => toolkit.call(search({ path: '/warm' }), within(5_000)).catch(() => {})),
    );
  }

  function within(ms: number) {
    const untilMs = performance.now() + ms;
    return createOperation({ remainingMs: () => Math.max(0, untilMs - performance.now()) });
  }

  let number = 0;
  /** Distinct searches, spread over the replicas; returns their outcomes. */
  function offer(count: number, ms = 20_000): Promise<unknown[]> {
    return Promise.all(
      Array.from({ length: count }, (_, n) => {
        number += 1;
        const replica = replicas[n % replicas.length] as Replica;
        return replica.toolkit.call(search({ path: `/${number}` }), within(ms)).catch((error: unknown) => error);
      }),
    );
  }

  const refused = (outcome: unknown) => outcome instanceof CodedError && outcome.code === 'RATE_LIMITED';
  const failed = (outcome: unknown) => outcome instanceof Error && !refused(outcome);

  /** Waits until every replica uses Redis again; the tests of the guard check how soon, on a clock of their own. */
  const allReach = () => vi.waitFor(() => expect(replicas.every(({ guard }) => guard.reachable)).toBe(true), POLLING);

  /** These guarantees are for replicas that share a Redis, which they do not on a machine too busy to run it. */
  function needShared(context: TestContext): void {
    const lost = replicas.filter((replica) => replica.lost()).length;
    context.skip(
      lost > 0,
      `This machine is so busy that Redis was late: ${lost} replicas counted by their local fallback.`,
    );
  }

  it('answer sixty of three hundred, refuse the rest at once, and run into no refusal', async (context) => {
    await openAll();
    const outcomes = await offer(300);
    needShared(context);
    expect(outcomes.filter(failed)).toEqual([]);
    expect(service).toMatchObject({ refused: 0, answered: 60 });
    for (const outcome of outcomes.filter(refused)) {
      const { extensions } = outcome as CodedError;
      expect(Math.abs(Number(extensions['retryAfterSeconds']) - 60)).toBeLessThanOrEqual(1);
    }
  });

  it('answer at least fifty-eight when Redis dies meanwhile', async (context) => {
    await openAll();
    const offered = offer(300);
    await server.arrived(20);
    needShared(context);
    await redis.kill();
    const outcomes = await offered;
    expect(outcomes.filter(failed)).toEqual([]);
    expect(service.refused).toBe(0);
    expect(service.answered).toBeGreaterThanOrEqual(58);
    expect(replicas.map(({ toolkit }) => toolkit.status().detail)).toContain(
      'its quota is on its local fallback: the shared store is away',
    );
  });

  it('lose nothing when Redis freezes: a few late commands, then none, and shared again when it thaws', async () => {
    await openAll();
    redis.freeze();
    const first = await offer(9);
    const later = await offer(9);
    expect([...first, ...later].filter(failed)).toEqual([]);
    expect(replicas.some(({ guard }) => guard.reachable)).toBe(false);
    expect(service.refused).toBe(0);
    redis.thaw();
    await allReach();
    await offer(300);
    expect(service.refused).toBe(0);
  });

  it('remember what Redis has forgotten', async () => {
    await openAll();
    await offer(45);
    await replicas[0]?.guard.run((client) => client.flushall());
    const outcomes = await offer(100);
    expect(outcomes.filter(failed)).toEqual([]);
    expect(service.refused).toBe(0);
  });

  it('take up again with a Redis that came back empty', async () => {
    await openAll();
    await offer(30);
    await redis.kill();
    await offer(6);
    await redis.restart();
    await allReach();
    const outcomes = await offer(100);
    expect(outcomes.filter(failed)).toEqual([]);
    expect(service.refused).toBe(0);
  });

  it('are not held up by one that dies: what it held is free when its lease ends', async (context) => {
    await openAll();
    const dying = replicas.pop() as Replica;
    void dying.toolkit.call(search({ path: '/dying' }), within(300)).catch(() => {});
    await dying.close();
    await offer(100);
    needShared(context);
    expect(service.refused).toBe(0);
    expect(service.answered).toBeGreaterThanOrEqual(58);
  });

  it('start without Redis, each with its part', async () => {
    await redis.kill();
    await openAll();
    const outcomes = await offer(100);
    expect(outcomes.filter(failed)).toEqual([]);
    expect(service.refused).toBe(0);
    expect(service.answered).toBeGreaterThanOrEqual(REPLICAS);
  });

  it.each([
    ['full', ['CONFIG', 'SET', 'maxmemory', '1']],
    ['paused', ['CLIENT', 'PAUSE', '1500']],
    ['without its scripts', ['SCRIPT', 'FLUSH']],
    ['asking for a password', ['CONFIG', 'SET', 'requirepass', 'changed']],
  ])('fail no request when Redis is %s', async (_what, [command = '', ...args]) => {
    await openAll();
    await replicas[0]?.guard.run((client) => client.call(command, ...args));
    const outcomes = await offer(100);
    expect(outcomes.filter(failed)).toEqual([]);
    expect(service.refused).toBe(0);
    expect(service.answered).toBeGreaterThanOrEqual(30);
  });
});

describe.runIf(redis !== null)('answers kept in Redis', () => {
  it('are found by another replica, and cost it no call', async () => {
    if (redis === null) return;
    const server = await startWireServer();
    const stores = openStores({
      cache: { url: new Secret(redis.url), prefix: 'passerelle' },
      cacheDir: null,
      markKeys: [Buffer.from('marks')],
      log: createLines().log,
    });
    await vi.waitFor(() => expect(stores.redis?.reachable).toBe(true), POLLING);
    const ports = { sharedStore: stores.shared, privateStore: stores.perKey };
    const [one, two] = [createToolkit(server.url, {}, ports), createToolkit(server.url, {}, ports)];
    await one.call(search(), createOperation());
    // Cache entries are written in the background.
    const storedKeys = () => stores.redis?.run((client) => client.dbsize());
    await vi.waitFor(async () => expect(await storedKeys()).toBeGreaterThan(0), POLLING);
    const operation = createOperation();
    await two.call(search(), operation);
    expect(operation.rows).toMatchObject([{ cache: 'HIT' }]);
    expect(server.seen).toHaveLength(1);
    await Promise.all([one.close(), two.close(), stores.close(), server.close()]);
  });
});
