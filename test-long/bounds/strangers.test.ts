import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CACHES } from '../../kernel/caches.js';
import { createLastWrites, createMemoryTier } from '../../subgraphs/rest/cache/response-cache.js';
import { startCall } from '../../subgraphs/rest/call.js';
import { createRouteGroups } from '../../subgraphs/rest/circuit-breaker.js';
import { NO_DIRECTIVES, TransportFailure } from '../../subgraphs/rest/ports/transport.js';
import { createRefresher } from '../../subgraphs/rest/stages/cache.js';
import { heapNow } from '../../test/bounds/support/heap.js';
import { createKey, createOperation } from '../../test/rest/support/operation.js';
import { createHarness, search } from '../../test/rest/support/toolkit.js';
import { createVirtualClock } from '../../test/rest/support/virtual-clock.js';

/** What strangers fill with keys and queries of their own: memory stays bounded, and nobody is evicted for them. */

/** For the library's own maps and the garbage of a busy process. */
const SLACK = 2;
const RESPONSE = { status: 200, unknown: false, etag: null, cacheControl: NO_DIRECTIVES, reading: null };
const TIMES = { storedAtMs: 0, freshUntilMs: 1e6, revalidateUntilMs: 1e6, staleUntilMs: 1e6 };

/** Twice as many as any of these maps stores, so the second half must not grow the heap. */
const STRANGERS = 20_000;
let made = 0;
/** A different key each time, of this many bytes, as hex. */
function freshKey(bytes: number): string {
  const key = Buffer.alloc(bytes);
  key.writeUInt32BE(made++);
  return key.toString('hex');
}

/** The longest key of any map: longer queries are hashed, and so are credentials. */
const longest = () => freshKey(175);

describe('What is remembered of ten thousand keys or queries of strangers, and of no more, takes', () => {
  test.each<[what: string, megabytes: number, fill: () => unknown]>([
    [
      'ids that a service does not have',
      15,
      () => {
        const memory = createMemoryTier(createVirtualClock());
        const response = { ...RESPONSE, status: 404, json: null, unknown: true, bytes: 0 };
        for (let n = 0; n < STRANGERS; n += 1) memory.set(longest(), { response, ...TIMES });
        return memory;
      },
    ],
    [
      'refreshes that failed',
      8,
      () => {
        const clock = createVirtualClock();
        const refresher = createRefresher({
          clock,
          groups: createRouteGroups({ clock, random: Math.random }),
          detach: () => {},
        });
        const fail = () => Promise.reject(new TransportFailure('reset'));
        for (let n = 0; n < STRANGERS; n += 1) {
          const call = startCall('volunteering', search(), createOperation());
          void refresher.inForeground({ ...call, identity: longest() }, fail);
        }
        return refresher;
      },
    ],
    [
      'last writes of keys',
      14,
      () => {
        const ports = { clock: createVirtualClock(), random: Math.random, versionStore: null };
        const writes = createLastWrites(ports, 'volunteering');
        for (let n = 0; n < STRANGERS; n += 1) void writes.wrote(freshKey(32));
        return writes;
      },
    ],
  ])('%s: less than %d MB', async (_what, megabytes, fill) => {
    const before = heapNow();
    const held = fill();
    // Lets work in the background finish.
    await nextTurn();
    expect(heapNow() - before).toBeLessThan(megabytes * 1e6);
    expect(held).toBeDefined();
  });
});

test('Quota accounts and gates of strangers: ten thousand that count, then new keys are refused until a window ends', async () => {
  const dialect = {
    headers: (secret: string) => ({ 'x-api-key': secret }),
    scopes: (_request: unknown, key: string) => [{ kind: 'window', name: key, limit: 1, windowMs: 60_000 } as const],
  };
  const { toolkit, transport, clock } = createHarness({ dialect });
  transport.respond = () => ({ body: {} });
  const call = (key: string | null) =>
    toolkit
      .call(
        search({ key: key === null ? 'operator' : 'caller', cache: 'never' }),
        createOperation({ credential: key === null ? null : createKey(key), remainingMs: () => 1_000 }),
      )
      .then(
        () => 'answered',
        (error: { code: string }) => error.code,
      );
  const strangers = async (count: number) => {
    const outcomes = new Set<string>();
    for (let n = 0; n < count; n += 1) outcomes.add(await call(freshKey(32)));
    return [...outcomes];
  };
  const heapOf = async (run: () => Promise<unknown>) => {
    const before = heapNow();
    await run();
    transport.sent.length = 0;
    toolkit.rows.length = 0;
    return heapNow() - before;
  };
  expect(await call('first')).toBe('answered');
  expect(await heapOf(() => strangers(9_999))).toBeLessThan(CACHES['quota-accounts'].boundBytes * SLACK);
  // No spent window is evicted for a new key, and strangers do not shut out the operator's key.
  expect(await strangers(1)).toEqual(['RATE_LIMITED']);
  expect(transport.sent).toEqual([]);
  expect(await call('first')).toBe('RATE_LIMITED');
  expect(await call(null)).toBe('answered');
  await clock.advance(62_000);
  expect(await heapOf(() => strangers(2_000))).toBeLessThan(20e6);
  expect(await strangers(1)).toEqual(['answered']);
}, 120_000);
