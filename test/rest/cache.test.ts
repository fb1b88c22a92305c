import { describe, expect, it } from 'vitest';
import { LONGEST_FRESH_MS } from '../../kernel/bounds.js';
import { isRecord } from '../../kernel/text.js';
import type { TextStore } from '../../runtime/stores/text-store.js';
import { CACHE_TIMES, FRESHNESS_JITTER } from '../../subgraphs/rest/cache/response-cache.js';
import type { UpstreamRequest } from '../../subgraphs/rest/upstream.js';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, createToolkit, search } from './support/toolkit.js';
import { createVirtualClock, settle } from './support/virtual-clock.js';
import { json, startWireServer } from './support/wire-server.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function reference(parts: Partial<UpstreamRequest<unknown>> = {}): UpstreamRequest<unknown> {
  return search({ cache: 'reference', key: 'operator', path: '/communes', template: '/communes', ...parts });
}

/** A harness that answers each call with its number. */
function counting(ports: Parameters<typeof createHarness>[1] = {}) {
  const harness = createHarness({}, ports);
  harness.transport.respond = () => ({ body: { number: harness.transport.sent.length } });
  return harness;
}

function memoryStore(): TextStore & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get: async (key) => entries.get(key),
    set: async (key, text) => void entries.set(key, text),
  };
}

describe('the cache', () => {
  it('keeps nothing fresh for longer than a gateway believes of a subgraph', () => {
    for (const { freshMs } of Object.values(CACHE_TIMES))
      expect(freshMs * (1 + FRESHNESS_JITTER)).toBeLessThan(LONGEST_FRESH_MS);
  });

  it('answers a search for a minute without a call, and then asks again', async () => {
    const { toolkit, clock } = counting();
    expect(await toolkit.call(search(), createOperation())).toEqual({ number: 1 });
    await clock.advance(MINUTE - 1);
    const operation = createOperation();
    expect(await toolkit.call(search(), operation)).toEqual({ number: 1 });
    expect(operation.rows).toMatchObject([{ cache: 'HIT', sent: 0, status: null, bytes: 0 }]);
    await clock.advance(1);
    expect(await toolkit.call(search(), createOperation())).toEqual({ number: 2 });
  });

  it.each([
    { ahead: 'a second', aheadMs: 1000, outcome: 'HIT' },
    { ahead: 'an hour', aheadMs: HOUR, outcome: 'MISS' },
  ])('takes what was stored by a replica whose clock is $ahead ahead as a $outcome', async ({ aheadMs, outcome }) => {
    const [clock, sharedStore] = [createVirtualClock(), memoryStore()];
    const other = counting({ clock: createVirtualClock(clock.wallMs() + aheadMs), sharedStore });
    await other.toolkit.call(reference(), createOperation());
    const { toolkit } = counting({ clock, sharedStore });
    const operation = createOperation();
    await toolkit.call(reference(), operation);
    expect(operation.rows).toMatchObject([{ cache: outcome }]);
  });

  it('keeps answers apart by key, and shares reference data between all', async () => {
    const { toolkit, transport } = counting();
    const alice = () => createOperation({ credential: createKey('alice') });
    const bob = () => createOperation({ credential: createKey('bob') });
    expect(await toolkit.call(search(), alice())).toEqual({ number: 1 });
    expect(await toolkit.call(search(), bob())).toEqual({ number: 2 });
    expect(await toolkit.call(search(), createOperation())).toEqual({ number: 3 });
    expect(await toolkit.call(search(), alice())).toEqual({ number: 1 });
    await toolkit.call(reference(), alice());
    await toolkit.call(reference(), bob());
    expect(transport.sent).toHaveLength(4);
    expect(transport.sent[3]?.request.headers['x-api-key']).toBe('secret-of-operator');
  });

  it('tells queries apart by their values, not by the order of their names', async () => {
    const { toolkit, transport } = counting();
    const send = (query: [string, string][]) => toolkit.call(search({ query }), createOperation());
    await send([
      ['size', '2'],
      ['domain', 'sport'],
    ]);
    await send([
      ['domain', 'sport'],
      ['size', '2'],
    ]);
    expect(transport.sent).toHaveLength(1);
    await send([
      ['domain', 'sport'],
      ['domain', 'santé'],
    ]);
    await send([
      ['domain', 'santé'],
      ['domain', 'sport'],
    ]);
    await send([['domain', 'sport&domain=santé']]);
    expect(transport.sent).toHaveLength(4);
  });

  it('keeps neither failures nor what is never kept nor what the service forbids to store', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: {}, status: 500 });
    await expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    transport.respond = () => ({ body: {}, headers: { 'cache-control': 'private, no-store' } });
    await toolkit.call(search(), createOperation());
    transport.respond = () => ({ body: {} });
    const operation = createOperation();
    await toolkit.call(search({ cache: 'never' }), operation);
    expect(operation.rows).toMatchObject([{ cache: 'BYPASS', sent: 1 }]);
    await toolkit.call(search(), createOperation());
    expect(transport.sent).toHaveLength(4);
  });

  it('does not keep a body that the client cannot read', async () => {
    const { toolkit, transport } = createHarness();
    const fussy = search({
      parse({ json: body }) {
        if (!isRecord(body)) throw new TypeError('Not an object.');
        return body;
      },
    });
    transport.respond = () => ({ body: [] });
    await expect(toolkit.call(fussy, createOperation())).rejects.toMatchObject({ code: 'INTERNAL' });
    transport.respond = () => ({ body: { good: true } });
    expect(await toolkit.call(fussy, createOperation())).toEqual({ good: true });
  });
});

