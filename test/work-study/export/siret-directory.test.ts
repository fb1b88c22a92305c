import { execFile } from 'node:child_process';
import { chmod, open, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CodedError } from '../../../kernel/errors.js';
import { listRows } from '../../../subgraphs/work-study/export/answers.js';
import { JobOffer } from '../../../subgraphs/work-study/jobs/shapes.js';
import { POLLING } from '../../polling.js';
import { createVirtualClock } from '../../rest/support/virtual-clock.js';
import { operationFor } from '../../subgraph-harness.js';
import { temporaryFolder } from '../../temporary-folder.js';
import {
  askedOf,
  BAKERY,
  createService,
  deferred,
  fileIn,
  find,
  HOUR,
  ids,
  MINUTE,
  offer,
  openExport,
  POST_OFFICE,
  rows,
  storedIn,
  UNKNOWN,
  useDirectories,
} from '../support/siret-directories.js';

const DAY = 24 * HOUR;
const NEXT_DAY = '2025-06-27T01:00:00.000Z';

/** Offers of the bakery with these identifiers, the last the newest. */
const offers = (...wanted: string[]) =>
  wanted.map((id, place) => ({
    identifier: { id, partner_job_id: null, partner_label: 'Hellowork' },
    workplace: { name: 'Boulangerie', siret: BAKERY, location: { address: '1 rue du Four 44000 Nantes' } },
    offer: {
      title: `Boulanger ${id}`,
      status: 'Active',
      publication: { creation: new Date(place * DAY).toISOString() },
    },
  }));
const numbered = (count: number) => offers(...Array.from({ length: count }, (_, place) => String(place)));

