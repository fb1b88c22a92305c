import { afterAll, afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { startRedis } from '../auth/support/redis.js';
import type { StackResponse } from '../scenarios/stack.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { ROMES } from './support/small-world.js';

/** Searches a minute that work-study allows a key (work-study 4.1). */
const A_MINUTE = 60;
/** How long a call counts after its response: a minute, and a second because services round. */
const WINDOW_SECONDS = 61;
const REPLICAS = 3;
/** Searches that each replica gets at once. */
const SHARE = 50;
/** Shorter than the window, so that calls that do not fit this one must be refused, and long for a busy machine. */
const DEADLINE_MS = 45_000;
/** Calls that a key of sixty a minute may have in flight: a tenth of the window (reliability 10.1). */
const AT_ONCE = 6;
/** What the log of a replica says that counts without the others. */
const LOCAL = 'the quota is on its local fallback';
/** Its reason on a machine that gives Redis no time. */
const LATE = 'Redis is away.';
const SEARCH = 'query ($rome: ROMECode!) { jobSearch(romes: [$rome]) { truncated } }';

// Three replicas, Redis, the services and all callers in one process take their time on a busy machine.
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

/** Starts all replicas and waits until each has made a call, so that those who share have seen each other. */
async function openAll(env: Record<string, string>): Promise<void> {
  opened = [];
  for (let started = 0; started < REPLICAS; started += 1) opened.push(await replicas.open(env));
  for (const replica of opened) await replica.send('{ departements { codeInsee } }');
  for (const { clearCalls } of replicas.sandbox.running) clearCalls();
}

interface Timed extends StackResponse {
  readonly tookMs: number;
}

/** Fifty distinct searches to each replica, each a request of its own, all at once. */
function burst(): Promise<Timed>[] {
  const startedAt = performance.now();
  const timed = (response: StackResponse): Timed => ({ ...response, tookMs: performance.now() - startedAt });
  return opened.flatMap((replica, number) =>
    ROMES.slice(number * SHARE, (number + 1) * SHARE).map((rome) =>
      replica.send(SEARCH, { variables: { rome } }).then(timed),
    ),
  );
}

/** Waits until so many have been refused: the others have their place in the window, unless it ended meanwhile. */
function refused(responses: readonly Promise<StackResponse>[], count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    void Promise.all(responses).then(() => resolve());
    for (const response of responses) {
      void response.then(({ errors }) => {
        if (errors.length > 0) left -= 1;
        if (left === 0) resolve();
      });
    }
  });
}

/**
 * The promises are of replicas that share a Redis. On a machine that gives Redis no time they lose it: what they do
 * then is shown on a virtual clock (test/rest/quota/isolated.test.ts), because here it would be chance.
 */
function needShared(context: TestContext): void {
  const lost = opened.flatMap(({ log }) => log.lines.filter(({ message }) => message === LOCAL));
  const reasons = lost.map(({ fields }) => (fields as { reason?: string }).reason);
  context.skip(reasons.includes(LATE), 'This machine is so busy that Redis was late: replicas counted without it.');
  expect(reasons).toEqual([]);
}

/** What the service was sent, as statuses by search. */
function searches(): (number | null)[] {
  const calls = replicas.sandbox.workStudy.calls.filter(({ url }) => url.includes('/job/v1/search'));
  expect(new Set(calls.map(({ url }) => url)).size, 'each search is made once').toBe(calls.length);
  return calls.map(({ status }) => status);
}

/** Windows that have started: who is let in by a busy machine when the first is over is answered from the next one. */
function windowsSince(startedAt: number): number {
  return 1 + Math.floor((performance.now() - startedAt) / 1000 / WINDOW_SECONDS);
}

function tally(responses: readonly Timed[]) {
  const outcomes = responses.map(({ errors: [error], tookMs }) => {
    const code = error?.extensions.code ?? 'ANSWERED';
    // A machine so busy that the request's time is over before it is served: only then may it end so.
    return code === 'DEADLINE_EXCEEDED' && tookMs >= DEADLINE_MS ? 'LATE' : code;
  });
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  const [answered, refused, late] = [count('ANSWERED'), count('RATE_LIMITED'), count('LATE')];
  expect(answered + refused + late, `codes: ${[...new Set(outcomes)]}`).toBe(responses.length);
  const waits = responses.flatMap(({ errors: [error] }) => error?.extensions.retryAfterSeconds ?? []);
  return { answered, refused, late, waits };
}

describe.skipIf(redis === null)(
  'A hundred and fifty distinct searches at once, by three replicas over one Redis',
  () => {
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
        // The first spend ends a minute after its response, however long the burst took.
        const left = WINDOW_SECONDS - (performance.now() - startedAt) / 1000;
        expect(Math.min(...waits)).toBeGreaterThanOrEqual(Math.floor(left) - 1);
        expect(Math.max(...waits)).toBeLessThanOrEqual(62);
      },
    );

    test(
      'Redis dies when all is given out and hardly anything sent: no call is refused, fifty-eight at least are answered',
      PATIENCE,
      async (context) => {
        const startedAt = performance.now();
        let died = () => {};
        const until = new Promise<void>((resolve) => {
          died = resolve;
        });
        replicas.sandbox.workStudy.fault({ kind: 'latency', until, times: AT_ONCE });
        const responses = burst();
        await refused(responses, responses.length - A_MINUTE);
        needShared(context);
        await redis?.kill();
        died();
        const { answered, late } = tally(await Promise.all(responses));
        expect(searches()).not.toContain(429);
        expect(answered + late).toBeGreaterThanOrEqual(58);
        expect(answered).toBeLessThanOrEqual(A_MINUTE * windowsSince(startedAt));
      },
    );
  },
);

describe.skipIf(redis === null)('Replicas whose Redis is down when they start', () => {
  test('keep to their part each: no call is refused, and most of what is allowed is answered', PATIENCE, async () => {
    await redis?.kill();
    await openAll({ CACHE_URL: redis?.url ?? '' });
    const startedAt = performance.now();
    const { answered, late } = tally(await Promise.all(burst()));
    for (const { log } of opened) expect(log.text()).toContain(LOCAL);
    expect(searches()).not.toContain(429);
    // Nobody could be asked how many replicas there are: each takes a quarter. What is in flight counts against what the
    // headers leave, which may have counted it already: the last call of a part may be refused.
    const parts = REPLICAS * (A_MINUTE / 4);
    expect(answered + late).toBeGreaterThanOrEqual(parts - REPLICAS);
    expect(answered).toBeLessThanOrEqual(parts * windowsSince(startedAt));
  });
});
