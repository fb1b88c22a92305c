import { afterAll, afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { startRedis } from '../auth/support/redis.js';
import type { StackResponse } from '../scenarios/stack.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { ROMES } from './support/small-world.js';

/** Searches a minute that work-study allows a key (work-study 4.1). */
const A_MINUTE = 60;
/** How long a call counts after its response: a minute, and one more second because services round. */
const WINDOW_SECONDS = 61;
const REPLICAS = 3;
/** Searches that are sent to each replica at once. */
const SHARE = 30;
/** Shorter than the window, so that calls beyond this window must be refused, but long enough for a busy machine. */
const DEADLINE_MS = 45_000;
/** The log message of a replica that counts without the others. */
const LOCAL = 'the quota is on its local fallback';
/** The logged reason if the machine is too busy to run Redis in time. */
const LATE = 'Redis is away.';
const SEARCH = 'query ($rome: ROMECode!) { jobSearch(romes: [$rome]) { truncated } }';

// Three replicas, Redis, the services and all callers share one process, which is slow on a busy machine.
const PATIENCE = { timeout: 300_000 };

const redis = await startRedis();
afterAll(() => redis?.close());

let replicas: Replicas;
let opened: Replica[];
beforeEach(async () => {
  replicas = await openReplicas({ CACHE_DIR: 'off', REQUEST_DEADLINE_MS: String(DEADLINE_MS) });
});
afterEach(async () => {
  await replicas.close();
  await redis?.kill();
  await redis?.restart();
});

/** Starts all replicas and waits until each has made a call: by then, those that share a Redis have seen each other. */
async function openAll(env: Record<string, string>): Promise<void> {
  opened = [];
  for (let started = 0; started < REPLICAS; started += 1) opened.push(await replicas.open(env));
  for (const replica of opened) await replica.send('{ departements { codeInsee } }');
  for (const { clearCalls } of replicas.sandbox.running) clearCalls();
}

interface Timed extends StackResponse {
  readonly tookMs: number;
}

/** Sends thirty distinct searches to each replica, each in its own request, all at once. */
function burst(): Promise<Timed>[] {
  const startedAt = performance.now();
  const timed = (response: StackResponse): Timed => ({ ...response, tookMs: performance.now() - startedAt });
  return opened.flatMap((replica, number) =>
    ROMES.slice(number * SHARE, (number + 1) * SHARE).map((rome) =>
      replica.send(SEARCH, { variables: { rome } }).then(timed),
    ),
  );
}

/**
 * The guarantees are for replicas that share a Redis. On a very busy machine they lose it; what they do then would be
 * random here, so it is tested on a virtual clock (test/rest/quota/isolated.test.ts).
 */
function needShared(context: TestContext): void {
  const lost = opened.flatMap(({ log }) => log.lines.filter(({ message }) => message === LOCAL));
  const reasons = lost.map(({ fields }) => (fields as { reason?: string }).reason);
  context.skip(reasons.includes(LATE), 'This machine is so busy that Redis was late: replicas counted without it.');
  expect(reasons).toEqual([]);
}

/** The statuses of the searches that reached the service; each search reaches it once. */
function searches(): (number | null)[] {
  const calls = replicas.sandbox.workStudy.calls.filter(({ url }) => url.includes('/job/v1/search'));
  expect(new Set(calls.map(({ url }) => url)).size, 'each search is made once').toBe(calls.length);
  return calls.map(({ status }) => status);
}

/** Windows that have started by now: on a busy machine, calls that wait for the first to end are sent in the next. */
function windowsSince(startedAt: number): number {
  return 1 + Math.floor((performance.now() - startedAt) / 1000 / WINDOW_SECONDS);
}

function tally(responses: readonly Timed[]) {
  const outcomes = responses.map(({ errors: [error], tookMs }) => {
    const code = error?.extensions.code ?? 'ANSWERED';
    // Only a machine so busy that the deadline passes before the request is served may end one like this.
    return code === 'DEADLINE_EXCEEDED' && tookMs >= DEADLINE_MS ? 'LATE' : code;
  });
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  const [answered, refused, late] = [count('ANSWERED'), count('RATE_LIMITED'), count('LATE')];
  expect(answered + refused + late, `codes: ${[...new Set(outcomes)]}`).toBe(responses.length);
  const waits = responses.flatMap(({ errors: [error] }) => error?.extensions.retryAfterSeconds ?? []);
  return { answered, refused, late, waits };
}

describe.skipIf(redis === null)('Ninety distinct searches at once, by three replicas over one Redis', () => {
  beforeEach(() => openAll({ CACHE_URL: redis?.url ?? '' }));

  test(
    'sixty are answered, each by one call; the others are refused with the time to wait, and no call is refused',
    PATIENCE,
    async (context) => {
      const startedAt = performance.now();
      const { answered, late, waits } = tally(await Promise.all(burst()));
      needShared(context);
      if (late === 0) expect(searches()).toEqual(Array(answered).fill(200));
      expect(searches()).not.toContain(429);
      expect(answered + late).toBeGreaterThanOrEqual(A_MINUTE);
      expect(answered).toBeLessThanOrEqual(A_MINUTE * windowsSince(startedAt));
      // The first spent calls stop counting a minute after their responses, however long the burst took.
      const left = WINDOW_SECONDS - (performance.now() - startedAt) / 1000;
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(Math.floor(left) - 1);
      expect(Math.max(...waits)).toBeLessThanOrEqual(62);
    },
  );
});
