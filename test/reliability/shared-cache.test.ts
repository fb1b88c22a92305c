import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startRedis } from '../auth/support/redis.js';
import { CREATE, offerInput } from '../contract/support/offer-inputs.js';
import { POLLING } from '../polling.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { ROMES } from './support/small-world.js';

/** Two replicas over one Redis: what one has cached for a key, and what a write at the other does to it. */

const redis = await startRedis();

const SEARCH = `{ jobSearch(romes: ["${ROMES[0]}"]) { truncated } }`;

let replicas: Replicas;
let one: Replica;
let other: Replica;
beforeAll(async () => {
  replicas = await openReplicas({ CACHE_DIR: 'off', CACHE_URL: redis?.url ?? '' });
  one = await replicas.open();
  other = await replicas.open();
});
afterAll(async () => {
  await replicas.close();
  await redis?.close();
});

const keyOf = (name: 'alice' | 'bob') => replicas.sandbox.keys.workStudy[name];

/** The cache status of a search. */
async function searched(replica: Replica, name: 'alice' | 'bob'): Promise<string | undefined> {
  const { errors, trace } = await replica.send(SEARCH, { headers: { 'x-work-study-key': keyOf(name) } });
  expect(errors).toEqual([]);
  return trace?.calls[0]?.cache;
}

async function publish(replica: Replica): Promise<void> {
  const headers = { 'x-work-study-key': keyOf('alice') };
  const { errors } = await replica.send(CREATE, { headers, variables: { input: offerInput() } });
  expect(errors).toEqual([]);
}

describe.skipIf(redis === null)('A write at one of two replicas over one Redis', () => {
  test('makes both ask again for what was cached for its key, and for nothing else', async () => {
    for (const replica of [one, other]) {
      await searched(replica, 'alice');
      await searched(replica, 'bob');
    }
    expect(await searched(other, 'alice')).toBe('HIT');
    await publish(one);
    // Each query reads Redis; on a busy machine its reply may come too late to count.
    await vi.waitFor(async () => expect(await searched(other, 'alice')).toBe('MISS'), POLLING);
    await vi.waitFor(async () => expect(await searched(one, 'alice')).toBe('HIT'), POLLING);
    expect(await searched(other, 'bob')).toBe('HIT');
  });

  test('while Redis is away counts for its own replica at once', async () => {
    await searched(one, 'alice');
    await redis?.kill();
    await publish(one);
    expect(await searched(one, 'alice')).toBe('MISS');
    await redis?.restart();
  });
});
