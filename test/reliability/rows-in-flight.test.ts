import { afterAll, expect, test } from 'vitest';
import { sharedWorld } from '../../sandbox/world/index.js';
import { startRedis } from '../auth/support/redis.js';
import { openReplicas } from './support/replicas.js';

/** Large lists by one caller, while the service takes the time that it takes for rows. */

const redis = await startRedis();
afterAll(() => redis?.close());

const LISTS = 16;
/** Two lists have more than a thousand rows. */
const ROWS = 501;
const shapes: [string, Record<string, string>, number][] = [];
if (redis === null) shapes.push(['one process', {}, 1]);
if (redis !== null) shapes.push(['two processes that share Redis', { CACHE_URL: redis.url }, 2]);

test.each(shapes)(
  'sixteen large lists at once have no more than a thousand rows in flight, and a small one passes them: %s',
  async (_shape, env, count) => {
    const replicas = await openReplicas({ CACHE_DIR: 'off', REQUEST_DEADLINE_MS: '60000', ...env }, sharedWorld());
    try {
      const { volunteering } = replicas.sandbox;
      const opened = await Promise.all(Array.from({ length: count }, () => replicas.open()));
      volunteering.timing = true;
      let done = 0;
      const lists = Array.from({ length: LISTS }, async (_, n) => {
        const response = await opened[n % count]?.send(`{ missions(first: ${ROWS + n}) { nodes { id } } }`);
        done += 1;
        return response;
      });
      await volunteering.seen(({ url }) => url.includes('limit=501'));
      const small = await opened[0]?.send('{ missions(first: 1, domain: ["sport"]) { nodes { id } } }', {
        headers: { 'x-volunteering-key': replicas.sandbox.keys.volunteering.alice },
      });
      expect(small?.errors).toEqual([]);
      expect(done).toBeLessThan(LISTS - 2);
      for (const [n, response] of (await Promise.all(lists)).entries()) {
        const codes = response?.errors.map(({ extensions }) => extensions.code);
        if (codes?.length !== 0) expect(codes).toEqual(['RATE_LIMITED']);
        else expect(response?.data.missions.nodes).toHaveLength(ROWS + n);
      }
      expect(volunteering.load()).toMatchObject({ rowsInFlight: 0, deaths: 0 });
      expect(volunteering.load().mostRowsOfLargePages).toBeLessThanOrEqual(1000);
    } finally {
      await replicas.close();
    }
  },
);
