import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startRedis } from '../auth/support/redis.js';
import { POLLING } from '../polling.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';

/** What somebody else wrote into Redis or CACHE_DIR is not believed. */

const REFERENCE = '{ departements { codeInsee nom } }';
const FOR_EVER = 1e18;
const DAY_SECONDS = 24 * 60 * 60;

const redis = await startRedis();
afterAll(() => redis?.close());

let replicas: Replicas;
beforeEach(async () => {
  replicas = await openReplicas();
});
afterEach(() => replicas.close());

/** An entry as JSON, whatever stands before it. */
function contentOf(text: string): { json: { nom: string }[] } {
  return JSON.parse(text.slice(text.indexOf('{')));
}

/** What an entry would be with other content, which somebody without the key can write. */
const FORGERIES: [string, (text: string) => string][] = [
  [
    'would be fresh for ever',
    (text) => {
      const entry = { ...contentOf(text), times: [Date.now(), FOR_EVER, FOR_EVER, FOR_EVER] };
      return text.slice(0, text.indexOf('{')) + JSON.stringify(entry);
    },
  ],
  ['says something else', (text) => text.replace('Paris', 'Pariz')],
];

async function expectFetched(replica: Replica): Promise<void> {
  const { data, errors, headers, trace } = await replica.send(REFERENCE);
  expect(errors).toEqual([]);
  expect(data.departements.map(({ nom }: { nom: string }) => nom)).toContain('Paris');
  expect(trace?.calls).toMatchObject([{ cache: 'MISS' }]);
  const maxAge = Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1] ?? 0);
  expect(maxAge).toBeLessThanOrEqual(1.1 * DAY_SECONDS);
}

async function expectFound(replica: Replica): Promise<void> {
  const { errors, trace } = await replica.send(REFERENCE);
  expect(errors).toEqual([]);
  expect(trace?.calls).toMatchObject([{ cache: 'HIT' }]);
}

describe.skipIf(redis === null)('An entry in Redis', () => {
  const client = new Redis(redis?.url ?? '', { lazyConnect: true });
  const overRedis = { CACHE_DIR: 'off', CACHE_URL: redis?.url ?? '' };
  afterEach(() => client.flushall());
  afterAll(() => client.disconnect());

  /** The key of the only entry, once it is written. */
  const written = () =>
    vi.waitFor(async () => {
      for (const key of await client.keys('passerelle:cache:*')) {
        if ((await client.get(key))?.includes('"form"')) return key;
      }
      throw new Error('Nothing is written yet.');
    }, POLLING);

  test.each(FORGERIES)('that %s is fetched again', async (_what, forge) => {
    await (await replicas.open(overRedis)).send(REFERENCE);
    const key = await written();
    await client.set(key, forge((await client.get(key)) ?? ''));
    await expectFetched(await replicas.open(overRedis));
  });

  test('is found again with each secret of a list, in a rotation', async () => {
    const [old, next] = ['an-old-secret-of-the-reliability-tests', 'a-new-secret-of-the-reliability-tests'];
    await (await replicas.open({ ...overRedis, SESSION_SECRET: old })).send(REFERENCE);
    await written();
    await expectFound(await replicas.open({ ...overRedis, SESSION_SECRET: `${next},${old}` }));
    await expectFetched(await replicas.open({ ...overRedis, SESSION_SECRET: next }));
  });

  test('under the key of another is fetched again', async () => {
    await (await replicas.open(overRedis)).send(REFERENCE);
    const key = await written();
    const text = (await client.get(key)) ?? '';
    await client.del(key);
    const other = await replicas.open(overRedis);
    await other.send('{ missionsLocales { nom } }');
    await client.set(await written(), text);
    const { data } = await (await replicas.open(overRedis)).send('{ missionsLocales { nom } }');
    expect(data.missionsLocales.map(({ nom }: { nom: string }) => nom)).not.toContain('Paris');
  });
});

describe('An entry in CACHE_DIR', () => {
  const file = () => join(replicas.cacheDir, 'entries.db');

  /** Resolves once an entry is written. */
  const written = () =>
    vi.waitFor(async () => expect((await readFile(file(), 'utf8')).includes('Paris')).toBe(true), POLLING);

  test('survives a restart, with or without SESSION_SECRET', async () => {
    const first = await replicas.open({ SESSION_SECRET: '' });
    await first.send(REFERENCE);
    await written();
    await first.close();
    await expectFound(await replicas.open());
  });

  test('is fetched again where others could have written it', async () => {
    const first = await replicas.open();
    await first.send(REFERENCE);
    await written();
    await first.close();
    await chmod(file(), 0o666);
    await expectFetched(await replicas.open());
  });
});
