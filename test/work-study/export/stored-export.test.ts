import { execFile } from 'node:child_process';
import { readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { CodedError } from '../../../kernel/errors.js';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { temporaryFolder } from '../../temporary-folder.js';
import {
  BAKERY,
  change,
  createService,
  deferred,
  type Files,
  filesIn,
  find,
  HOUR,
  ids,
  MINUTE,
  offer,
  rows,
  UNKNOWN,
  useDirectories,
} from '../support/siret-directories.js';

describe('what the SIRET directory keeps', () => {
  const directories = useDirectories();
  const { reopen, start } = directories;
  let folder: string;

  beforeEach(() => {
    folder = directories.folder();
  });

  describe('shared with others', () => {
    const inTurn = (work: () => Promise<void>) => work();

    /** What replicas share: their store, and the dates in it. */
    function createShared() {
      const dates = new Map<string, string>();
      const store: TextStore = {
        get: async (key) => dates.get(key),
        set: async (key, text) => void dates.set(key, text),
      };
      return { dates, shared: { inTurn, store, key: 'work-study:export-date' } };
    }

    it('requests no date that somebody was told within the hour', async () => {
      const { service, options } = createService();
      const { dates, shared } = createShared();
      const [one, other] = [reopen({ ...options, folder, shared }), reopen({ ...options, folder, shared })];
      await one.refreshIfDue();
      await other.refreshIfDue();
      expect(ids(await find(other, BAKERY))).toEqual(['1', '4', '5']);
      expect(service.requests).toEqual({ links: 1, files: 1 });
      dates.clear();
      service.nowMs += HOUR;
      await other.refreshIfDue();
      await one.refreshIfDue();
      expect(service.requests).toEqual({ links: 2, files: 1 });
    });

    it('takes up what a replica has brought meanwhile, also when nobody knows its date any more', async () => {
      const { service, options } = createService();
      const { dates, shared } = createShared();
      const other = reopen({ ...options, folder, shared });
      await other.refreshIfDue();
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = JSON.stringify([offer('6', BAKERY)]);
      dates.clear();
      await reopen({ ...options, folder, shared }).refreshIfDue();
      dates.clear();
      service.nowMs += HOUR;
      await other.refreshIfDue();
      expect(ids(await find(other, BAKERY))).toEqual(['6']);
      expect(service.requests).toEqual({ links: 3, files: 2 });
    });

    it('downloads itself what others were told of and have not brought', async () => {
      const { service, options } = createService();
      const { dates, shared } = createShared();
      dates.set(shared.key, service.lastUpdate);
      const directory = reopen({ ...options, folder, shared });
      await directory.refreshIfDue();
      expect(ids(await find(directory, BAKERY))).toEqual(['1', '4', '5']);
      expect(service.requests).toEqual({ links: 1, files: 1 });
    });

    it('puts no older export in the place of a newer', async () => {
      const { service: late, options: slow } = createService();
      const arrival = deferred();
      late.beforeFile = () => arrival.promise;
      const slower = reopen({ ...slow, folder });
      const finished = slower.refreshIfDue();
      const { service, options } = createService();
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = JSON.stringify([offer('6', BAKERY)]);
      await reopen({ ...options, folder }).refreshIfDue();
      arrival.resolve();
      await finished;
      expect(ids(await find(slower, BAKERY))).toEqual(['1', '4', '5']);
      expect(ids(await find(reopen({ ...options, folder }), BAKERY))).toEqual(['6']);
      expect(await readdir(folder)).toHaveLength(2);
    });
  });

  describe('when the export fails', () => {
    it.each([
      ['is cut', JSON.stringify(rows).slice(0, -1)],
      ['is an error page', '<html>[]</html>'],
      ['is empty', ''],
      ['has no rows', '[]'],
      ['writes SIRETs as numbers', JSON.stringify(rows).replace(/"(\d{14})"/g, '$1')],
      ['has a SIRET in fewer than half of its rows', JSON.stringify([rows[0], rows[2], rows[2]])],
    ])('keeps the old one if the new %s, and leaves nothing behind', async (_what, file) => {
      const { service, directory } = start();
      await directory.refreshIfDue();
      const before = await readdir(folder);
      service.nowMs += HOUR;
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = file;
      await directory.refreshIfDue();
      expect(service.warnings).toBe(1);
      expect(ids(await find(directory, BAKERY))).toEqual(['1', '4', '5']);
      expect(await readdir(folder)).toEqual(before);
    });

    it('takes one that has a SIRET in every second row', async () => {
      const { service, directory } = start();
      service.file = JSON.stringify([rows[0], rows[2]]);
      await directory.refreshIfDue();
      expect(ids(await find(directory, BAKERY))).toEqual(['1']);
      expect(service.drifts).toEqual([]);
    });

    it('waits a minute before it tries again, then twice as long each time, an hour at most', async () => {
      const { service, directory } = start();
      service.beforeLink = () => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'Down.'));
      await directory.refreshIfDue();
      expect(directory.state()).toBe('cold');
      for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
        const { links } = service.requests;
        service.nowMs += minutes * MINUTE - 1;
        await directory.refreshIfDue();
        expect(service.requests.links, `before ${minutes} minutes`).toBe(links);
        service.nowMs += 1;
        await directory.refreshIfDue();
        expect(service.requests.links, `after ${minutes} minutes`).toBe(links + 1);
      }
    });

    it('is patient again after a success', async () => {
      const { service, directory } = start();
      const down = () => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'Down.'));
      for (const beforeLink of [down, down, async () => {}, down]) {
        service.beforeLink = beforeLink;
        await directory.refreshIfDue();
        service.nowMs += HOUR;
      }
      service.nowMs += MINUTE - HOUR;
      service.beforeLink = async () => {};
      await directory.refreshIfDue();
      expect(service.requests.links).toBe(5);
    });

    it('waits as long as the service says', async () => {
      const { service, directory } = start();
      service.beforeLink = () => Promise.reject(new CodedError('RATE_LIMITED', 'Wait.', { retryAfterSeconds: 300 }));
      await directory.refreshIfDue();
      service.nowMs += 299_999;
      await directory.refreshIfDue();
      expect(service.requests.links).toBe(1);
      service.nowMs += 1;
      service.beforeLink = async () => {};
      await directory.refreshIfDue();
      expect(directory.state()).toBe('ready');
    });

    it('requests a new link with each try, because a link dies after two minutes', async () => {
      const { service, directory } = start();
      service.beforeFile = () => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'Expired.'));
      await directory.refreshIfDue();
      service.beforeFile = async () => {};
      service.nowMs += MINUTE;
      await directory.refreshIfDue();
      expect(service.requests).toEqual({ links: 2, files: 2 });
      expect(directory.state()).toBe('ready');
    });

    it.each(['SOURCE_OFF', 'PERMISSION_DENIED', 'CREDENTIALS_REJECTED', 'CREDENTIALS_REQUIRED'] as const)(
      'is refused by %s, and asks again after an hour',
      async (code) => {
        const { service, directory } = start();
        service.beforeLink = () => Promise.reject(new CodedError(code, 'No.'));
        await directory.refreshIfDue();
        expect(directory.state()).toBe('refused');
        expect(await find(directory, BAKERY)).toBeNull();
        service.nowMs += HOUR - 1;
        await find(directory, BAKERY);
        expect(service.requests.links).toBe(1);
        service.nowMs += 1;
        service.beforeLink = async () => {};
        await directory.refreshIfDue();
        expect(directory.state()).toBe('ready');
      },
    );
  });

  describe('after a restart', () => {
    async function link(path: string): Promise<void> {
      const elsewhere = join(temporaryFolder(), 'elsewhere');
      await rename(path, elsewhere);
      await symlink(elsewhere, path);
    }

    async function pipe(path: string): Promise<void> {
      await rm(path);
      await promisify(execFile)('mkfifo', [path]);
    }

    it('WS-93 answers from the file of before and downloads nothing as long as it is the latest', async () => {
      const { service, directory, options } = start();
      await directory.refreshIfDue();
      await directory.close();
      const next = reopen({ ...options, folder });
      expect(ids(await find(next, BAKERY))).toEqual(['1', '4', '5']);
      expect(await find(next, UNKNOWN)).toEqual([]);
      await next.refreshIfDue();
      expect(service.requests).toEqual({ links: 2, files: 1 });
    });

    it('uses what was written with an older secret of the list, and nothing that was written with another', async () => {
      const [old, next] = [Buffer.from('old'), Buffer.from('new')];
      const { service, options } = createService();
      const first = reopen({ ...options, folder, markKeys: [old] });
      await first.refreshIfDue();
      await first.close();
      const second = reopen({ ...options, folder, markKeys: [next, old] });
      expect(ids(await find(second, BAKERY))).toEqual(['1', '4', '5']);
      await second.close();
      expect(service.warnings).toBe(0);
      const third = reopen({ ...options, folder, markKeys: [next] });
      expect(await find(third, BAKERY)).toBeNull();
      await third.refreshIfDue();
      expect(service.requests.files).toBe(2);
      expect(service.warnings).toBe(1);
    });

    it('keeps leading zeros of a SIRET', async () => {
      const siret = '00562003200013';
      const { service, directory, options } = start();
      service.file = JSON.stringify([offer('1', siret)]);
      await directory.refreshIfDue();
      await directory.close();
      expect(ids(await find(reopen({ ...options, folder }), siret))).toEqual(['1']);
    });

    it.each([
      ['the index is missing', (files: Files) => rm(files.index)],
      ['the index is cut', async (files: Files) => truncate(files.index, (await stat(files.index)).size - 1)],
      ['the index is of another layout', (files: Files) => writeFile(files.index, '{"layout":"later"}\n')],
      ['the index is no text', (files: Files) => writeFile(files.index, Buffer.alloc(100, 0xff))],
      ['the export is missing', (files: Files) => rm(files.export)],
      ['the export is cut', (files: Files) => truncate(files.export, 10)],
      ['the export says something else', (files: Files) => change(files.export, 'Hellowork', 'Helloworm')],
      ['the export has no mark', async (files: Files) => truncate(files.export, (await stat(files.export)).size - 32)],
      ['the index says something else', (files: Files) => change(files.index, '2025-06-26', '2095-06-26')],
      ['the export is a link', (files: Files) => link(files.export)],
      ['the index is a link', (files: Files) => link(files.index)],
      ['the index is a pipe', (files: Files) => pipe(files.index)],
      ['the index is endless', (files: Files) => writeFile(files.index, '').then(() => truncate(files.index, 1e12))],
    ])('fetches the export again if %s', async (_what, damage) => {
      const { service, directory, options } = start();
      await directory.refreshIfDue();
      await directory.close();
      await damage(await filesIn(folder));
      const next = reopen({ ...options, folder });
      expect(await find(next, BAKERY)).toBeNull();
      await next.refreshIfDue();
      expect(service.requests.files).toBe(2);
      expect(ids(await find(next, BAKERY))).toEqual(['1', '4', '5']);
      expect(await readdir(folder)).toHaveLength(2);
    });
  });

  describe('on disk', () => {
    it('is readable by the owner only', async () => {
      const { directory } = start(join(folder, 'new', 'place'));
      await directory.refreshIfDue();
      const files = await filesIn(join(folder, 'new', 'place'));
      for (const file of Object.values(files)) expect((await stat(file)).mode & 0o077).toBe(0);
      expect((await stat(join(folder, 'new', 'place'))).mode & 0o077).toBe(0);
    });

    it('holds neither link nor key', async () => {
      const { directory } = start();
      await directory.refreshIfDue();
      for (const file of Object.values(await filesIn(folder))) {
        expect((await readFile(file)).includes('storage.example')).toBe(false);
      }
    });

    it('leaves nothing where nothing may be kept', async () => {
      const before = process.env['TMPDIR'];
      process.env['TMPDIR'] = folder;
      try {
        const { directory } = start(null);
        await directory.refreshIfDue();
        expect(ids(await find(directory, BAKERY))).toEqual(['1', '4', '5']);
        expect(await readdir(folder)).toEqual([]);
      } finally {
        if (before === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = before;
      }
    });

    it('that is cut under its hands is given up and fetched again', async () => {
      const { service, directory } = start();
      await directory.refreshIfDue();
      await truncate((await filesIn(folder)).export, 10);
      expect(await find(directory, BAKERY)).toBeNull();
      expect(directory.state()).toBe('cold');
      await directory.refreshIfDue();
      expect(service.requests.files).toBe(2);
      expect(ids(await find(directory, BAKERY))).toEqual(['1', '4', '5']);
    });

    it('is read once for a SIRET that is requested again', async () => {
      const { service, directory } = start();
      await directory.refreshIfDue();
      const first = await find(directory, BAKERY);
      await truncate((await filesIn(folder)).export, 10);
      expect(await find(directory, BAKERY)).toBe(first);
      expect(service.requests.files).toBe(1);
    });

    it('has null in the place of a row that is no JSON, and only of that row', async () => {
      const { service, directory } = start();
      service.file = JSON.stringify(rows).replace('"title":"Boulanger"', '"title":Boulanger');
      await directory.refreshIfDue();
      expect(ids(await find(directory, BAKERY))).toEqual([null, '4', '5']);
    });
  });
});
