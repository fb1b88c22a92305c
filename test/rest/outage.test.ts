import { describe, expect, it } from 'vitest';
import { createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

const SECOND = 1_000;

/** How many calls reach the wire in any minute. */
describe('steady load', () => {
  const EVERY_MS = 100;
  const ROUND_TRIP_MS = 100;
  const WINDOW_MS = 60 * SECOND;
  const OUTAGE = { fromMs: 20 * SECOND, toMs: 50 * SECOND };
  const ALL_MS = 90 * SECOND;

  interface Seen {
    readonly calledAtMs: readonly number[];
    readonly sentAtMs: readonly number[];
    readonly answeredAtMs: readonly number[];
  }

  /** Ten distinct calls a second; `failure` decides how a call that was sent at that time fails, if it does. */
  async function load(failure: (sentAtMs: number, number: number) => number | 'reset' | null) {
    const { toolkit, transport, clock } = createHarness();
    const seen = { calledAtMs: [] as number[], sentAtMs: [] as number[], answeredAtMs: [] as number[] };
    let settled = 0;
    for (let nowMs = 0; nowMs < ALL_MS; nowMs += EVERY_MS) {
      for (; (seen.sentAtMs[settled] ?? Infinity) <= nowMs - ROUND_TRIP_MS; settled += 1) {
        const how = failure(seen.sentAtMs[settled] ?? 0, settled);
        if (how === 'reset') transport.sent[settled]?.fail(how);
        else transport.sent[settled]?.respond({}, how ?? 200);
      }
      seen.calledAtMs.push(nowMs);
      toolkit.call(search({ path: `/${nowMs}` }), createOperation()).then(
        () => seen.answeredAtMs.push(clock.monotonicMs()),
        () => {},
      );
      await clock.advance(EVERY_MS);
      while (seen.sentAtMs.length < transport.sent.length) seen.sentAtMs.push(nowMs);
    }
    return seen;
  }

  const within = (timesMs: readonly number[], fromMs: number, forMs: number) =>
    timesMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + forMs).length;

  function expectFewExtra({ calledAtMs, sentAtMs }: Seen): void {
    for (let fromMs = 0; fromMs + WINDOW_MS <= ALL_MS; fromMs += SECOND) {
      const most = 1.1 * within(calledAtMs, fromMs, WINDOW_MS);
      expect(within(sentAtMs, fromMs, WINDOW_MS), `from ${fromMs} ms on`).toBeLessThanOrEqual(most);
    }
  }

  it.each([503, 'reset'] as const)(
    'on a service that is away for half a minute (%s): three extra calls at most in the first second, and soon served again',
    async (how) => {
      const seen = await load((atMs) => (atMs >= OUTAGE.fromMs && atMs < OUTAGE.toMs ? how : null));
      expectFewExtra(seen);
      const extra = (fromMs: number) => within(seen.sentAtMs, fromMs, SECOND) - within(seen.calledAtMs, fromMs, SECOND);
      expect(extra(OUTAGE.fromMs)).toBeLessThanOrEqual(3);
      expect(within(seen.answeredAtMs, OUTAGE.toMs, 10 * SECOND)).toBeGreaterThan(0);
      // Then as before the outage, after the service was let in step by step.
      expect(within(seen.answeredAtMs, OUTAGE.toMs + 20 * SECOND, 10 * SECOND)).toBe(10 * (SECOND / EVERY_MS));
    },
  );

  it('on a service that fails one call of three: a tenth more calls at most', async () => {
    const seen = await load((_atMs, number) => (number % 3 === 0 ? 503 : null));
    expectFewExtra(seen);
    expect(seen.sentAtMs.length).toBeGreaterThan(seen.calledAtMs.length);
  });
});

describe('the bulkhead', () => {
  it('lets thirty-two calls out at once, and the others in their order', async () => {
    const { toolkit, transport, clock } = createHarness();
    for (let n = 0; n < 40; n += 1) void toolkit.call(search({ path: `/${n}` }), createOperation()).catch(() => {});
    await clock.advance(0);
    expect(transport.sent).toHaveLength(32);
    transport.sent[7]?.respond({});
    await clock.advance(0);
    expect(transport.sent.at(-1)?.request.url.pathname).toBe('/32');
  });

  it('keeps no place for who left while waiting', async () => {
    const { toolkit, transport, clock } = createHarness();
    const operations = Array.from({ length: 34 }, () => createOperation());
    operations.forEach((operation, n) => void toolkit.call(search({ path: `/${n}` }), operation).catch(() => {}));
    await clock.advance(0);
    operations[32]?.leave();
    transport.sent[0]?.respond({});
    await clock.advance(0);
    expect(transport.sent.at(-1)?.request.url.pathname).toBe('/33');
    for (const operation of operations) operation.leave();
    await clock.advance(0);
    transport.respond = () => ({ body: {} });
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => toolkit.call(search({ path: `/again/${n}` }), createOperation())),
    );
    expect(clock.pending).toBe(0);
  });
});
