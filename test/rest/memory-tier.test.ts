import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createMemoryTier } from '../../subgraphs/rest/cache/response-cache.js';
import type { CacheEntry } from '../../subgraphs/rest/call.js';
import { NO_DIRECTIVES } from '../../subgraphs/rest/ports/transport.js';
import { createVirtualClock, settle } from './support/virtual-clock.js';

const MINUTE = 60_000;
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** An entry stored at `nowMs`, which is cached for a minute. */
function entryAt(nowMs: number, unknown = false): CacheEntry {
  const response = {
    status: 200,
    json: { some: 'thing' },
    unknown,
    etag: null,
    cacheControl: NO_DIRECTIVES,
    bytes: 20,
    reading: null,
  };
  const untilMs = nowMs + MINUTE;
  return { response, storedAtMs: nowMs, freshUntilMs: untilMs, revalidateUntilMs: untilMs, staleUntilMs: untilMs };
}

describe('answers in memory', () => {
  it('are evicted when they expire, without being requested, also what a service does not have', async () => {
    const clock = createVirtualClock();
    await clock.advance(1);
    const memory = createMemoryTier(clock);
    // In its own function, so that no variable references the entries afterwards.
    const remember = (identity: string, number: number) => {
      const unknown = number > 2;
      const entry = entryAt(clock.wallMs(), unknown);
      memory.set(identity, entry);
      return new WeakRef(entry);
    };
    const refs = ['one', 'two', 'three', 'no one', 'no two', 'no three'].map(remember);
    await clock.advance(MINUTE);
    expect([memory.get('one'), memory.get('no one')]).not.toContain(undefined);
    await clock.advance(1);
    memory.set('another', entryAt(clock.wallMs()));
    await settle();
    collect();
    expect(refs.map((ref) => ref.deref())).toEqual(refs.map(() => undefined));
    expect(memory.get('another')).toBeDefined();
  });

  it('that a service does not have are ten thousand at most: the one that was used longest ago makes room', () => {
    const memory = createMemoryTier(createVirtualClock());
    for (let number = 0; number < 10_000; number += 1) memory.set(`unknown ${number}`, entryAt(0, true));
    memory.set('known', entryAt(0));
    expect(memory.get('unknown 0')).toBeDefined();
    memory.set('unknown 10000', entryAt(0, true));
    expect(memory.get('unknown 1')).toBeUndefined();
    for (const entry of ['unknown 0', 'unknown 2', 'unknown 10000', 'known']) expect(memory.get(entry)).toBeDefined();
  });
});
