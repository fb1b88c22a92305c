import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis } from '../../auth/support/redis.js';
import { type Answered, lastAnswered } from '../answered.js';
import { plainMissions, the } from '../samples.js';
import { IS_APART, type Stack, send, startStack } from '../stack.js';

const redis = await startRedis();

describe.skipIf(redis === null || IS_APART)('A replica that shares a store answers from its memory', () => {
  let stack: Stack;
  beforeAll(async () => {
    const env = { CACHE_URL: redis?.url ?? '', SESSION_SECRET: 'a-secret-that-replicas-share-with-each-other' };
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env });
  });
  afterAll(async () => {
    await stack.close();
    await redis?.close();
  });

  async function answered(query: string, headers: Record<string, string> = {}): Promise<Answered> {
    await send(stack.url, query, { headers: { 'x-passerelle-trace': 'none', ...headers } });
    return lastAnswered(stack);
  }

  test('what a service gave that nobody can write to, with anybody’s key', async () => {
    const { id } = the(plainMissions(stack.sandbox.world)[0]);
    const query = `{ mission(id: "${id}") { title commune { nom } organization { title workplaces { name } } } }`;
    expect(await answered(query)).toMatchObject({ way: 'schema', reason: 'unknown' });
    expect(await answered(query)).toMatchObject({ way: 'whole response' });
    const alice = { 'x-volunteering-key': stack.sandbox.keys.volunteering.alice };
    expect(await answered(query, alice)).toMatchObject({ way: 'schema', reason: 'unknown' });
    expect(await answered(query, alice)).toMatchObject({ way: 'whole response' });
  });

  test('but nothing that another replica’s write with the same key may have changed', async () => {
    const query = '{ jobSearch(latitude: 48.85, longitude: 2.35, radius: 10) { jobs { id } } }';
    const alice = { 'x-work-study-key': stack.sandbox.keys.workStudy.alice };
    for (const _time of [1, 2])
      expect(await answered(query, alice)).toMatchObject({ way: 'schema', reason: 'unknown' });
  });
});
