import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../auth/support/redis.js';
import { openReplicas, type Replicas } from '../reliability/support/replicas.js';
import { temporaryFolder } from '../temporary-folder.js';

/** Guards what a start says of a Redis that is unfit for what is stored there, and that it answers all the same. */

const folder = temporaryFolder();
const sentinelFile = join(folder, 'sentinel.conf');
await writeFile(sentinelFile, '');

const UNFIT = [
  ['a cluster', ['--cluster-enabled', 'yes', '--dir', folder], 'error', /is a cluster/, {}],
  ['a sentinel', [sentinelFile, '--sentinel'], 'error', /is a sentinel/, {}],
  [
    'one that evicts',
    ['--maxmemory-policy', 'allkeys-lru'],
    'warn',
    /may evict sessions: set maxmemory-policy/,
    { policy: 'allkeys-lru' },
  ],
  ['one that is fit', [], 'none', /the shared store (is|may)/, {}],
] as const;

describe('A Redis that is', () => {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await openReplicas();
  });
  afterAll(() => replicas.close());

  it.each(UNFIT)(
    '%s is told by one line at most, and all is answered',
    async (_what, options, level, message, fields) => {
      const redis = await startRedis(options);
      if (redis === null) return;
      const replica = await replicas.open({ CACHE_URL: redis.url });
      const { data, errors } = await replica.send('{ departements { codeInsee } }');
      expect([data.departements.length > 0, errors]).toEqual([true, []]);
      if (level !== 'none') await replica.log.seen((line) => message.test(line.message));
      const named = replica.log.lines.filter((line) => message.test(line.message));
      expect(named).toEqual(level === 'none' ? [] : [{ level, fields, message: expect.stringMatching(message) }]);
      await replica.close();
      await redis.close();
    },
  );
});
