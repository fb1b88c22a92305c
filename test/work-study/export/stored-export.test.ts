import { execFile } from 'node:child_process';
import { chmod, open, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CodedError } from '../../../kernel/errors.js';
import { temporaryFolder } from '../../temporary-folder.js';
import {
  BAKERY,
  createService,
  fileIn,
  find,
  HOUR,
  ids,
  MINUTE,
  offer,
  rows,
  storedIn,
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

  it('is what another process has brought, also a newer one, without a download', async () => {
    const { service, options } = createService();
    const [one, other] = [reopen({ ...options, folder }), reopen({ ...options, folder })];
    await Promise.all([one.refreshIfDue(), other.refreshIfDue()]);
    expect(ids(await find(other, BAKERY))).toEqual(['1', '4', '5']);
    expect(service.requests.files).toBe(1);
    service.nowMs += HOUR;
    service.lastUpdate = '2025-06-27T01:00:00.000Z';
    service.file = JSON.stringify([offer('6', BAKERY)]);
    await one.refreshIfDue();
    await other.refreshIfDue();
    expect(ids(await find(other, BAKERY))).toEqual(['6']);
    expect(service.requests.files).toBe(2);
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
      const before = await storedIn(folder);
      service.nowMs += HOUR;
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = file;
      await directory.refreshIfDue();
      expect(service.warnings).toBe(1);
      expect(ids(await find(directory, BAKERY))).toEqual(['1', '4', '5']);
      expect(await storedIn(folder)).toEqual(before);
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

    it('keeps leading zeros of a SIRET', async () => {
      const siret = '00562003200013';
      const { service, directory, options } = start();
      service.file = JSON.stringify([offer('1', siret)]);
      await directory.refreshIfDue();
      await directory.close();
      expect(ids(await find(reopen({ ...options, folder }), siret))).toEqual(['1']);
    });

    const bytes = async (path: string, place: number, text: string) => {
      const handle = await open(path, 'r+');
      await handle.write(text, place);
      await handle.close();
    };

    it.each([
      ['is missing', (path: string) => rm(path), 0],
      ['is empty', (path: string) => truncate(path, 0), 1],
      ['is cut', (path: string) => truncate(path, 8192), 1],
      ['is no database', (path: string) => writeFile(path, Buffer.alloc(100, 0xff)), 1],
      ['is the database of another program', (path: string) => bytes(path, 68, 'Else'), 1],
      ['may be written by others', (path: string) => chmod(path, 0o666), 1],
      ['is a link', link, 1],
      ['is a pipe', pipe, 1],
      ['is endless', (path: string) => truncate(path, 0).then(() => truncate(path, 1e12)), 1],
    ])('tells, sets aside and fetches again an export that %s', async (_what, damage, warnings) => {
      const { service, directory, options } = start();
      await directory.refreshIfDue();
      await directory.close();
      await damage(await fileIn(folder));
      const next = reopen({ ...options, folder });
      expect(await find(next, BAKERY)).toBeNull();
      expect(service.warnings).toBe(warnings);
      await next.refreshIfDue();
      expect(service.requests.files).toBe(2);
      expect(ids(await find(next, BAKERY))).toEqual(['1', '4', '5']);
      expect(await storedIn(folder)).toHaveLength(1);
    });
  });

  describe('on disk', () => {
    it('is readable by the owner only, and holds neither link nor key', async () => {
      const place = join(folder, 'new', 'place');
      const { directory } = start(place);
      await directory.refreshIfDue();
      const file = await fileIn(place);
      for (const path of [file, place]) expect((await stat(path)).mode & 0o077).toBe(0);
      expect((await readFile(file)).includes('storage.example')).toBe(false);
    });

    it('leaves nothing where nothing may be kept', async () => {
      vi.stubEnv('TMPDIR', folder);
      onTestFinished(() => void vi.unstubAllEnvs());
      const { directory } = start(null);
      await directory.refreshIfDue();
      expect(ids(await find(directory, BAKERY))).toEqual(['1', '4', '5']);
      expect(await storedIn(folder)).toEqual([]);
    });

    it('that is damaged under its hands is set aside and fetched again', async () => {
      const { service, directory } = start();
      await directory.refreshIfDue();
      const path = await fileIn(folder);
      await writeFile(path, Buffer.alloc((await stat(path)).size, 0xff));
      expect(await find(directory, BAKERY)).toBeNull();
      expect(directory.state()).toBe('cold');
      await directory.refreshIfDue();
      expect(service.requests.files).toBe(2);
      expect(service.warnings).toBe(1);
      expect(ids(await find(directory, BAKERY))).toEqual(['1', '4', '5']);
    });

    it('has null in the place of a row that is no JSON, and only of that row', async () => {
      const { service, directory } = start();
      service.file = JSON.stringify(rows).replace('"title":"Boulanger"', '"title":Boulanger');
      await directory.refreshIfDue();
      expect(ids(await find(directory, BAKERY))).toEqual([null, '4', '5']);
    });
  });
});