describe('The export', () => {
  const directories = useDirectories();
  const { reopen, start } = directories;
  let folder: string;
  beforeEach(() => {
    folder = directories.folder();
  });

  describe('while a process runs', () => {
    it('costs nothing until it is asked for, then loads in the background, once for all, and has all rows of a SIRET', async () => {
      const { service, directory } = start();
      expect([directory.state(), await storedIn(folder)]).toEqual(['cold', []]);
      expect(service.requests).toEqual({ links: 0, files: 0 });
      const early = await Promise.all([BAKERY, POST_OFFICE, UNKNOWN].map((siret) => find(directory, siret)));
      expect([early, directory.state()]).toEqual([[null, null, null], 'loading']);
      await directory.refreshIfDue();
      expect(directory.state()).toBe('ready');
      expect(service.requests).toEqual({ links: 1, files: 1 });
      const found = await directory.findAll([BAKERY, POST_OFFICE, UNKNOWN], operationFor({}));
      expect(found).toEqual([[rows[0], rows[3], rows[4]], [rows[1]], []]);
      expect(await find(directory, BAKERY)).toEqual(found[0]);
    });

    it('is asked for its age once an hour, when it is used; a newer one replaces it as a whole, and its cursors say so', async () => {
      const { service, directory } = start();
      const { offers: list, idsOf } = askedOf(directory);
      service.file = JSON.stringify(offers('1', '2', '3'));
      await directory.refreshIfDue();
      const { pageInfo } = await list({ first: 1 });
      service.nowMs += HOUR - 1;
      await find(directory, BAKERY);
      expect(service.requests).toEqual({ links: 1, files: 1 });
      service.nowMs += 1;
      service.lastUpdate = NEXT_DAY;
      service.file = JSON.stringify([...offers('4', '5'), offer('6', BAKERY)]);
      const arrival = deferred();
      service.beforeFile = () => arrival.promise;
      expect(ids(await find(directory, BAKERY))).toEqual(['1', '2', '3']);
      expect(directory.state()).toBe('ready');
      arrival.resolve();
      // What is being read when it comes in is finished.
      const [found] = await Promise.all([find(directory, BAKERY), directory.refreshIfDue()]);
      expect(ids(found)).toEqual(['1', '2', '3']);
      const recent = () => ids(directory.recent(BAKERY, operationFor({})) ?? null);
      expect(recent()).toBeNull();
      expect(ids(await find(directory, BAKERY))).toEqual(['4', '5', '6']);
      expect(recent()).toEqual(['4', '5', '6']);
      expect(await idsOf({})).toEqual(['5', '4']);
      const expired = { extensions: { code: 'CURSOR_EXPIRED' } };
      await expect(list({ first: 1, after: pageInfo.endCursor() })).rejects.toMatchObject(expired);
      const ofEngineBefore = Buffer.from(JSON.stringify([NEXT_DAY, 0, 1, 1, 'digest'])).toString('base64url');
      await expect(list({ first: 1, after: ofEngineBefore })).rejects.toMatchObject(expired);
      expect(await storedIn(folder)).toHaveLength(1);
    });

    it('is renewed each hour while it was used within a day, and tried again after a failure, without a query', async () => {
      const { service, options } = createService();
      const clock = createVirtualClock();
      const directory = reopen({ ...options, clock, folder });
      service.beforeLink = () => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'Down.'));
      await find(directory, BAKERY);
      await directory.refreshIfDue();
      service.beforeLink = async () => {};
      await clock.advance(MINUTE);
      await directory.refreshIfDue();
      expect(directory.state()).toBe('ready');
      for (let hour = 1; hour <= 23; hour += 1) {
        await clock.advance(HOUR);
        await vi.waitFor(() => expect(service.requests.links).toBe(2 + hour), POLLING);
        await directory.refreshIfDue();
      }
      await clock.advance(DAY);
      expect(service.requests.links).toBe(25);
      await find(directory, BAKERY);
      await directory.refreshIfDue();
      await clock.advance(HOUR);
      await vi.waitFor(() => expect(service.requests.links).toBe(27), POLLING);
      await directory.close();
      expect(clock.pending).toBe(0);
    });

    it('is what another process has brought, also a newer one, without a download', async () => {
      const { service, options } = createService();
      const [one, other] = [reopen({ ...options, folder }), reopen({ ...options, folder })];
      await Promise.all([one.refreshIfDue(), other.refreshIfDue()]);
      expect(ids(await find(other, BAKERY))).toEqual(['1', '4', '5']);
      expect(service.requests.files).toBe(1);
      service.nowMs += HOUR;
      service.lastUpdate = NEXT_DAY;
      service.file = JSON.stringify([offer('6', BAKERY)]);
      await one.refreshIfDue();
      await other.refreshIfDue();
      expect(ids(await find(other, BAKERY))).toEqual(['6']);
      expect(service.requests.files).toBe(2);
    });

    it('that is loading when the process ends leaves nothing; what is being read is finished, then nothing is requested', async () => {
      const { service, directory, options } = start();
      const [arrival, startedAt] = [deferred(), deferred()];
      service.beforeFile = () => {
        startedAt.resolve();
        return arrival.promise;
      };
      void directory.refreshIfDue();
      await startedAt.promise;
      service.signals[0]?.addEventListener('abort', () => arrival.reject(new Error('Aborted.')));
      await directory.close();
      expect([await storedIn(folder), service.warnings]).toEqual([[], 0]);
      service.beforeFile = async () => {};
      const next = reopen({ ...options, folder });
      await next.refreshIfDue();
      const [found] = await Promise.all([find(next, BAKERY), next.close()]);
      expect(ids(found)).toEqual(['1', '4', '5']);
      service.nowMs += 2 * HOUR;
      expect(await find(next, BAKERY)).toBeNull();
      await next.refreshIfDue();
      expect(service.requests.links).toBe(2);
    });
  });

  describe('that fails', () => {
    it.each([
      ['is cut', JSON.stringify(rows).slice(0, -1)],
      ['is an error page', '<html>[]</html>'],
      ['is empty', ''],
      ['has no rows', '[]'],
      ['writes SIRETs as numbers', JSON.stringify(rows).replace(/"(\d{14})"/g, '$1')],
      ['has a SIRET in fewer than half of its rows', JSON.stringify([rows[0], rows[2], rows[2]])],
    ])('keeps the old one if it %s, and leaves nothing behind', async (_what, file) => {
      const { service, directory } = start();
      await directory.refreshIfDue();
      const before = await storedIn(folder);
      service.nowMs += HOUR;
      service.lastUpdate = NEXT_DAY;
      service.file = file;
      await directory.refreshIfDue();
      expect([service.warnings, ids(await find(directory, BAKERY))]).toEqual([1, ['1', '4', '5']]);
      expect(await storedIn(folder)).toEqual(before);
    });

    it('keeps the old one for three days if it has less than half of its rows', async () => {
      const { service, directory } = start();
      const { idsOf, offers: list } = askedOf(directory);
      service.file = JSON.stringify(numbered(100));
      await directory.refreshIfDue();
      service.file = JSON.stringify([offers('4')[0], rows[2]]);
      service.lastUpdate = NEXT_DAY;
      for (let hour = 0; hour < 3; hour++) {
        service.nowMs += 2 * HOUR;
        await directory.refreshIfDue();
      }
      expect([(await list({})).totalCount, service.requests.files]).toEqual([100, 2]);
      service.lastUpdate = '2025-06-30T08:28:05.000Z';
      service.nowMs += 4 * DAY;
      await directory.refreshIfDue();
      expect(await idsOf({})).toEqual(['4']);
    });

    it('is tried again after a minute, then twice as long each time, an hour at most, and as late as the service says', async () => {
      const { service, directory } = start();
      const triesAfter = async (ms: number) => {
        const { links } = service.requests;
        service.nowMs += ms - 1;
        await directory.refreshIfDue();
        expect(service.requests.links, `before ${ms} ms`).toBe(links);
        service.nowMs += 1;
        await directory.refreshIfDue();
        expect(service.requests.links, `after ${ms} ms`).toBe(links + 1);
      };
      service.beforeLink = () => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'Down.'));
      await directory.refreshIfDue();
      await expect(askedOf(directory).offers({})).rejects.toMatchObject({
        extensions: { code: 'GATEWAY_UNAVAILABLE', retryAfterSeconds: 60 },
      });
      for (const minutes of [1, 2, 4, 8, 16, 32, 60]) await triesAfter(minutes * MINUTE);
      service.beforeLink = async () => {};
      // A link dies after two minutes: each try requests a new one.
      service.beforeFile = () => Promise.reject(new CodedError('RATE_LIMITED', 'Wait.', { retryAfterSeconds: 3000 }));
      await triesAfter(60 * MINUTE);
      service.beforeFile = async () => {};
      await triesAfter(60 * MINUTE);
      expect(directory.state()).toBe('ready');
      service.beforeLink = () => Promise.reject(new CodedError('RATE_LIMITED', 'Wait.', { retryAfterSeconds: 300 }));
      await triesAfter(HOUR);
      await triesAfter(5 * MINUTE);
    });

    it.each(['SOURCE_OFF', 'PERMISSION_DENIED', 'CREDENTIALS_REJECTED', 'CREDENTIALS_REQUIRED'] as const)(
      'is refused by %s, and asked for again after an hour',
      async (code) => {
        const { service, directory } = start();
        service.beforeLink = () => Promise.reject(new CodedError(code, 'No.'));
        await directory.refreshIfDue();
        expect([directory.state(), await find(directory, BAKERY)]).toEqual(['refused', null]);
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

  describe('on disk', () => {
    it('WS-93 answers the first question of the next run, whatever is loading, and is not downloaded while it is the latest', async () => {
      const { service, directory, options } = start();
      const siret = '00562003200013';
      service.file = JSON.stringify([...offers('1', '2'), offer('3', siret)]);
      await directory.refreshIfDue();
      await directory.close();
      const before = await storedIn(folder);
      const link = deferred();
      service.beforeLink = () => link.promise;
      const next = reopen({ ...options, folder });
      void next.warmUp();
      expect(ids(await find(next, BAKERY))).toEqual(['1', '2']);
      expect(ids(await find(next, siret))).toEqual(['3']);
      expect(await find(next, UNKNOWN)).toEqual([]);
      expect(await askedOf(next).idsOf({})).toEqual(['2', '1']);
      link.resolve();
      await next.refreshIfDue();
      expect([service.requests, await storedIn(folder)]).toEqual([{ links: 2, files: 1 }, before]);
    });

    async function link(path: string): Promise<void> {
      const elsewhere = join(temporaryFolder(), 'elsewhere');
      await rename(path, elsewhere);
      await symlink(elsewhere, path);
    }

    const pipe = (path: string) => rm(path).then(() => promisify(execFile)('mkfifo', [path]));

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
    ])('is told, set aside and fetched again if it %s', async (_what, damage, warnings) => {
      const { service, directory, options } = start();
      await directory.refreshIfDue();
      await directory.close();
      await damage(await fileIn(folder));
      const next = reopen({ ...options, folder });
      expect(await find(next, BAKERY)).toBeNull();
      expect(service.warnings).toBe(warnings);
      await next.refreshIfDue();
      expect([service.requests.files, ids(await find(next, BAKERY))]).toEqual([2, ['1', '4', '5']]);
      expect(await storedIn(folder)).toHaveLength(1);
    });

    it('is readable by the owner only, holds no link, and is set aside when it is damaged under our hands', async () => {
      const place = join(folder, 'new', 'place');
      const { service, directory } = start(place);
      await directory.refreshIfDue();
      const path = await fileIn(place);
      for (const one of [path, place]) expect((await stat(one)).mode & 0o077).toBe(0);
      expect((await readFile(path)).includes('storage.example')).toBe(false);
      await writeFile(path, Buffer.alloc((await stat(path)).size, 0xff));
      expect([await find(directory, BAKERY), directory.state()]).toEqual([null, 'cold']);
      await directory.refreshIfDue();
      expect([service.requests.files, service.warnings]).toEqual([2, 1]);
      expect(ids(await find(directory, BAKERY))).toEqual(['1', '4', '5']);
    });

    it('leaves nothing where nothing may be kept, and is asked all the same', async () => {
      vi.stubEnv('TMPDIR', folder);
      onTestFinished(() => void vi.unstubAllEnvs());
      const { service, directory } = start(null);
      service.file = JSON.stringify(offers('1', '2'));
      await directory.refreshIfDue();
      expect(await askedOf(directory).idsOf({ text: 'BOULANGÉR 2', insee: ['44109'] })).toEqual(['2']);
      expect(await storedIn(folder)).toEqual([]);
    });
  });

  describe('with odd rows', () => {
    it('has null for one that is no JSON or has more than 64 kB, and is not complete', async () => {
      const [one, long, other] = offers('1', '2', '3');
      const text = JSON.stringify([one, { ...long, more: 'x'.repeat(64 * 1024) }, other, ...offers('4')]);
      const asked = await openExport(text.replace('"title":"Boulanger 4"', '"title":Boulanger'));
      expect(await asked.offers({})).toMatchObject({ totalCount: 2, complete: false });
      expect(ids(await find(asked.directory, BAKERY))).toEqual(['1', null, '3', null]);
      await asked.directory.close();
    });

    it('is refused to a request that would read more than 32 MB of it, which may still read other rows', async () => {
      const asked = await openExport([...numbered(11_000), offer('other', POST_OFFICE)]);
      const [bakery, office] = await asked.directory.findAll([BAKERY, POST_OFFICE], operationFor({}));
      expect(bakery).toMatchObject({ extensions: { code: 'COST_EXCEEDED' } });
      expect(ids(office as readonly unknown[])).toEqual(['other']);
      const read = (request: object) =>
        listRows(
          { ...asked.from(), operation: operationFor({ request }) },
          { first: 1000 },
          { kind: 'OFFER', shape: JobOffer, list: 'offers' },
        );
      const request = {};
      for (let pages = 0; pages < 10; pages++) expect((await read(request)).nodes).toHaveLength(1000);
      await expect(read(request)).rejects.toMatchObject({ extensions: { code: 'COST_EXCEEDED' } });
      expect((await read({})).nodes).toHaveLength(1000);
      await asked.directory.close();
    });

    it('is read no further once whoever asked has left', async () => {
      const { directory } = await openExport(numbered(500));
      const leaving = new AbortController();
      const reading = directory.findAll([BAKERY], operationFor({ signal: leaving.signal }));
      leaving.abort(new Error('left'));
      await expect(reading).rejects.toThrow('left');
      expect(await find(directory, BAKERY)).toHaveLength(500);
      await directory.close();
    });

    it('is asked for two hundred labels that are like none of hundreds', async () => {
      const partners = numbered(400).map((row, place) => ({
        ...row,
        identifier: { ...row.identifier, partner_label: `Partenaire ${place}` },
      }));
      const asked = await openExport(partners);
      const labels = Array.from({ length: 200 }, (_, place) => `${place} mmmmmmmmmmmm`);
      expect(await asked.offers({ partner: labels })).toMatchObject({ totalCount: 0 });
      const near = asked.offers({ partner: [...labels.slice(1), 'partenaire-40x'] });
      await expect(near).rejects.toThrow('where.partner has a label that the export does not have');
      await asked.directory.close();
    });

    it('has labels of 200 characters and 20 codes a row at most, which counts as drift', async () => {
      const { service, directory } = start();
      const { idsOf } = askedOf(directory);
      const [one, other] = offers('1', '2');
      const romes = Array.from({ length: 400 }, (_, place) => `M${1000 + place}`);
      const identifier = { id: '2', partner_label: 'x'.repeat(3000) };
      service.file = JSON.stringify([one, { ...other, identifier, offer: { ...other?.offer, rome_codes: romes } }]);
      await directory.refreshIfDue();
      expect([await idsOf({ rome: ['M1019'] }), await idsOf({ rome: ['M1020'] })]).toEqual([['2'], []]);
      expect(await idsOf({ partner: ['x'.repeat(200)] })).toEqual(['2']);
      expect(service.drifts).toEqual(['JobOffer export[]']);
    });
  });
});
