import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  createDocumentStore,
  createPersistedStore,
  DOCUMENT_BYTES,
  PERSISTED_BYTES,
} from '../../gateway/execution/operation-stores.js';
import { createMemoryAdapter } from '../../runtime/stores/exact-store.js';
import { createSubgraphExecution } from '../../runtime/subgraph-host/subgraph-execution.js';
import { ANSWER_MEMORY_BYTES, createAnswerMemory } from '../../subgraphs/rest/cache/answer-memory.js';
import { createLastWrites } from '../../subgraphs/rest/cache/last-writes.js';
import { createRefreshBackoff } from '../../subgraphs/rest/cache/refresh-backoff.js';
import { AnswerAccount } from '../../subgraphs/rest/call/answer-account.js';
import { NO_DIRECTIVES } from '../../subgraphs/rest/headers/cache-control.js';
import { createQuotaBoard } from '../../subgraphs/rest/report/quota-board.js';
import { createVolunteeringSubgraph } from '../../subgraphs/volunteering/index.js';
import { createKey, createOperation } from '../rest/support/operation.js';
import { createHarness, search } from '../rest/support/toolkit.js';
import { createVirtualClock } from '../rest/support/virtual-clock.js';
import { createMemoryLog } from '../scenarios/memory-log.js';

/**
 * Every cache that a caller can fill, filled with the worst that one can send: it stays within the bytes that
 * docs/operators.md states for it, and its estimate of an entry is no less than the heap says.
 */

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heapAfter(fill: () => void): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  fill();
  collect();
  return process.memoryUsage().heapUsed - before;
}

const KIB = 1024;
/** The library's own maps and the garbage of a busy process. */
const SLACK = 1.5;

const tiny = (n: number) => `{ a${n.toString(36)}: __typename }`;
const fields = (n: number) => `{ ${Array.from({ length: 400 }, (_, i) => `a${n}_${i}:b`).join(' ')} }`;

describe('Parsed documents', () => {
  test.each([
    ['tiny ones', tiny, 12_000],
    ['ones full of fields', fields, 120],
    ['ones with a long comment', (n: number) => `#${n}${'x'.repeat(100 * KIB)}\n{ a }`, 500],
  ])('stay within their bytes: %s', (_name, text, count) => {
    const store = createDocumentStore();
    const heap = heapAfter(() => {
      for (let n = 0; n < count; n += 1) void store.set(`hash ${n}`, parse(text(n)));
    });
    expect(store.bytes()).toBeLessThanOrEqual(DOCUMENT_BYTES);
    expect(store.bytes()).toBeGreaterThan(DOCUMENT_BYTES * 0.9);
    expect(heap).toBeLessThan(DOCUMENT_BYTES * SLACK);
  });
});

test('Texts of persisted operations stay within their bytes, be they as small as can be', () => {
  const store = createPersistedStore();
  const heap = heapAfter(() => {
    for (let n = 0; n < 60_000; n += 1) void store.set(`apq:${String(n).padStart(64, '0')}`, tiny(n));
  });
  expect(store.bytes()).toBeLessThanOrEqual(PERSISTED_BYTES);
  expect(heap).toBeLessThan(PERSISTED_BYTES * SLACK);
});

test('Operations of a subgraph stay within 32 MiB, be they as long as an argument may be', () => {
  const { toolkit } = createHarness();
  const subgraph = createVolunteeringSubgraph({ upstream: toolkit });
  const execute = createSubgraphExecution(subgraph, createMemoryLog());
  const ask = (n: number) => {
    const names = Array.from({ length: 200 }, (_, i) => `a${n}_${i}:__typename`).join(' ');
    return execute({ query: `{ ${names} }` }, createOperation());
  };
  void ask(-0);
  const heap = heapAfter(() => {
    for (let n = 1; n < 900; n += 1) void ask(n);
  });
  expect(heap).toBeLessThan(32 * KIB * KIB * SLACK);
});

test('Entries of logins and sessions take at least a kilobyte each and more where they are longer', async () => {
  const adapter = createMemoryAdapter(100);
  for (let n = 0; n < 1000; n += 1) await adapter.set(`key ${n}`, 'x'.repeat(10 * KIB));
  const kept = await Promise.all(
    Array.from({ length: 1000 }, async (_, n) => (await adapter.get(`key ${n}`)) !== undefined),
  );
  expect(kept.filter(Boolean).length).toBeLessThanOrEqual(5);
});

