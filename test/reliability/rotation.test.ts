import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../auth/support/redis.js';
import { openReplicas, type Replicas } from './support/replicas.js';
import { ROMES } from './support/small-world.js';

/** Guards the count of the operator's calls while replicas over one Redis are at different steps of a rotation. */

const OLD = 'the-old-session-secret-of-the-replicas';
const NEW = 'the-new-session-secret-of-the-replicas';
/** The step at which some replicas still are, and the next one, which others have taken (operators 2). */
const STEPS = [
  { name: 'old,new and new,old', before: `${OLD},${NEW}`, after: `${NEW},${OLD}` },
  { name: 'old, and old,new', before: OLD, after: `${OLD},${NEW}` },
  { name: 'new,old and new', before: `${NEW},${OLD}`, after: NEW },
];
/** More than the 60 that the key may make in a minute. */
const SEARCHES = 90;

const redis = await startRedis();

describe.skipIf(redis === null)('replicas of which some have another SESSION_SECRET', () => {
  let replicas: Replicas;

  beforeEach(async () => {
    replicas = await openReplicas({ CACHE_DIR: 'off', CACHE_URL: redis?.url ?? '' });
  });
  afterEach(() => replicas.close());
  afterAll(() => redis?.close());

  function searchStatuses(): readonly (number | null)[] {
    return replicas.sandbox.running
      .flatMap(({ calls }) => calls)
      .filter(({ url }) => url.includes('/job/v1/search'))
      .map(({ status }) => status);
  }

  test.each(STEPS.slice(0, 1))("count one key's calls together: $name", async ({ before, after }) => {
    const opened = [
      await replicas.open({ SESSION_SECRET: before }),
      await replicas.open({ SESSION_SECRET: after }),
    ] as const;
    await Promise.all(
      ROMES.slice(0, SEARCHES).map((rome, number) =>
        opened[number % 2 === 0 ? 0 : 1].send(`query ($rome: ROMECode!) { jobSearch(romes: [$rome]) { truncated } }`, {
          variables: { rome },
        }),
      ),
    );
    expect(searchStatuses()).not.toContain(429);
    expect(searchStatuses()).toContain(200);
  });
});
