import { Kind, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import { describe, expect, test } from 'vitest';
import { createKnownRequests } from '../../gateway/endpoint/fast-path.js';
import { readApi } from '../../gateway/graph/graph-files.js';
import { createDocumentStore, createPersistedStore } from '../../gateway/graph/graphql-server.js';
import { sizeOf } from '../../gateway/limits/operation-limits.js';
import { createMemory, MemoryRequest } from '../../gateway/memory/memory.js';
import { CACHES, type CacheName, type WatchCache } from '../../kernel/caches.js';
import { fromEachService } from '../../kernel/services.js';
import { createMemoryAdapter, entryBytes } from '../../runtime/stores/exact-store.js';
import { createSubgraphExecution } from '../../runtime/subgraph-execution.js';
import { createMemoryTier } from '../../subgraphs/rest/cache/response-cache.js';
import { NO_DIRECTIVES } from '../../subgraphs/rest/ports/transport.js';
import { createVolunteeringSubgraph } from '../../subgraphs/volunteering/index.js';
import { heapNow, memoryNow } from '../../test/bounds/support/heap.js';
import { createOperation } from '../../test/rest/support/operation.js';
import { createHarness, search } from '../../test/rest/support/toolkit.js';
import { createVirtualClock } from '../../test/rest/support/virtual-clock.js';
import { createMemoryLog } from '../../test/scenarios/memory-log.js';

/**
 * Every cache that a caller can fill, filled with the worst that one can send: it stays within the bytes that
 * docs/bounds.md states for it, and its estimate of an entry is at least what the heap shows.
 */

function heapAfter(fill: () => void): number {
  const before = memoryNow();
  fill();
  return memoryNow() - before;
}

const NOBODY = fromEachService(() => null);

const KIB = 1024;
const MIB = KIB * KIB;
/** For the library's own maps and the garbage of a busy process. */
const SLACK = 2;

const tiny = (n: number) => `{ a${n.toString(36)}: __typename }`;

/** A short text with many fields, each of which has a cost. */
const spread = (n: number) => {
  const lists = Array.from({ length: 60 }, (_, at) => `list${at}: missions(first: 0) { nodes { ...Whole } }`);
  const whole = Array.from({ length: 60 }, (_, at) => `a${at}: title`);
  const operations = [0, 1, 2, 3].map((at) => `query O${n}_${at} { ...Lists }`);
  return `${operations.join(' ')} fragment Lists on Query { ${lists.join(' ')} } fragment Whole on Mission { ${whole.join(' ')} }`;
};

describe('Parsed documents', async () => {
  const api = await readApi();
  test.for([
    { what: 'tiny ones', text: tiny, count: 12_000 },
    { what: 'ones that spread a fragment many times', text: spread, count: 80 },
  ])('stay within their bytes: $what', ({ text, count }) => {
    const store = createDocumentStore();
    const heap = heapAfter(() => {
      for (let n = 0; n < count; n += 1) {
        const document = parse(text(n));
        void store.set(`hash ${n}`, document);
        for (const operation of document.definitions)
          if (operation.kind === Kind.OPERATION_DEFINITION) sizeOf({ schema: api, document, operation });
      }
    });
    expect(store.keys().length).toBeLessThan(count);
    expect(heap).toBeLessThan(64 * MIB * SLACK);
  });
});

test('Texts of persisted operations stay within their bytes, be they as small as can be', () => {
  const store = createPersistedStore();
  const heap = heapAfter(() => {
    for (let n = 0; n < 60_000; n += 1) void store.set(`apq:${String(n).padStart(64, '0')}`, tiny(n));
  });
  expect(store.keys().length).toBeLessThan(60_000);
  expect(heap).toBeLessThan(16 * MIB * SLACK);
});

const FACTS = { name: undefined, type: 'query', deprecations: null } as const;

describe('What answers operations from the cache stays within its bytes:', () => {
  const sizes = new Map<string, () => number>();
  const watchCache: WatchCache = (name, bytes) => void sizes.set(name, bytes);

  test.for<[name: CacheName, fill: () => unknown]>([
    [
      'direct-requests',
      () => {
        const requests = createKnownRequests(watchCache);
        const remember = (body: string) => requests.remember(Buffer.from(body), JSON.parse(body));
        for (let n = 0; n < 20_000; n += 1) remember(JSON.stringify({ query: `{ a${n}: __typename }` }));
        const list = Array.from({ length: 4_000 }, () => ({}));
        for (let n = 0; n < 40; n += 1) remember(JSON.stringify({ query: `{ a${n} }`, variables: { list } }));
        return requests;
      },
    ],
    [
      'direct-responses',
      () => {
        const memory = createMemory(() => '', watchCache);
        for (let n = 0; n < 60_000; n += 1) {
          const request = new MemoryRequest({ query: '{ a }', operationName: '', variables: { n }, extensions: {} });
          const executed = { operation: FACTS, data: { text: 'x'.repeat(40) }, bytes: 50 };
          const services = new Set(['volunteering'] as const);
          const freshUntilMs = () => Date.now() + 60_000;
          const recorder = { callsNeeded: 1, services, isCacheable: true, freshUntilMs, storedMs: () => null };
          const caller = { credentials: NOBODY, versions: memory.versions(NOBODY) };
          memory.learn(request, caller, { ...executed, recorder })?.encoded.set('br', Buffer.alloc(50));
        }
        return memory;
      },
    ],
  ])('%s', ([name, fill]) => {
    let held: unknown;
    const heap = heapAfter(() => {
      held = fill();
    });
    expect(held).toBeDefined();
    const { boundBytes } = CACHES[name];
    const bytes = sizes.get(name)?.() ?? 0;
    expect(bytes).toBeGreaterThan(boundBytes * 0.9);
    expect(bytes).toBeLessThanOrEqual(boundBytes);
    expect(heap).toBeLessThan(boundBytes * SLACK);
  });
});

test('Operations of a subgraph stay within 32 MiB, be they as long as an argument may be', () => {
  const { toolkit } = createHarness();
  const subgraph = createVolunteeringSubgraph({ upstream: toolkit });
  const execute = createSubgraphExecution(subgraph, createMemoryLog());
  const send = (n: number) => {
    const names = Array.from({ length: 200 }, (_, i) => `a${n}_${i}:__typename`).join(' ');
    return execute({ query: `{ ${names} }` }, createOperation());
  };
  void send(-0);
  const heap = heapAfter(() => {
    for (let n = 1; n < 900; n += 1) void send(n);
  });
  expect(heap).toBeLessThan(CACHES['subgraph-operations'].boundBytes * SLACK);
});

test('Entries of logins and sessions take at least a kilobyte each and more where they are longer', async () => {
  const cache = new LRUCache<string, string>({ maxSize: 100 * KIB, sizeCalculation: entryBytes });
  const store = createMemoryAdapter(cache);
  for (let n = 0; n < 1000; n += 1) await store.set(`key ${n}`, 'x'.repeat(10 * KIB));
  const stored = await Promise.all(
    Array.from({ length: 1000 }, async (_, n) => (await store.get(`key ${n}`)) !== undefined),
  );
  expect(stored.filter(Boolean).length).toBeLessThanOrEqual(5);
});

const RESPONSE = { status: 200, unknown: false, etag: null, cacheControl: NO_DIRECTIVES, reading: null };
const TIMES = { storedAtMs: 0, freshUntilMs: 1e6, revalidateUntilMs: 1e6, staleUntilMs: 1e6 };

describe('Cache entries', () => {
  test('stay within their bytes, and what hangs on them too', () => {
    const taken = new Map<string, () => number>();
    const memory = createMemoryTier(createVirtualClock(), (name, bytes) => taken.set(name, bytes));
    const row = JSON.stringify({
      hits: Array.from({ length: 2000 }, (_, n) => ({ id: `m${n}`, title: `mission ${n}` })),
    });
    const heap = heapAfter(() => {
      for (let n = 0; n < 1100; n += 1) {
        const response = { ...RESPONSE, json: JSON.parse(row), bytes: row.length };
        memory.set(`key ${n}`, { response, ...TIMES });
      }
    });
    expect(taken.get('entries')?.()).toBeGreaterThan(CACHES.entries.boundBytes * 0.9);
    expect(taken.get('entries')?.()).toBeLessThanOrEqual(CACHES.entries.boundBytes);
    expect(heap).toBeLessThan(CACHES.entries.boundBytes * SLACK);
  });

  test('have short keys, however long the query was', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: { code: 'NOT_FOUND' }, status: 404 });
    const send = (n: number) =>
      toolkit.call(search({ query: [['city', `${'x'.repeat(8000)}${n}`]], unknown: 'null' }), createOperation());
    await send(0);
    const count = 500;
    const before = heapNow();
    for (let n = 1; n <= count; n += 1) await send(n);
    transport.sent.length = 0;
    toolkit.rows.length = 0;
    expect((heapNow() - before) / count).toBeLessThan(4 * KIB);
  });
});

test('A folder keeps no file of a query that callers can word in as many ways as they like', async () => {
  const files = new Map<string, string>();
  const sharedStore = {
    get: async (name: string) => files.get(name),
    set: async (name: string, text: string) => void files.set(name, text),
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
