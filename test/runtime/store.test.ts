import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sqlite } from '../../database/sqlite.js';
import { openStores, type TextStore } from '../../runtime/stores/text-store.js';
import { temporaryFolder } from '../temporary-folder.js';
import { createLines } from './support/lines.js';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  vi.useRealTimers();
});

const KEY = 'volunteering-0a1b:00ff00ff';
const WEEK = 7 * 24 * 60 * 60 * 1000;

function open() {
  const lines = createLines();
  const stores = openStores({ cache: null, cacheDir: folder, markKeys: [Buffer.from('marks')], log: lines.log });
  const { shared: store, close } = stores;
  if (store === null) throw new Error('There is a folder, so there is a store.');
  return { store, close, lines };
}

const file = () => join(folder, 'entries.db');

async function save(store: TextStore, text = '{"nom":"Évron"}'): Promise<void> {
  await store.set(KEY, text, WEEK);
}

function replaced(path: string, make: () => void): void {
  rmSync(path);
  make();
}

describe('the store in a folder', () => {
  it('survives a restart', async () => {
    const { store, close } = open();
    await save(store);
    await close();
    expect(await open().store.get(KEY)).toBe('{"nom":"Évron"}');
    expect(await open().store.get('volunteering-0a1b:other')).toBeUndefined();
  });

  it('is one file, which nobody but its owner can read', async () => {
    await save(open().store);
    expect(readdirSync(folder).filter((name) => !name.endsWith('-journal'))).toEqual(['entries.db']);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });

  it('is shared by several processes at once', async () => {
    const stores = [open(), open(), open()];
    await Promise.all(stores.map(({ store }, place) => store.set(`volunteering-0a1b:${place}`, `text ${place}`, WEEK)));
    for (const { store } of stores)
      expect(await Promise.all([0, 1, 2].map((place) => store.get(`volunteering-0a1b:${place}`)))).toEqual([
        'text 0',
        'text 1',
        'text 2',
      ]);
  });

  it('forgets when the time is over, and has no room for it after the next start', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { store, close } = open();
    await save(store);
    vi.advanceTimersByTime(WEEK + 1);
    expect(await store.get(KEY)).toBeUndefined();
    await close();
    expect(await open().store.get(KEY)).toBeUndefined();
    const db = Sqlite.read(file());
    expect(db.value('select count(*) from entry')).toBe(0);
    db.close();
  });

  it.each([
    ['is damaged', (path: string) => writeFileSync(path, Buffer.alloc(8192, 0xff))],
    ['may be written by others', (path: string) => chmodSync(path, 0o666)],
    ['is a link', (path: string) => replaced(path, () => symlinkSync('/dev/zero', path))],
    ['is a pipe', (path: string) => replaced(path, () => execFileSync('mkfifo', [path]))],
  ])('sets a file aside that %s, with a line in the log, and begins another', async (_what, damage) => {
    const before = open();
    await save(before.store);
    await before.close();
    damage(file());
    const { store, lines } = open();
    expect(await store.get(KEY)).toBeUndefined();
    expect(lines.read()).toMatchObject([
      { level: 'warn', msg: 'the file of cached entries is set aside: it is damaged, or foreign' },
    ]);
    await save(store);
    expect(await store.get(KEY)).toBe('{"nom":"Évron"}');
    expect(readdirSync(folder)).toContain('entries.db.aside');
  });

  it('goes on without a folder that can be written, and says so once', async () => {
    const { store, lines } = open();
    rmSync(folder, { recursive: true });
    await store.set(KEY, 'a', WEEK);
    await store.set(KEY, 'b', WEEK);
    expect(await store.get(KEY)).toBeUndefined();
    expect(lines.read()).toMatchObject([{ level: 'warn', msg: /cannot be written/ }]);
  });
});

describe('no folder', () => {
  it('keeps nothing', () => {
    expect(
      openStores({ cache: null, cacheDir: null, markKeys: [Buffer.from('marks')], log: createLines().log }),
    ).toMatchObject({
      shared: null,
      perKey: null,
    });
  });
});
