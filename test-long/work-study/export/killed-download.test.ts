import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../bench/export-rows.js';
import { generation } from '../../../test/work-study/support/generation.mjs';
import {
  BAKERY,
  find,
  HOUR,
  ids,
  storedIn,
  useDirectories,
} from '../../../test/work-study/support/siret-directories.js';

/** Guards the disk of the export against what killed processes leave on it, and the export against a full disk. */

const PROGRAM = new URL('../support/downloading-process.mjs', import.meta.url);
const LOADING = new URL('../support/loading-process.mjs', import.meta.url);
const KILLS = 4;

describe('The folder of the export', () => {
  const directories = useDirectories();
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = directories.folder();
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  /** Starts a process that downloads into the folder, and hangs within the file. */
  async function download(): Promise<ChildProcess> {
    const child = fork(PROGRAM, [folder], { execArgv: [] });
    children.push(child);
    const [message] = await once(child, 'message');
    expect(message).toBe('stuck');
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  const names = async (end: string) => (await storedIn(folder)).filter((name) => name.endsWith(end));

  it('holds what one download has written, however many were killed before', async () => {
    const written: number[] = [];
    for (let time = 0; time < 2; time += 1) {
      await kill(await download());
      const parts = await names('.part');
      const sizes = parts.map(async (name) => (await stat(join(folder, name))).size);
      written.push((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0));
    }
    expect(written).toEqual([written[0], written[0]]);
  });

  it('is cleared of a killed download, and of an export whose index was never written, by a process that starts, before it downloads anything', async () => {
    await kill(await download());
    const [part = ''] = await names('.part');
    // As between the two steps of storing it.
    await copyFile(join(folder, part), join(folder, part.replace(/part$/, 'json')));
    const { service, directory } = directories.start();
    let left: string[] | null = null;
    service.beforeLink = async () => {
      left = await storedIn(folder);
      throw new Error('no export today');
    };
    await directory.warmUp();
    expect(left).toEqual([]);
  });

  it('is cleared of what was killed while a process ran, before that one downloads again', async () => {
    const { service, directory } = directories.start();
    await directory.warmUp();
    await kill(await download());
    service.nowMs += HOUR;
    service.lastUpdate = '2025-06-27T01:00:00.000Z';
    let parts: string[] | null = null;
    service.pauseAt = async (sent) => {
      if (sent > 0) parts ??= await names('.part');
    };
    await directory.refreshIfDue();
    expect(parts).toEqual([]);
    expect(await storedIn(folder)).toHaveLength(1);
  });

  it('is left to the process that is downloading, whose export others then share', async () => {
    const child = await download();
    const parts = await names('.part');
    const { service, directory } = directories.start();
    service.lastUpdate = '2025-06-26T12:00:00.000Z';
    const refreshed = directory.refreshIfDue();
    expect(await find(directory, BAKERY)).toBeNull();
    expect(await names('.part')).toEqual(parts);
    const message = once(child, 'message');
    const exit = once(child, 'exit');
    child.send('go on');
    expect(await message).toEqual(['ready', undefined]);
    await exit;
    await refreshed;
    expect(await find(directory, BAKERY)).toHaveLength(2);
    expect([service.requests.files, await storedIn(folder)]).toEqual([0, [expect.stringMatching(/\.db$/)]]);
  });

  it(`has one whole export, the old or the new, after each of ${KILLS} kills at random moments of a load`, async () => {
    const random = createRandom(57);
    const { service, directory } = directories.start();
    service.file = JSON.stringify(generation(0));
    await directory.refreshIfDue();
    await directory.close();
    let newest = 0;
    for (let time = 0; time < KILLS; time++) {
      const child = fork(LOADING, [folder, String(newest + 1)], { execArgv: [] });
      children.push(child);
      const last = Math.floor(random() * 40);
      let moments = 0;
      await new Promise<void>((resolve) => {
        child.on('message', () => void (moments++ >= last && child.kill('SIGKILL')));
        child.once('exit', () => resolve());
      });
      const next = directories.start();
      next.service.beforeLink = () => Promise.reject(new Error('no export today'));
      const found = await find(next.directory, BAKERY);
      const made = ids(found)?.[0]?.split(' ')[0];
      expect([newest, newest + 1].map(String)).toContain(made);
      newest = Number(made);
      expect(ids(found)).toEqual(generation(newest).map(({ identifier }) => identifier.id));
      await next.directory.refreshIfDue();
      expect(next.service.warnings).toBe(1);
      await next.directory.close();
    }
    // Some were killed too late.
    expect(newest).toBeLessThan(KILLS);
  });

  it('takes no byte of a file that does not fit on its disk, says so, and takes the next that does', async () => {
    const { service, directory, options } = directories.start();
    await directory.refreshIfDue();
    const before = await storedIn(folder);
    service.nowMs += HOUR;
    service.lastUpdate = '2025-06-27T01:00:00.000Z';
    const { download } = options;
    options.download = (url, signal, onLength) => download(url, signal, () => onLength?.(2 ** 60));
    const next = directories.reopen({ ...options, folder });
    await next.refreshIfDue();
    expect(service.warnings).toBe(1);
    expect(await storedIn(folder)).toEqual(before);
    expect(next.shortage()).toMatch(/^the daily export needs \d{13} MB in CACHE_DIR, where \d{1,9} MB are free$/);
    expect(ids(await find(next, BAKERY))).toEqual(['1', '4', '5']);
    const last = directories.reopen({ ...options, folder, download });
    await last.refreshIfDue();
    expect([last.shortage(), last.lastUpdate()]).toEqual([null, service.lastUpdate]);
  });

  it('says the same of a disk that is full before the end of a file', async () => {
    const { service, directory } = directories.start();
    service.pauseAt = async (sent) => {
      if (sent > 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    await directory.refreshIfDue();
    expect(directory.shortage()).toBe('the daily export does not fit in CACHE_DIR, whose disk is full');
    // What callers are told: why, and when loading it is tried again.
    expect([directory.failure(), directory.secondsToTry()]).toEqual([directory.shortage(), 60]);
    expect(await storedIn(folder)).toEqual([]);
  });
});
