import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../auth/support/redis.js';
import { organization, PUBLISHERS } from '../sandbox/volunteering/small-world.js';
import { SIRETS, tinyWorld } from '../work-study/support/tiny-world.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';

/** The daily export of two replicas over one Redis: the calls to the service and to the host of its file count. */

const redis = await startRedis();
afterAll(() => redis?.close());

const LINK = '/api/job/v1/export';
const FILE = '/storage/';
const QUERY = `{ organization(siret: "${SIRETS.bakery}") { workplaces { name } workplacesComplete } }`;
/** Rows of the bakery: two offers under one name, one under another, and a recruiter. */
const WORKPLACES = 3;

let replicas: Replicas;
beforeEach(async () => {
  const bakery = organization('5f0000000000000000010001', { siret: SIRETS.bakery, sirets: [SIRETS.bakery] });
  const world = tinyWorld({ organizations: [bakery], publishers: PUBLISHERS });
  replicas = await openReplicas({ CACHE_URL: redis?.url ?? '' }, world);
});
afterEach(() => replicas.close());

async function send(replica: Replica): Promise<{ workplaces: unknown[]; workplacesComplete: boolean }> {
  const { data, errors } = await replica.send(QUERY);
  expect(errors).toEqual([]);
  return data.organization;
}

function calls() {
  const seen = replicas.sandbox.workStudy.calls;
  return {
    links: seen.filter(({ url }) => url.startsWith(LINK)).length,
    files: seen.filter(({ url }) => url.startsWith(FILE)).length,
  };
}

const indexed = ({ log }: Replica) => log.seen(({ message }) => message === 'export indexed');
const tookUp = ({ log }: Replica) => log.seen(({ message }) => message.startsWith('using the export of '));

async function expectComplete(replica: Replica): Promise<void> {
  const { workplaces, workplacesComplete } = await send(replica);
  expect({ complete: workplacesComplete, workplaces: workplaces.length }).toEqual({
    complete: true,
    workplaces: WORKPLACES,
  });
}

describe.skipIf(redis === null)('The export of two replicas over one Redis', () => {
  test('is requested and downloaded once, and serves both from their common folder', async () => {
    const [one, other] = await Promise.all([replicas.open(), replicas.open()]);
    for (const replica of [one, other]) replica.warmUp();
    const ready = Promise.all([one, other].map((replica) => Promise.race([indexed(replica), tookUp(replica)])));
    const messages = (await ready).map(({ message }) => message).sort();
    expect(messages).toEqual(['export indexed', 'using the export of another replica']);
    await expectComplete(one);
    await expectComplete(other);
    expect(calls().files).toBe(1);
    // A Redis command that a busy machine delays may cost a second call.
    expect(calls().links).toBeLessThanOrEqual(2);
  });

  test('is downloaded at once by a process that starts before Redis answers', async () => {
    redis?.freeze();
    setTimeout(() => redis?.thaw(), 300);
    // In production it also prefetches communes, before anything else.
    const production = { NODE_ENV: 'production', METRICS_PORT: '0', DRAIN_MS: '0' };
    const subgraph = await replicas.open(production, 'work-study');
    subgraph.warmUp();
    const { message } = await subgraph.log.seen((line) => /^export (indexed|not refreshed)/.test(line.message));
    expect(message).toBe('export indexed');
    expect(calls()).toEqual({ links: 1, files: 1 });
  });

  test('costs one that starts later nothing', async () => {
    const first = await replicas.open();
    first.warmUp();
    await indexed(first);
    const second = await replicas.open();
    second.warmUp();
    await expectComplete(second);
    expect(calls()).toEqual({ links: 1, files: 1 });
  });

  test('is taken over by the other when the one that was at it ends in the middle', async () => {
    replicas.sandbox.workStudy.fault({ kind: 'silent', path: FILE, times: 1 });
    const [ending, next] = [await replicas.open(), await replicas.open()];
    ending.warmUp();
    await replicas.sandbox.workStudy.seen(({ url }) => url.startsWith(FILE));
    next.warmUp();
    expect(calls()).toEqual({ links: 1, files: 1 });
    await ending.close();
    await indexed(next);
    await expectComplete(next);
    expect(calls()).toEqual({ links: 2, files: 2 });
  });

  test('is fetched by each of them where they have no folder in common', async () => {
    const [one, other] = [
      await replicas.open({ CACHE_DIR: join(replicas.cacheDir, 'one') }),
      await replicas.open({ CACHE_DIR: 'off' }),
    ];
    for (const replica of [one, other]) replica.warmUp();
    await Promise.all([indexed(one), indexed(other)]);
    await expectComplete(one);
    await expectComplete(other);
    expect(calls()).toEqual({ links: 2, files: 2 });
  });
});
