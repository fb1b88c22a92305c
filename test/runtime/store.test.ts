import { execFileSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStores, sweepFolder, type TextStore } from '../../runtime/stores/text-store.js';
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

function files(): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function save(store: TextStore, text = '{"nom":"Évron"}'): Promise<string> {
  await store.set(KEY, text, WEEK);
  const [file] = files();
  if (file === undefined) throw new Error('Nothing was written.');
  return file;
}

describe('the store in a folder', () => {
  it('the store in a folder survives a restart', async () => {
    await save(open().store);
    expect(await open().store.get(KEY)).toBe('{"nom":"Évron"}');
    expect(await open().store.get('volunteering-0a1b:other')).toBeUndefined();
  });

  it('lets nobody but its owner read', async () => {
    const file = await save(open().store);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(statSync(join(folder, 'volunteering-0a1b')).mode & 0o077).toBe(0);
  });

  it('the store in a folder forgets when the time is over', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { store } = open();
    await save(store);
    vi.advanceTimersByTime(WEEK + 1);
    expect(await store.get(KEY)).toBeUndefined();
  });

  it.each([
    ['cut', (content: string) => content.slice(0, -3)],
    ['changed', (content: string) => content.replace('Évron', 'Evron')],
    ['empty', () => ''],
  ])('the store in a folder throws a file away that is %s, with a line in the log', async (_what, damage) => {
    const file = await save(open().store);
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    const { store, lines } = open();
    expect(await store.get(KEY)).toBeUndefined();
    expect(lines.read()).toMatchObject([{ level: 'warn', msg: 'a damaged file of the cache was thrown away' }]);
    expect(files()).toEqual([]);
  });

  it.each([
    ['a link', (file: string) => symlinkSync('/dev/zero', file)],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
    [
      'endless',
      (file: string) => {
        writeFileSync(file, '');
        truncateSync(file, 1e12);
      },
    ],
  ])('the store in a folder reads no file that is %s, and writes another in its place', async (_what, replace) => {
    const file = await save(open().store);
    rmSync(file);
    replace(file);
    const { store } = open();
    expect(await store.get(KEY)).toBeUndefined();
    await save(store);
    expect(await store.get(KEY)).toBe('{"nom":"Évron"}');
  });

  it('the store in a folder leaves no draft behind, whole or not at all', async () => {
    const { store, close } = open();
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.set(KEY, `text ${n}`, WEEK)));
    await close();
    expect(files()).toHaveLength(1);
    expect(await store.get(KEY)).toMatch(/^text \d+$/);
  });

  it('the store in a folder goes on without a folder that can be written, and says so once', async () => {
    writeFileSync(join(folder, 'volunteering-0a1b'), 'in the way');
    const { store, lines } = open();
    await store.set(KEY, 'a', WEEK);
    await store.set(KEY, 'b', WEEK);
    expect(await store.get(KEY)).toBeUndefined();
    expect(lines.read()).toMatchObject([{ level: 'warn', msg: /cannot be written/ }]);
  });

  it('the store in a folder waits for what is being written when it closes', async () => {
    const { store, close } = open();
    void store.set(KEY, 'late', WEEK);
    await close();
    expect(await open().store.get(KEY)).toBe('late');
  });

  it('the store in a folder is swept of files that nobody will read again, and of drafts that nobody is writing', async () => {
    const { store } = open();
    const old = await save(store);
    const before = new Date(Date.now() - 9 * 24 * 60 * 60 * 1000);
    utimesSync(old, before, before);
    await store.set('volunteering-0a1b:11ee', 'young', WEEK);
    const draft = `${old}.left.draft`;
    writeFileSync(draft, 'half');
    const hoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    utimesSync(draft, hoursAgo, hoursAgo);
    await sweepFolder(folder);
    expect(existsSync(draft)).toBe(false);
    expect(await store.get(KEY)).toBeUndefined();
    expect(await store.get('volunteering-0a1b:11ee')).toBe('young');
  });
});

describe('no folder', () => {
  it('no folder keeps nothing', () => {
    expect(
      openStores({ cache: null, cacheDir: null, markKeys: [Buffer.from('marks')], log: createLines().log }),
    ).toMatchObject({
      shared: null,
      perKey: null,
    });
  });
});