describe('unknown ids', () => {
  const byId = search({ path: '/v0/mission/7', template: '/v0/mission/{id}', unknown: 'null' });

  it('are null and remembered for a minute', async () => {
    const { toolkit, transport, clock } = createHarness();
    transport.respond = () => ({ body: { ok: false, code: 'NOT_FOUND' }, status: 404 });
    expect(await toolkit.call(byId, createOperation())).toBeNull();
    await clock.advance(MINUTE - 1);
    expect(await toolkit.call(byId, createOperation())).toBeNull();
    expect(transport.sent).toHaveLength(1);
    await clock.advance(1);
    await toolkit.call(byId, createOperation());
    expect(transport.sent).toHaveLength(2);
  });

  it('are an empty response to an exact look-up too, and of reference data no less for a minute only', async () => {
    const { toolkit, transport, clock } = createHarness();
    const exact = reference({ unknown: 'null', parse: ({ json: rows }) => (rows as unknown[])[0] ?? null });
    transport.respond = () => ({ body: [] });
    expect(await toolkit.call(exact, createOperation())).toBeNull();
    transport.respond = () => ({ body: ['Lyon'] });
    await clock.advance(MINUTE);
    expect(await toolkit.call(exact, createOperation())).toBe('Lyon');
  });

  it.each(['<html>Not Found</html>', { message: 'no Route matched with those values' }, {}])(
    'are no proxy’s 404: %j',
    async (body) => {
      const { toolkit, transport } = createHarness();
      transport.respond = () => ({ body, status: 404 });
      await expect(toolkit.call(byId, createOperation())).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    },
  );

  it('are an error where an id must be known', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: { code: 'NOT_FOUND', message: 'Job offer not found' }, status: 404 });
    const update = search({ method: 'PUT', cache: 'never', key: 'caller-or-operator' });
    await expect(toolkit.call(update, createOperation())).rejects.toMatchObject({
      code: 'UPSTREAM_REFUSED_INPUT',
      message: 'volunteering refused the request: Job offer not found.',
    });
  });
});

describe('a write', () => {
  const write = search({ method: 'POST', cache: 'never', key: 'caller', body: {} });
  const alice = () => createOperation({ credential: createKey('alice') });

  it('makes all that was cached for its key be asked again, and nothing else', async () => {
    const { toolkit, transport } = counting();
    const bob = () => createOperation({ credential: createKey('bob') });
    await toolkit.call(search(), alice());
    await toolkit.call(search(), bob());
    await toolkit.call(reference(), alice());
    await toolkit.call(write, alice());
    expect(transport.sent).toHaveLength(4);
    await toolkit.call(search(), bob());
    await toolkit.call(reference(), alice());
    expect(transport.sent).toHaveLength(4);
    expect(await toolkit.call(search(), alice())).toEqual({ number: 5 });
  });

  it('counts as done when it failed: the service may have done what it could not confirm', async () => {
    const { toolkit, transport } = counting();
    await toolkit.call(search(), alice());
    transport.respond = () => ({ body: {}, status: 504 });
    await expect(toolkit.call(write, alice())).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    transport.respond = () => ({ body: { number: 'new' } });
    expect(await toolkit.call(search(), alice())).toEqual({ number: 'new' });
  });

  it('is not undone by a search that was on its way before it', async () => {
    const { toolkit, transport } = createHarness();
    const early = toolkit.call(search(), alice());
    const written = toolkit.call(write, alice());
    await settle();
    transport.sent[1]?.respond({});
    await written;
    transport.sent[0]?.respond({ number: 'old' });
    expect(await early).toEqual({ number: 'old' });
    transport.respond = () => ({ body: { number: 'new' } });
    expect(await toolkit.call(search(), alice())).toEqual({ number: 'new' });
  });
});