describe('Cache entries', () => {
  test('stay within their bytes, and what hangs on them too', () => {
    const memory = createAnswerMemory(createVirtualClock());
    const row = JSON.stringify({
      hits: Array.from({ length: 2000 }, (_, n) => ({ id: `m${n}`, title: `mission ${n}` })),
    });
    const heap = heapAfter(() => {
      for (let n = 0; n < 1500; n += 1) {
        const answer = {
          status: 200,
          json: JSON.parse(row),
          unknown: false,
          etag: null,
          cacheControl: NO_DIRECTIVES,
          bytes: row.length,
          account: new AnswerAccount(),
          reading: null,
        };
        const times = { storedAtMs: 0, freshUntilMs: 1e6, revalidateUntilMs: 1e6, staleUntilMs: 1e6 };
        memory.set(`key ${n}`, { answer, ...times });
      }
    });
    expect(memory.bytes()).toBeLessThanOrEqual(ANSWER_MEMORY_BYTES);
    expect(heap).toBeLessThan(ANSWER_MEMORY_BYTES * SLACK);
  });

  test('have short keys, however long the question was', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: '{}', status: 404 });
    const ask = (n: number) =>
      toolkit.call(search({ query: [['city', `${'x'.repeat(8000)}${n}`]], unknown: 'null' }), createOperation());
    await ask(0);
    const count = 500;
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let n = 1; n <= count; n += 1) await ask(n);
    transport.sent.length = 0;
    toolkit.rows.length = 0;
    collect();
    expect((process.memoryUsage().heapUsed - before) / count).toBeLessThan(4 * KIB);
  });
});

/** A third more than any of these maps remembers: with the last third the heap grows no further. */
const STRANGERS = 15_000;
/** No key of a map is longer: longer questions are hashed, and so are credentials. */
const longest = () => randomBytes(175).toString('hex');

describe('What is remembered of ten thousand keys or questions of strangers, and of no more, takes', () => {
  test.each<[what: string, megabytes: number, fill: () => unknown]>([
    [
      'ids that a service does not have',
      11,
      () => {
        const memory = createAnswerMemory(createVirtualClock());
        const answer = {
          status: 404,
          json: null,
          unknown: true,
          etag: null,
          cacheControl: NO_DIRECTIVES,
          bytes: 0,
          reading: null,
        };
        const times = { storedAtMs: 0, freshUntilMs: 1e6, revalidateUntilMs: 1e6, staleUntilMs: 1e6 };
        for (let n = 0; n < STRANGERS; n += 1)
          memory.set(longest(), { answer: { ...answer, account: new AnswerAccount() }, ...times });
        return memory;
      },
    ],
    [
      'refreshes that failed',
      10,
      () => {
        const backoff = createRefreshBackoff(createVirtualClock());
        for (let n = 0; n < STRANGERS; n += 1) backoff.failed(longest(), 'OUTAGE');
        return backoff;
      },
    ],
    [
      'last writes of keys',
      12,
      () => {
        const ports = { clock: createVirtualClock(), random: Math.random, privateStore: null };
        const writes = createLastWrites(ports, 'volunteering');
        for (let n = 0; n < STRANGERS; n += 1) void writes.wrote(randomBytes(32).toString('hex'));
        return writes;
      },
    ],
    [
      'reported quotas',
      10,
      () => {
        const board = createQuotaBoard(createVirtualClock());
        for (let n = 0; n < STRANGERS; n += 1) {
          const key = randomBytes(32).toString('hex');
          const scope = { kind: 'window', name: `search ${key}`, limit: 10, windowMs: 60_000 } as const;
          board.note(scope, key, { limit: 10, remaining: 9, resetSeconds: 60 });
        }
        return board;
      },
    ],
  ])('%s: less than %d MB', (_what, megabytes, fill) => {
    let held: unknown;
    const heap = heapAfter(() => {
      held = fill();
    });
    expect(held).toBeDefined();
    expect(heap).toBeLessThan(megabytes * 1e6);
  });
});

test('Quota accounts and gates of strangers are remembered by the ten thousand, and no more', async () => {
  const dialect = {
    headers: (secret: string) => ({ 'x-api-key': secret }),
    scopes: (_request: unknown, key: string) => [{ kind: 'window', name: key, limit: 10, windowMs: 60_000 } as const],
  };
  const { toolkit, transport } = createHarness({ dialect });
  transport.respond = () => ({ body: {} });
  const spend = async (count: number) => {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < count; n += 1) {
      const credential = createKey(randomBytes(32).toString('hex'));
      await toolkit.call(search({ key: 'caller', cache: 'never' }), createOperation({ credential }));
    }
    transport.sent.length = 0;
    toolkit.rows.length = 0;
    collect();
    return process.memoryUsage().heapUsed - before;
  };
  expect(await spend(10_000)).toBeLessThan(120e6);
  expect(await spend(5_000)).toBeLessThan(20e6);
}, 120_000);

test('A folder keeps no file of a question that callers can word in as many ways as they like', async () => {
  const files = new Map<string, string>();
  const sharedStore = {
    get: async (name: string) => files.get(name),
    set: async (name: string, text: string) => void files.set(name, text),
    delete: async (name: string) => void files.delete(name),
    close: async () => {},
  };
  const { toolkit, transport } = createHarness({}, { sharedStore });
  transport.respond = () => ({ body: [] });
  const reference = { cache: 'reference', key: 'operator', path: '/communes' } as const;
  for (let n = 0; n < 20; n += 1) {
    const circle = search({ ...reference, unbounded: true, query: [['latitude', `48.${n}`]] });
    await toolkit.call(circle, createOperation());
  }
  expect(files.size).toBe(0);
  await toolkit.call(search(reference), createOperation());
  expect(files.size).toBe(1);
});
