import { beforeEach, describe, expect, it } from 'vitest';
import type { TextStore } from '../../runtime/stores/text-store.js';
import { createLastWrites } from '../../subgraphs/rest/cache/response-cache.js';
import { createFakeTransport } from './support/fake-transport.js';
import { createVirtualClock, type VirtualClock } from './support/virtual-clock.js';

const TEN_MINUTES = 10 * 60_000;

/** A store that replicas share; it can be away, and can lose its texts. */
interface SharedTexts extends TextStore {
  readonly texts: Map<string, string>;
  away: boolean;
  /** Reads wait until this resolves; null lets them through at once. */
  hold: Promise<void> | null;
}

function createSharedTexts(): SharedTexts {
  const texts = new Map<string, string>();
  const shared: SharedTexts = {
    texts,
    away: false,
    hold: null,
    async get(key) {
      const text = shared.away ? undefined : texts.get(key);
      await shared.hold;
      return text;
    },
    async set(key, text) {
      if (!shared.away) texts.set(key, text);
    },
  };
  return shared;
}

let clock: VirtualClock;
let store: SharedTexts;
let one: ReturnType<typeof createLastWrites>;
let other: typeof one;

function open(versionStore: TextStore | null = store) {
  const ports = { clock, random: Math.random, transport: createFakeTransport(), sharedStore: null, sharedQuota: null };
  return createLastWrites({ ...ports, versionStore }, 'volunteering-0a1b');
}

beforeEach(async () => {
  clock = createVirtualClock();
  // The cache library treats a time of 0 as none.
  await clock.advance(1);
  store = createSharedTexts();
  [one, other] = [open(), open()];
});

describe('the version of a key’s last write', () => {
  it('moves on for all replicas, those that start later included, and for no other key', async () => {
    const before = await other.versionOf('alice');
    expect(await one.versionOf('alice')).toBe(before);
    await one.wrote('alice');
    const after = await other.versionOf('alice');
    expect(after).not.toBe(before);
    expect(await one.versionOf('alice')).toBe(after);
    expect(await open().versionOf('alice')).toBe(after);
    expect(await other.versionOf('bob')).toBe(before);
  });

  it('moves on with each write, whoever wrote before', async () => {
    const versions = new Set<string>();
    for (const replica of [one, other, one, one, other]) {
      await replica.wrote('alice');
      const seen = [await one.versionOf('alice'), await other.versionOf('alice')];
      expect(seen[0]).toBe(seen[1]);
      versions.add(String(seen[0]));
    }
    expect(versions.size).toBe(5);
  });

  it('needs nobody else where nothing is shared, and is known without waiting', async () => {
    const alone = open(null);
    const before = alone.versionOf('alice');
    void alone.wrote('alice');
    expect(alone.versionOf('alice')).not.toBe(before);
    expect(alone.versionOf('bob')).toBe(before);
  });

  it('is not called for where all share one response', () => {
    expect(one.versionOf('shared')).toBeTypeOf('string');
  });

  it('holds for the writer while the store is away, and reaches the others when it is back', async () => {
    await one.wrote('alice');
    const before = await other.versionOf('alice');
    store.away = true;
    await one.wrote('alice');
    const own = await one.versionOf('alice');
    expect(own).not.toBe(before);
    store.away = false;
    expect(await one.versionOf('alice')).toBe(own);
    expect(await other.versionOf('alice')).toBe(own);
  });

  it('is remembered by whoever saw it when the store is emptied', async () => {
    await one.wrote('alice');
    const version = await other.versionOf('alice');
    store.texts.clear();
    expect(await other.versionOf('alice')).toBe(version);
    expect(await open().versionOf('alice')).toBe(version);
  });

  it('is not undone by what the store said just before', async () => {
    let letGo = () => {};
    store.hold = new Promise((resolve) => {
      letGo = resolve;
    });
    const requested = one.versionOf('alice');
    await one.wrote('alice');
    store.hold = null;
    letGo();
    const version = await requested;
    expect(version).toBe(await one.versionOf('alice'));
    expect(await other.versionOf('alice')).toBe(version);
  });

  it('is forgotten when nothing from before can be kept any more', async () => {
    const before = await one.versionOf('alice');
    await one.wrote('alice');
    store.texts.clear();
    await clock.advance(TEN_MINUTES + 1);
    expect(await one.versionOf('alice')).toBe(before);
  });

  it.each(['', 'one two', 'x'.repeat(1_000_000)])('is none that nobody here wrote (%#)', async (forged) => {
    const before = await one.versionOf('alice');
    await other.wrote('alice');
    for (const key of store.texts.keys()) store.texts.set(key, forged);
    expect(await one.versionOf('alice')).toBe(before);
  });

  it('tells nothing of the key', async () => {
    await one.wrote('alice');
    expect(JSON.stringify([...store.texts])).not.toContain('alice');
  });
});
