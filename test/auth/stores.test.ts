import { LRUCache } from 'lru-cache';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LOGIN_MS, storePending, takePending } from '../../gateway/auth/login.js';
import { ABSOLUTE_MS, createSessions, IDLE_MS, type SealedStore, type Sessions } from '../../gateway/auth/sessions.js';
import { createRootKeys } from '../../runtime/credentials/credentials.js';
import { Secret } from '../../runtime/credentials/secret.js';
import {
  createExactStore,
  createMemoryAdapter,
  entryBytes,
  openSessionStores,
  type SessionStores,
} from '../../runtime/stores/exact-store.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { startRedis } from './support/redis.js';

const redis = await startRedis();
const places = [{ name: 'in memory', url: null }, ...(redis === null ? [] : [{ name: 'in Redis', url: redis.url }])];

const USER = { name: 'Camille', email: 'camille@example.org' };
const TRANSACTION = {
  upstream: 'waste-identity',
  state: 'state-1',
  codeVerifier: 'verifier-1',
  redirectUri: 'http://127.0.0.1:4000/auth/waste/callback',
  returnTo: '/graphiql',
  replaces: null,
};

afterAll(() => redis?.close());

describe.each(places)('$name', ({ url }) => {
  let stores: SessionStores;
  let pending: SealedStore;
  let sessions: Sessions;
  let now = 0;
  const keys = createRootKeys([]).derive('sessions');
  beforeAll(() => {
    stores = openSessionStores(url === null ? null : { url: new Secret(url), prefix: 'passerelle' }, createMemoryLog());
    pending = { store: stores.logins, keys, now: () => now };
    sessions = createSessions({ store: stores.sessions, keys, now: () => now });
  });
  beforeEach(() => {
    now = 1_800_000_000_000;
  });
  afterAll(() => stores.close());

  const open = () =>
    sessions.open({ upstream: 'waste-identity', subject: 'user-1', user: USER, token: new Secret('token-1') });

  describe('a login under way', () => {
    it('is given to the browser, the state and the platform that it belongs to, once', async () => {
      const id = await storePending(pending, TRANSACTION);
      const other = await storePending(pending, { ...TRANSACTION, state: 'state-2' });
      expect(await takePending(pending, [other], { state: 'state-1', upstream: 'waste-identity' })).toBeNull();
      expect(await takePending(pending, [id], { state: 'state-2', upstream: 'waste-identity' })).toBeNull();
      expect(await takePending(pending, [id], { state: 'state-1', upstream: 'another-platform' })).toBeNull();
      expect(await takePending(pending, [other, id], { state: 'state-1', upstream: 'waste-identity' })).toEqual({
        id,
        login: TRANSACTION,
      });
      expect(await takePending(pending, [other, id], { state: 'state-1', upstream: 'waste-identity' })).toBeNull();
    });

    it('goes to one of twenty callbacks that come at the same time', async () => {
      const id = await storePending(pending, TRANSACTION);
      const taken = await Promise.all(
        Array.from({ length: 20 }, () => takePending(pending, [id], { state: 'state-1', upstream: 'waste-identity' })),
      );
      expect(taken.filter((login) => login !== null)).toHaveLength(1);
    });

    it('may take ten minutes and no longer', async () => {
      const inTime = await storePending(pending, TRANSACTION);
      const late = await storePending(pending, TRANSACTION);
      now += LOGIN_MS;
      expect(await takePending(pending, [inTime], { state: 'state-1', upstream: 'waste-identity' })).not.toBeNull();
      now += 1;
      expect(await takePending(pending, [late], { state: 'state-1', upstream: 'waste-identity' })).toBeNull();
    });
  });

  describe('a session', () => {
    it('is found by its id alone, never by the key that lies in the store', async () => {
      const id = await open();
      const session = await sessions.find(id);
      expect(session).toMatchObject({ key: sessions.keyOf(id), user: USER });
      expect(session?.token?.reveal()).toBe('token-1');
      expect(session?.key).not.toContain(id);
      expect(await sessions.find(sessions.keyOf(id))).toBeNull();
      expect(await sessions.find('never-issued')).toBeNull();
    });

    const stored = async (key: string) =>
      JSON.stringify(await Promise.all([key, `${key}:token`, `${key}:used`].map((each) => stores.sessions.get(each))));

    it('tells nobody who reads the store whose it is', async () => {
      const text = await stored(sessions.keyOf(await open()));
      for (const secret of ['user-1', USER.name, USER.email, 'token-1', 'subject']) expect(text).not.toContain(secret);
    });

    it('ends a day after its last use, and lives on while it is used', async () => {
      const id = await open();
      for (let day = 0; day < 5; day += 1) {
        now += IDLE_MS;
        expect(await sessions.find(id)).not.toBeNull();
      }
      now += IDLE_MS + 1;
      expect(await sessions.find(id)).toBeNull();
    });

    it('ends after thirty days even when it is used every hour', async () => {
      const id = await open();
      const openedAt = now;
      for (; now <= openedAt + ABSOLUTE_MS; now += IDLE_MS / 2) expect(await sessions.find(id)).not.toBeNull();
      expect(await sessions.find(id)).toBeNull();
    });

    it('keeps its user but not its token once the platform refused it', async () => {
      const id = await open();
      await Promise.all([sessions.forgetToken(sessions.keyOf(id)), sessions.forgetToken(sessions.keyOf(id))]);
      expect(await sessions.find(id)).toEqual({ key: sessions.keyOf(id), subject: 'user-1', user: USER, token: null });
    });

    it('is never away, not even when its token is being forgotten and the store takes no writes', async () => {
      const id = await open();
      let writing = (): void => {};
      const hangs = new Promise<void>((resolve) => {
        writing = resolve;
      });
      const set = () => {
        writing();
        return new Promise<void>(() => {});
      };
      const stuck = createSessions({ store: { ...stores.sessions, set }, keys, now: () => now });
      await Promise.race([stuck.forgetToken(sessions.keyOf(id)), hangs]);
      expect(await sessions.find(id)).toEqual({ key: sessions.keyOf(id), subject: 'user-1', user: USER, token: null });
    });

    it('is there as long as it can be read, also where a full store takes no writes', async () => {
      const id = await open();
      const full = { ...stores.sessions, set: () => Promise.reject(new Error('OOM')) };
      const later = createSessions({ store: full, keys, now: () => now + 3_600_000 });
      expect(await later.find(id)).toMatchObject({ user: USER });
      const muchLater = createSessions({ store: full, keys, now: () => now + 25 * 3_600_000 });
      expect(await muchLater.find(id), 'it was last seen to be used a day ago').toBeNull();
    });

    it('stays ended, also when its token is refused at the same time', async () => {
      const id = await open();
      const key = sessions.keyOf(id);
      await Promise.all([sessions.forgetToken(key), sessions.end(key)]);
      expect(await sessions.find(id)).toBeNull();
      await sessions.end(key);
      expect(await sessions.find(id)).toBeNull();
    });
  });
});

it('a store in memory keeps so many texts and forgets the one that was longest out of use', async () => {
  const cache = new LRUCache<string, string>({ maxSize: 2 * 1024, sizeCalculation: entryBytes });
  const store = createExactStore(createMemoryAdapter(cache), createMemoryLog());
  for (const key of ['a', 'b']) await store.set(key, key, 1_000);
  await store.get('a');
  await store.set('c', 'c', 1_000);
  expect(await Promise.all(['a', 'b', 'c'].map(store.get))).toEqual(['a', undefined, 'c']);
});

it.skipIf(redis === null)('a store that is away refuses instead of forgetting', async () => {
  const own = await startRedis();
  if (own === null) return;
  const log = createMemoryLog();
  const { sessions, close } = openSessionStores({ url: new Secret(own.url), prefix: 'passerelle' }, log);
  await sessions.set('k', 'v', 1_000);
  await own.close();
  await expect(sessions.get('k')).rejects.toThrow();
  await expect(sessions.set('k', 'v', 1_000)).rejects.toThrow();
  await expect(sessions.take('k')).rejects.toThrow();
  await close();
});