describe('a tag', () => {
  it('renews what is cached without sending it again', async () => {
    const { toolkit, transport, clock } = createHarness();
    transport.respond = () => ({ body: { number: 1 }, headers: { etag: 'W/"a"' } });
    await toolkit.call(search(), createOperation());
    await clock.advance(MINUTE);
    transport.respond = () => ({ body: '', status: 304 });
    const operation = createOperation();
    expect(await toolkit.call(search(), operation)).toEqual({ number: 1 });
    expect(transport.sent[1]?.request.headers['if-none-match']).toBe('W/"a"');
    expect(operation.rows).toMatchObject([{ cache: 'MISS', status: 304, bytes: 0 }]);
    await clock.advance(MINUTE - 1);
    await toolkit.call(search(), createOperation());
    expect(transport.sent).toHaveLength(2);
  });

  it('means nothing when the service says 304 unasked', async () => {
    const { toolkit, transport, clock } = createHarness();
    const unused = async () => {
      transport.respond = () => ({ body: '', status: 304 });
      await expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({
        code: 'UPSTREAM_INVALID_RESPONSE',
      });
    };
    await unused();
    transport.respond = () => ({ body: { number: 1 } });
    await toolkit.call(search(), createOperation());
    // An entry without an entity tag cannot be revalidated, and a 304 is invalid even once it is too old to serve.
    await clock.advance(20 * MINUTE);
    await unused();
  });
});

describe('the store behind the memory', () => {
  it('stays in memory alone where it is large', async () => {
    const store = memoryStore();
    const { toolkit, transport } = createHarness({}, { sharedStore: store });
    transport.respond = () => ({ body: { text: 'x'.repeat(2 * 1024 * 1024) } });
    for (const path of ['/large', '/large']) await toolkit.call(reference({ path }), createOperation());
    expect([transport.sent.length, store.entries.size]).toEqual([1, 0]);
    transport.respond = () => ({ body: { text: 'x'.repeat(2 * 1024 * 1024 - 100) } });
    await toolkit.call(reference({ path: '/smaller' }), createOperation());
    expect(store.entries.size).toBe(1);
  });

  it('answers after a restart, without a call, and knows no key', async () => {
    const store = memoryStore();
    const before = counting({ sharedStore: store });
    await before.toolkit.call(reference(), createOperation());
    const after = counting({ sharedStore: store });
    const operation = createOperation();
    expect(await after.toolkit.call(reference(), operation)).toEqual({ number: 1 });
    expect(after.transport.sent).toHaveLength(0);
    expect(operation.rows).toMatchObject([{ cache: 'HIT' }]);
    expect(JSON.stringify([...store.entries])).not.toMatch(/secret|fingerprint|communes/);
  });

  it.each([
    ['damaged', '{"form":1,'],
    ['of another program', '{"form":0}'],
    ['of another kind', '[]'],
    ['without its times', '{"form":1,"status":200,"bytes":1,"unknown":false,"etag":null}'],
  ])('is not believed when an entry is %s', async (_what, text) => {
    const store = memoryStore();
    await counting({ sharedStore: store }).toolkit.call(reference(), createOperation());
    for (const key of store.entries.keys()) store.entries.set(key, text);
    const { toolkit, transport } = counting({ sharedStore: store });
    expect(await toolkit.call(reference(), createOperation())).toEqual({ number: 1 });
    expect(transport.sent).toHaveLength(1);
  });

  it('is not believed when the client no longer reads what an older one kept', async () => {
    const store = memoryStore();
    await counting({ sharedStore: store }).toolkit.call(reference(), createOperation());
    const { toolkit, transport } = createHarness({}, { sharedStore: store });
    transport.respond = () => ({ body: { renamed: 1 } });
    const stricter = reference({
      parse({ json: body }) {
        if (!isRecord(body) || !('renamed' in body)) throw new TypeError('Not what is documented.');
        return body;
      },
    });
    expect(await toolkit.call(stricter, createOperation())).toEqual({ renamed: 1 });
  });

  it('keeps different addresses of a service apart', async () => {
    const store = memoryStore();
    const one = await startWireServer(json({ from: 'one' }));
    const two = await startWireServer(json({ from: 'two' }));
    const first = createToolkit(one.url, {}, { sharedStore: store });
    const second = createToolkit(two.url, {}, { sharedStore: store });
    expect(await first.call(reference(), createOperation())).toEqual({ from: 'one' });
    expect(await second.call(reference(), createOperation())).toEqual({ from: 'two' });
    await Promise.all([first.close(), second.close(), one.close(), two.close()]);
  });
});
