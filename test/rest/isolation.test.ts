import { array, assert, asyncProperty, constantFrom, nat, oneof, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CacheClass, KeyOf } from '../../subgraphs/rest/upstream.js';
import { runs } from '../runs.js';
import type { OnTheWire } from './support/fake-transport.js';
import { createKey, createOperation, type TestOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';
import { settle } from './support/virtual-clock.js';

/** Number of random sequences of sending, responding, failing, leaving and waiting. */
const INTERLEAVINGS = runs(300);

/** The last one has no key and sees what the operator sees. */
const CALLERS = ['alice', 'bob', 'nobody'] as const;

/** The kinds of requests of the services' clients: how long and for whom they are cached, and with whose key. */
const KINDS: readonly { readonly cache: CacheClass; readonly key: KeyOf; readonly method?: 'PUT' }[] = [
  { cache: 'search', key: 'caller-or-operator' },
  { cache: 'search', key: 'caller' },
  { cache: 'reference', key: 'operator' },
  { cache: 'never', key: 'caller' },
  { cache: 'never', key: 'caller', method: 'PUT' },
];

type Step =
  | { readonly does: 'ask'; readonly caller: number; readonly kind: number; readonly page: number }
  | { readonly does: 'answer' | 'fail' | 'leave'; readonly which: number }
  | { readonly does: 'wait'; readonly ms: number };

const send = record({
  does: constantFrom('ask' as const),
  caller: nat({ max: CALLERS.length - 1 }),
  // Mostly searches, which callers could share.
  kind: constantFrom(0, 0, 0, 1, 1, 2, 3, 4),
  page: nat({ max: 1 }),
});
const step = oneof(
  { weight: 6, arbitrary: send },
  { weight: 4, arbitrary: record({ does: constantFrom('answer' as const), which: nat({ max: 9 }) }) },
  { weight: 2, arbitrary: record({ does: constantFrom('fail' as const, 'leave' as const), which: nat({ max: 9 }) }) },
  // Until entries are no longer fresh, or until a service that failed is called again.
  { weight: 2, arbitrary: record({ does: constantFrom('wait' as const), ms: constantFrom(500, 61_000) }) },
);

/** The key whose data a response may hold: the caller's own, or the operator's where that is used. */
function seenBy(caller: number, key: KeyOf): string {
  const name = CALLERS[caller];
  return `secret-of-${key === 'operator' || name === 'nobody' ? 'operator' : name}`;
}

interface Place extends ReturnType<typeof createHarness> {
  readonly counts: Map<string, number>;
  /** Distinguishes the pages of this interleaving from others. */
  readonly pages: number;
}

interface SentCall {
  readonly caller: number;
  readonly key: KeyOf;
  readonly operation: TestOperation;
  readonly end: Promise<unknown>;
}

/** Runs one interleaving to its end, on pages of its own, and counts how its calls were served. */
async function run(steps: readonly Step[], { toolkit, transport, clock, counts, pages }: Place): Promise<void> {
  transport.respond = null;
  const sentCalls: SentCall[] = [];
  const open = new Set<OnTheWire>();
  const pick = <T>(from: readonly T[], which: number): T | undefined => from[which % Math.max(1, from.length)];
  const say = (one: OnTheWire) => {
    open.delete(one);
    one.respond({ seen: one.request.headers['x-api-key'] });
  };
  for (const one of steps) {
    if (one.does === 'wait') await clock.advance(one.ms);
    if (one.does === 'leave') pick(sentCalls, one.which)?.operation.leave();
    if (one.does === 'ask') {
      const { caller, kind, page } = one;
      const { method = 'GET', ...rest } = KINDS[kind]!;
      const name = CALLERS[caller]!;
      const operation = createOperation({ credential: name === 'nobody' ? null : createKey(name) });
      const end = toolkit.call(search({ ...rest, method, path: `/v0/mission/${pages}-${page}` }), operation);
      end.catch(() => {});
      sentCalls.push({ caller, key: rest.key, operation, end });
    }
    await settle();
    const sent = transport.sent.splice(0);
    for (const wire of sent) open.add(wire);
    const chosen = one.does === 'answer' || one.does === 'fail' ? pick([...open], one.which) : undefined;
    if (one.does === 'answer' && chosen !== undefined) say(chosen);
    if (one.does === 'fail' && chosen !== undefined && open.delete(chosen)) chosen.respond('down', 503);
  }
  transport.respond = ({ headers }) => ({ body: { seen: headers['x-api-key'] } });
  for (const wire of open) say(wire);
  // The service is up again, and calls that waited for that are sent.
  await clock.advance(30_000);
  transport.sent.length = 0;
  for (const { caller, key, operation, end } of sentCalls) {
    const value = await end.catch(() => null);
    if (value !== null) expect(value).toEqual({ seen: seenBy(caller, key) });
    for (const { cache } of operation.rows) counts.set(cache, (counts.get(cache) ?? 0) + 1);
  }
}

describe('callers of one service', () => {
  it(`never get a response that another key was given, in ${INTERLEAVINGS} interleavings`, async () => {
    const counts = new Map<string, number>();
    const harness = createHarness();
    let pages = 0;
    const property = asyncProperty(array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      pages += 1;
      await run(steps, { ...harness, counts, pages });
    });
    await assert(property, { numRuns: INTERLEAVINGS, seed: 4 });
    await harness.toolkit.close();
    // Otherwise nothing was cached or shared, and the property was not tested.
    for (const outcome of ['HIT', 'COALESCED', 'STALE', 'MISS', 'BYPASS']) {
      expect(counts.get(outcome) ?? 0, outcome).toBeGreaterThan(INTERLEAVINGS / 200);
    }
  });
});
