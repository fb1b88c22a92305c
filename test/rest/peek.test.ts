import { describe, expect, it } from 'vitest';
import { bailout, type CacheDependency, type CachedRun } from '../../kernel/cached-values.js';
import type { Credential } from '../../kernel/operation.js';
import { reusable } from '../../subgraphs/rest/keys.js';
import type { Clock } from '../../subgraphs/rest/ports/ports.js';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

const MINUTE = 60_000;

/** A cached run, and the entries that it used. */
function createRun(clock: Pick<Clock, 'wallMs'>, credential: Credential | null = null) {
  const parts: CacheDependency[] = [];
  const cachedRun: CachedRun = {
    nowMs: clock.wallMs(),
    recordUse: (part) => void parts.push(part),
    inLoader: (look) => look(),
    bailOut: (reason) => {
      throw bailout(reason);
    },
  };
  return { parts, operation: { ...createOperation({ credential }), cachedRun } };
}

describe('a look without waiting', () => {
  it('a look without waiting gives the value of a fresh entry, and records the hit as any other', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: { number: 1 } });
    const operation = createOperation();
    expect(toolkit.peek(search(), operation)).toBeUndefined();
    const value = await toolkit.call(search(), operation);
    const request = search();
    await toolkit.call(request, operation);
    expect(toolkit.peek(request, operation)).toEqual(value);
    expect(operation.rows.map(({ cache }) => cache)).toEqual(['MISS', 'HIT', 'HIT']);
    expect(transport.sent).toHaveLength(1);
  });

  it('a look without waiting finds nothing of another key, nothing that is never cached, and nothing for who has left', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: {} });
    await toolkit.call(search(), createOperation({ credential: createKey('alice') }));
    expect(toolkit.peek(search(), createOperation({ credential: createKey('bob') }))).toBeUndefined();
    await toolkit.call(search({ cache: 'never' }), createOperation());
    expect(toolkit.peek(search({ cache: 'never' }), createOperation())).toBeUndefined();
    await toolkit.call(search(), createOperation());
    expect(toolkit.peek(search(), createOperation({ remainingMs: () => 0 }))).toBeUndefined();
  });

  it('a look without waiting sends nothing in a cached run, whoever asks', async () => {
    const { toolkit, transport, clock } = createHarness();
    const { operation } = createRun(clock);
    expect(() => toolkit.peek(search(), operation)).toThrow(bailout('missing'));
    await expect(toolkit.call(search(), operation)).rejects.toBeDefined();
    expect(transport.sent).toEqual([]);
  });

  it('a look without waiting tells of a hit when the run is whole, and not before', async () => {
    const { toolkit, transport, clock } = createHarness();
    transport.respond = () => ({ body: {} });
    await toolkit.call(search(), createOperation());
    const { operation, parts } = createRun(clock);
    toolkit.peek(search(), operation);
    expect(toolkit.rows.filter(({ row }) => row.cache === 'HIT')).toEqual([]);
    for (const part of parts) part.countUse(clock.wallMs());
    expect(toolkit.rows.filter(({ row }) => row.cache === 'HIT')).toHaveLength(1);
  });
});

describe('a request that is made often', () => {
  it('a request that is made often finds the same again in a run, for callers of the same key and as long as it is fresh', async () => {
    const { toolkit, transport, clock } = createHarness();
    transport.respond = () => ({ body: { number: 1 } });
    const request = reusable(search());
    const [alice, bob] = [createKey('alice'), createKey('bob')];
    const value = await toolkit.call(request, createOperation({ credential: alice }));
    const { operation, parts } = createRun(clock, alice);
    expect(toolkit.peek(request, operation)).toBe(value);
    expect(toolkit.peek(request, operation)).toBe(value);
    expect(parts[1]).toBe(parts[0]);
    expect(() => toolkit.peek(request, createRun(clock, bob).operation)).toThrow(bailout('missing'));
    await clock.advance(2 * MINUTE);
    expect(() => toolkit.peek(request, createRun(clock, alice).operation)).toThrow(bailout('expired'));
  });
});

describe('a part of what is cached', () => {
  async function cachedPart(etag?: string) {
    const harness = createHarness();
    harness.transport.respond = () => ({ body: { number: 1 }, headers: { ...(etag !== undefined && { etag }) } });
    await harness.toolkit.call(search(), createOperation());
    const { operation, parts } = createRun(harness.clock);
    harness.toolkit.peek(search(), operation);
    const [part] = parts;
    if (part === undefined) throw new Error('Nothing was taken.');
    return { ...harness, part };
  }

  it('a part of what is cached is good as long as its entry is fresh', async () => {
    const { part, clock } = await cachedPart();
    expect(part.isFresh(clock.wallMs())).toBe(true);
    await clock.advance(2 * MINUTE);
    expect(part.isFresh(clock.wallMs())).toBe(false);
  });

  it('a part of what is cached is no longer good when another response has taken its place', async () => {
    const { part, clock, toolkit, transport } = await cachedPart();
    await clock.advance(2 * MINUTE);
    transport.respond = () => ({ body: { number: 2 } });
    await toolkit.call(search(), createOperation());
    expect(part.isFresh(clock.wallMs())).toBe(false);
  });

  it('a part of what is cached is good again when the service has confirmed the response', async () => {
    const { part, clock, toolkit, transport } = await cachedPart('"a"');
    await clock.advance(2 * MINUTE);
    transport.respond = () => ({ body: '', status: 304 });
    await toolkit.call(search(), createOperation());
    expect(part.isFresh(clock.wallMs())).toBe(true);
  });

  it('a part of what is cached is out of reach when its key has written something', async () => {
    const { part, toolkit, transport, clock } = await cachedPart();
    transport.respond = () => ({ body: {} });
    await toolkit.call(search({ method: 'POST', cache: 'never' }), createOperation());
    expect(part.isFresh(clock.wallMs())).toBe(false);
  });
});
