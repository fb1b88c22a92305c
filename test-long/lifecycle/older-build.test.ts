import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SERVICE_ENTRIES, SERVICES, type ServiceName } from '../../kernel/services.js';
import { variablesOf } from '../../sandbox/hints.js';
import { type Browser, openBrowser } from '../../test/auth/support/browser.js';
import { startRedis } from '../../test/auth/support/redis.js';
import { CREATE, offerInput } from '../../test/contract/support/offer-inputs.js';
import { type OlderProcess, openOlderBuild } from '../../test/lifecycle/support/older-build.js';
import { POLLING } from '../../test/polling.js';
import { sendAll } from '../../test/reliability/support/all-services.js';
import { openReplicas, type Replicas } from '../../test/reliability/support/replicas.js';
import { ROMES, USER } from '../../test/reliability/support/small-world.js';

/** An upgrade and a rollback, half done: this build beside older ones, over one Redis (operators 4.2). */

interface Build {
  readonly name: string;
  readonly commit: string;
  /** Whether its cache entries have marks, without which this build believes none, and its keys a prefix. */
  readonly isMarked: boolean;
}

const MARKED: Build = { name: 'whose entries have marks', commit: '6d3f9657', isMarked: true };

const SESSION_SECRET = 'a-session-secret-of-two-builds-at-once';
const SUBGRAPH_TOKEN = 'a-subgraph-token-of-two-builds-at-once';
/** Of one caller in a minute: more than the other tests send. */
const REQUESTS = 200;
/** More than the 60 that the key may make in a minute. */
const SEARCHES = 90;
const REFERENCE =
  '{ departements { codeInsee nom } missionsLocales { nom } certifications(rncp: "RNCP37098") { nodes { intitule { rncp } } } }';
const search = (number: number) => `{ jobSearch(romes: ["${ROMES[number]}"]) { truncated } }`;

type Asked = Pick<OlderProcess, 'url' | 'send'>;

const redis = await startRedis();
afterAll(() => redis?.close());

