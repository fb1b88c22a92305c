import { expect, it } from 'vitest';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { UsedCommunes } from '../../../subgraphs/work-study/geography/warm-up.js';
import { createVirtualClock, settle } from '../../rest/support/virtual-clock.js';

/** Guards the list of communes that missions use, across restarts. */

function createMemoryStore(): TextStore & { readonly texts: Map<string, string>; writes: number } {
  const texts = new Map<string, string>();
  const store = {
    texts,
    writes: 0,
    get: async (key: string) => texts.get(key),
    async set(key: string, text: string) {
      store.writes += 1;
      texts.set(key, text);
    },
  };
  return store;
}

const open = (store: TextStore | null) => {
  const clock = createVirtualClock();
  return { clock, used: new UsedCommunes({ store, key: 'used', clock }) };
};

it('remembers beyond its process what was used, the latest last', async () => {
  const store = createMemoryStore();
  const first = open(store);
  for (const code of ['29019', '2A004', '29019']) first.used.record(code);
  await first.used.close();
  expect(await open(store).used.load()).toEqual(['2A004', '29019']);
});

it('writes together what comes within a minute, and nothing when nothing is new', async () => {
  const store = createMemoryStore();
  const { used, clock } = open(store);
  for (const code of ['29019', '75056', '29019']) used.record(code);
  await clock.advance(59_000);
  expect(store.writes).toBe(0);
  await clock.advance(1000);
  await settle();
  used.record('75056');
  await clock.advance(120_000);
  await used.close();
  expect([store.writes, clock.pending]).toEqual([1, 0]);
});

it('adds to what other replicas wrote', async () => {
  const store = createMemoryStore();
  const [one, other] = [open(store), open(store)];
  one.used.record('29019');
  other.used.record('75056');
  await one.used.close();
  await other.used.close();
  expect(store.texts.get('used')).toBe('29019 75056');
});

it('keeps the five thousand that were used last', async () => {
  const store = createMemoryStore();
  const { used } = open(store);
  const codes = Array.from({ length: 5003 }, (_, index) => String(10_000 + index));
  for (const code of codes) used.record(code);
  await used.close();
  expect(await open(store).used.load()).toEqual(codes.slice(3));
});

it('takes no text for a code that is none', async () => {
  const store = createMemoryStore();
  store.texts.set('used', '29019 /etc 1234 2C001 75056');
  expect(await open(store).used.load()).toEqual(['29019', '75056']);
});

it('keeps nothing without a store', async () => {
  const { used, clock } = open(null);
  used.record('29019');
  expect([await used.load(), clock.pending]).toEqual([[], 0]);
});
