import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startRedis } from '../auth/support/redis.js';
import { POLLING } from '../polling.js';
import type { StackResponse } from '../scenarios/stack.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { ROMES, USER } from './support/small-world.js';

/**
 * A Redis in trouble, under two replicas that use it for the cache, the quota and the count of replicas. Callers notice
 * nothing, except that for a while each replica works on its own.
 */

const redis = await startRedis();
const REPLICAS = 2;
/** Requests that each replica gets while Redis is in trouble. */
const REQUESTS = 3;

let replicas: Replicas;
let opened: Replica[] = [];
let admin: Redis;
let operations = 0;

/** A new query to a service with quota to spare. */
function newQuery(): string {
  operations += 1;
  return `{ organizations(first: 1, q: "question ${operations}") { totalCount } }`;
}

async function openAll(url: string): Promise<void> {
  replicas = await openReplicas({ CACHE_DIR: 'off', CACHE_URL: url });
  opened = [];
  while (opened.length < REPLICAS) opened.push(await replicas.open());
}

function sendEach(query: () => string): Promise<StackResponse[]> {
  const headers = { authorization: `Bearer ${replicas.sandbox.keys.waste.token}` };
  return Promise.all(opened.map((replica) => replica.send(query(), { headers })));
}

/**
 * Every replica answers new and known queries without an error: one that waited for Redis would miss its deadline. The
 * tests of the guard check its 50 ms on a clock of their own.
 */
async function expectServing(): Promise<void> {
  for (let request = 0; request < REQUESTS; request += 1) {
    for (const { errors, data } of await sendEach(
      () => `${newQuery().slice(0, -1)} departements { codeInsee } viewer { name } }`,
    )) {
      expect(errors).toEqual([]);
      expect(data.departements).toHaveLength(2);
      expect(data.viewer).toEqual({ name: USER.name });
    }
  }
}

/** What one replica has fetched costs the other nothing. How soon is tested elsewhere, on virtual clocks. */
async function expectShared(): Promise<void> {
  const [first, second] = opened;
  await vi.waitFor(async () => {
    const operation = newQuery();
    await first?.send(operation);
    const response = await second?.send(operation);
    expect(response?.trace?.calls.map(({ cache }) => cache)).toEqual(['HIT']);
  }, POLLING);
}

function refusals(): number {
  return replicas.sandbox.running.flatMap(({ calls }) => calls).filter(({ status }) => status === 429).length;
}

afterAll(() => redis?.close());

describe.skipIf(redis === null)('Redis in trouble', () => {
  beforeAll(async () => {
    await openAll(redis?.url ?? '');
    admin = new Redis(redis?.url ?? '', { retryStrategy: () => 100 });
    admin.on('error', () => {});
    await expectShared();
  });
  afterAll(async () => {
    admin.disconnect();
    await replicas.close();
  });
  afterEach(async () => {
    await expectShared();
    expect(refusals()).toBe(0);
  });

  test('frozen: all is answered meanwhile, and shared again after', async () => {
    redis?.freeze();
    await expectServing();
    redis?.thaw();
  });

  test('killed and started again, empty; meanwhile /readyz says that each replica counts by its local fallback', async () => {
    await redis?.kill();
    await expectServing();
    for (const { url } of opened) {
      const ready = await fetch(`${url}/readyz`);
      expect(ready.status).toBe(200);
      const { sources } = (await ready.json()) as { sources: { name: string; detail?: string }[] };
      const volunteering = sources.find(({ name }) => name === 'volunteering');
      expect(volunteering?.detail).toMatch(/local fallback: the shared store is away/);
    }
    await redis?.restart();
  });

  test('flushed', async () => {
    await admin.flushall();
    await expectServing();
  });

  test('paused, as during a failover', async () => {
    await admin.client('PAUSE', 1500);
    await expectServing();
  });

  test('full: what cannot be kept is requested again', async () => {
    await admin.config('SET', 'maxmemory', '1');
    await expectServing();
    await admin.config('SET', 'maxmemory', '0');
  });

  test('without its scripts', async () => {
    await admin.script('FLUSH');
    await expectServing();
  });

  test('no trouble costs a refusal: of eighty searches the key gets what is left of its minute', async () => {
    const searches = ROMES.slice(0, 80).map((rome, number) =>
      opened[number % REPLICAS]?.send(`query ($rome: ROMECode!) { jobSearch(romes: [$rome]) { truncated } }`, {
        variables: { rome },
      }),
    );
    const responses = await Promise.all(searches);
    const codes = responses.flatMap((response) => response?.errors.map(({ extensions }) => extensions.code) ?? []);
    expect(new Set(codes)).toEqual(new Set(['RATE_LIMITED']));
    expect(responses.length - codes.length).toBeLessThanOrEqual(60);
    expect(responses.length - codes.length).toBeGreaterThan(0);
  });
});

describe.skipIf(redis === null)('Redis that cannot be had from the start', () => {
  afterEach(async () => {
    await replicas.close();
  });

  test('down: all is answered, and shared as soon as it is there', async () => {
    await redis?.kill();
    await openAll(redis?.url ?? '');
    await expectServing();
    await redis?.restart();
    await expectShared();
    expect(refusals()).toBe(0);
  });

  test('refuses the password: all is answered, and neither log nor answer tells it', async () => {
    const owner = new Redis(redis?.url ?? '');
    await owner.config('SET', 'requirepass', 'the-right-password');
    await openAll((redis?.url ?? '').replace('redis://', 'redis://:a-wrong-password@'));
    await expectServing();
    expect(refusals()).toBe(0);
    for (const { log } of opened) expect(log.text()).not.toContain('a-wrong-password');
    await owner.config('SET', 'requirepass', '');
    owner.disconnect();
  });
});