describe.skipIf(redis === null).each([MARKED])(
  'This build beside one $name, over one Redis',
  ({ commit, isMarked }) => {
    const startOlder = redis === null ? null : openOlderBuild(commit);
    const shared = { CACHE_DIR: 'off', CACHE_URL: redis?.url ?? '', SESSION_SECRET, SUBGRAPH_TOKEN };
    const opened: OlderProcess[] = [];
    let replicas: Replicas;
    let older: Asked;
    let now: Asked;

    beforeAll(async () => {
      replicas = await openReplicas({ ...shared, CALLER_REQUESTS_PER_MINUTE: String(REQUESTS) });
      if (startOlder === null) return;
      [older, now] = await Promise.all([openOlder({}), replicas.open()]);
    });
    afterAll(async () => {
      await Promise.all(opened.map(({ close }) => close()));
      await replicas.close();
    });

    async function openOlder(env: Record<string, string>, ...command: readonly string[]): Promise<Asked> {
      if (startOlder === null) throw new Error('There is no older build.');
      const limit = { CALLER_REQUESTS_PER_MINUTE: String(REQUESTS) };
      const started = await startOlder({ ...variablesOf(replicas.sandbox), ...shared, ...limit, ...env }, ...command);
      opened.push(started);
      return started;
    }

    /** Both, in the order of an upgrade and of a rollback. */
    const orders = (): readonly (readonly [Asked, Asked])[] => [
      [older, now],
      [now, older],
    ];

    /** The cache status of each call that a query needs. */
    async function statusesOf(asked: Asked, query: string, headers: Record<string, string> = {}) {
      const { errors, trace } = await asked.send(query, { headers });
      expect(errors).toEqual([]);
      return trace?.calls.map(({ cache }) => cache);
    }

    describe.skipIf(startOlder === null)('in one process each', () => {
      test(`each ${isMarked ? 'reads the other one’s entries' : 'fetches what it does not believe'}`, async () => {
        const read = isMarked ? 'HIT' : 'MISS';
        const { errors, data } = await older.send(REFERENCE);
        expect(errors).toEqual([]);
        expect(await statusesOf(now, REFERENCE)).toEqual([read, read, read]);
        expect((await now.send(REFERENCE)).data).toEqual(data);
        expect(await statusesOf(now, search(0))).toEqual(['MISS']);
        expect(await statusesOf(older, search(0))).toEqual([read]);
      });

      test('each asks again after a write at the other', async () => {
        const headers = { 'x-work-study-key': replicas.sandbox.keys.workStudy.alice };
        const isRead = (reader: Asked) =>
          vi.waitFor(async () => expect(await statusesOf(reader, search(0), headers)).toEqual(['HIT']), POLLING);
        for (const [writer, reader] of orders()) {
          await isRead(reader);
          expect((await writer.send(CREATE, { headers, variables: { input: offerInput() } })).errors).toEqual([]);
          const isAsked = async () => expect(await statusesOf(reader, search(0), headers)).toEqual(['MISS']);
          await vi.waitFor(isAsked, POLLING);
        }
      });

      test('who has logged in at one is logged in at the other, and logged out by it', async () => {
        for (const [first, second] of orders()) {
          const browser = openBrowser();
          const session = async ({ url }: Asked) => JSON.parse((await browser.get(`${url}/auth/session`)).text).waste;
          await logIn(browser, first.url);
          for (const asked of [first, second]) expect(await session(asked)).toMatchObject({ connected: true });
          await browser.post(`${second.url}/auth/waste/logout`, undefined, { 'x-passerelle-csrf': '1' });
          expect(await session(first)).toMatchObject({ connected: false });
        }
      });

      test(`a caller’s requests are counted ${isMarked ? 'together' : 'by each'}`, async () => {
        const headers = { 'x-work-study-key': `a-key-of-${commit}` };
        const statuses: number[] = [];
        for (let sent = 0; sent < REQUESTS; sent += 1) {
          for (const { send } of [older, now]) statuses.push((await send('{ __typename }', { headers })).status);
        }
        expect(statuses.filter((status) => status === 429).length).toBe(isMarked ? REQUESTS : 0);
      });
    });

    async function logIn(browser: Browser, url: string): Promise<void> {
      const { waste } = replicas.sandbox;
      waste.registerRedirectUri(`${url}/auth/waste/callback`);
      Object.assign(waste.switches, { presetUser: USER.email, dialog: 'approve' });
      await browser.visit(`${url}/auth/waste/login`);
    }

    test.skipIf(startOlder === null)('a gateway of each answers through subgraphs of the other', async () => {
      const addresses = async (open: (service: ServiceName) => Promise<Asked>): Promise<Record<string, string>> =>
        Object.fromEntries(
          await Promise.all(
            SERVICES.map(async (service) => {
              const { url } = await open(service);
              return [SERVICE_ENTRIES[service].addressVariable, new URL('/graphql', url).href];
            }),
          ),
        );
      const gateways = [
        await openOlder(await addresses((service) => replicas.open({}, service)), 'gateway'),
        await replicas.open(await addresses((service) => openOlder({}, 'subgraph', service)), 'gateway'),
      ];
      const { errors, data } = await sendAll(now, replicas.sandbox);
      expect(errors).toEqual([]);
      for (const gateway of gateways) {
        expect(await sendAll(gateway, replicas.sandbox)).toMatchObject({ errors: [], data });
      }
    });

    // Last, because it spends the quota.
    test.skipIf(startOlder === null)('one key’s calls are counted together', async () => {
      const searches = Array.from({ length: SEARCHES }, (_, number) => search(number + 1));
      await Promise.all(searches.map((query, number) => (number % 2 === 0 ? older : now).send(query)));
      const calls = replicas.sandbox.workStudy.calls.map(({ status }) => status);
      expect(calls).toContain(200);
      expect(calls).not.toContain(429);
    });
  },
);
