import { type ChildProcess, fork } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../bench/export-rows.js';
import { runs } from '../../../test/runs.js';
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

const LOADING = new URL('../support/loading-process.mjs', import.meta.url);
const KILLS = runs(5);

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

  /** Starts a process that loads a generation into the folder. */
  function load(number: number, ...how: string[]): ChildProcess {
    const child = fork(LOADING, [folder, String(number), ...how], { execArgv: [] });
    children.push(child);
    return child;
  }

  const said = (child: ChildProcess, wanted: string) =>
    new Promise<void>((resolve) => child.on('message', (message) => message === wanted && resolve()));
  const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.once('exit', () => resolve()));

  /** Starts one that hangs before the end of the file. */
  async function hanging(): Promise<ChildProcess> {
    const child = load(1, 'stuck');
    await said(child, 'stuck');
    return child;
  }

  const parts = async () => (await storedIn(folder)).filter((name) => name.endsWith('.part'));

  it('is cleared of what was killed, before anything is downloaded, also while a process runs', async () => {
    const { service, directory } = directories.start();
    let left: string[] | null = null;
    for (const before of [0, 1]) {
      const child = await hanging();
      child.kill('SIGKILL');
      await ended(child);
      const [part = ''] = await parts();
      // As between the two steps of storing it.
      await copyFile(join(folder, part), join(folder, part.replace(/part$/, 'json')));
      service.lastUpdate = `2026-06-2${before}T01:00:00.000Z`;
      service.nowMs += HOUR;
      service.beforeLink = async () => {
        left = await storedIn(folder);
      };
      await directory.refreshIfDue();
      expect(left).toHaveLength(before);
      expect(await storedIn(folder)).toEqual([expect.stringMatching(/\.db$/)]);
    }
  });

  it('is left to the process that is downloading, whose export others then share', async () => {
    const child = await hanging();
    const before = await parts();
    const { service, directory } = directories.start();
    service.lastUpdate = '2026-01-01T00:00:00.000Z';
    const refreshed = directory.refreshIfDue();
    expect(await find(directory, BAKERY)).toBeNull();
    expect(await parts()).toEqual(before);
    const exit = ended(child);
    child.send('go on');
    await exit;
    await refreshed;
    expect(await find(directory, BAKERY)).toHaveLength(generation(1).length);
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
      const child = load(newest + 1);
      const last = Math.floor(random() * 40);
      let moments = 0;
      child.on('message', () => void (moments++ >= last && child.kill('SIGKILL')));
      await ended(child);
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
    expect([service.warnings, await storedIn(folder)]).toEqual([1, before]);
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
