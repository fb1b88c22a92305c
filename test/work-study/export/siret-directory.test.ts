import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { CodedError } from '../../../schema/errors.js';
import { createSiretDirectory, type SiretDirectory } from '../../../subgraphs/work-study/export/siret-directory.js';
import { createVirtualClock } from '../../rest/support/virtual-clock.js';

const BAKERY = '73282932000074';
const POST_OFFICE = '35600000000048';
const UNKNOWN = '55208131766522';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const offer = (id: string, siret: string | null, partner = 'Hellowork') => ({
  identifier: { id, partner_label: partner },
  workplace: { name: 'Boulangerie "Été"', description: `"siret":"${UNKNOWN}"`, siret },
  offer: { title: 'Boulanger' },
});

const rows = [
  offer('1', BAKERY),
  offer('2', POST_OFFICE),
  offer('3', null),
  offer('4', BAKERY, 'recruteurs_lba'),
  offer('5', BAKERY),
];

/** A service with an export, as the directory sees it, and a clock that the test moves. */
function createService() {
  const service = {
    nowMs: 0,
    lastUpdate: '2025-06-26T08:28:05.000Z',
    file: JSON.stringify(rows),
    /** Reject or wait here instead of giving out the link or the file. */
    beforeLink: async () => {},
    beforeFile: async () => {},
    /** Wait here before the next piece, when so many bytes of all are sent. */
    pauseAt: async (_sent: number, _of: number) => {},
    asked: { links: 0, files: 0 },
    signals: [] as AbortSignal[],
    warnings: 0,
  };
  const options = {
    async exportLink() {
      service.asked.links++;
      await service.beforeLink();
      return { url: `https://storage.example/${service.asked.links}`, lastUpdate: service.lastUpdate };
    },
    async *download(_url: string, signal: AbortSignal, onLength?: (bytes: number) => void) {
      service.asked.files++;
      service.signals.push(signal);
      await service.beforeFile();
      const bytes = Buffer.from(service.file);
      onLength?.(bytes.length);
      for (let from = 0; from < bytes.length; from += 100) {
        await service.pauseAt(from, bytes.length);
        yield bytes.subarray(from, from + 100);
      }
    },
    shared: null,
    clock: { monotonicMs: () => service.nowMs, wallMs: () => service.nowMs, after: () => () => {} },
    log: { debug: () => {}, info: () => {}, warn: () => service.warnings++, error: () => {} },
  };
  return { service, options };
}

function deferred() {
  let resolve = () => {};
  let reject = (_reason: Error) => {};
  const promise = new Promise<void>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  return { promise, resolve, reject };
}

const ids = (found: readonly unknown[] | null) => found?.map((row) => (row as (typeof rows)[0]).identifier.id) ?? null;

describe('the SIRET directory', () => {
  let folder: string;
  const open: SiretDirectory[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'passerelle-test-'));
  });

  afterEach(async () => {
    for (const directory of open.splice(0)) await directory.close();
    await rm(folder, { recursive: true, force: true });
  });

  function start(place: string | null = folder) {
    const { service, options } = createService();
    return { service, directory: reopen({ ...options, folder: place }), options };
  }

  function reopen(options: Parameters<typeof createSiretDirectory>[0]): SiretDirectory {
    const directory = createSiretDirectory(options);
    open.push(directory);
    return directory;
  }

  describe('when it is used first', () => {
    it('has cost nothing until then', async () => {
      const { service, directory } = start();
      expect(directory.state()).toBe('cold');
      expect(service.asked).toEqual({ links: 0, files: 0 });
      expect(await readdir(folder)).toEqual([]);
    });

    it('answers null and loads the export in the background, once for all who ask', async () => {
      const { service, directory } = start();
      const answers = await Promise.all([BAKERY, POST_OFFICE, UNKNOWN].map((siret) => directory.find(siret)));
      expect(answers).toEqual([null, null, null]);
      expect(directory.state()).toBe('loading');
      await directory.start();
      expect(directory.state()).toBe('ready');
      expect(service.asked).toEqual({ links: 1, files: 1 });
    });

    it('then knows the rows of each SIRET as the service wrote them, in its order, recruiters included', async () => {
      const { directory } = start();
      await directory.start();
      expect(await directory.find(BAKERY)).toEqual([rows[0], rows[3], rows[4]]);
      expect(await directory.find(POST_OFFICE)).toEqual([rows[1]]);
      expect(await directory.find(UNKNOWN)).toEqual([]);
    });
  });

  describe('while it is loading', () => {
    const forGood = new AbortController().signal;
    const settled = async (waiting: Promise<void>) => {
      let done = false;
      void waiting.then(() => {
        done = true;
      });
      await new Promise((resolve) => setImmediate(resolve));
      return done;
    };

    it('begins before anyone asks, and is waited for by those who ask soon after', async () => {
      const { service, directory } = start();
      const file = deferred();
      service.beforeFile = () => file.promise;
      directory.begin();
      service.nowMs += 1_500;
      const waiting = directory.nearlyLoaded(2_000, forGood);
      expect(await settled(waiting)).toBe(false);
      file.resolve();
      await waiting;
      expect(await directory.find(BAKERY)).toHaveLength(3);
      expect(service.asked).toEqual({ links: 1, files: 1 });
    });

    it('is not waited for when it has been going on for longer than anyone would wait', async () => {
      const { service, directory } = start();
      const file = deferred();
      service.beforeFile = () => file.promise;
      directory.begin();
      service.nowMs += 2_001;
      expect(await settled(directory.nearlyLoaded(2_000, forGood))).toBe(true);
      expect(directory.state()).toBe('loading');
      file.resolve();
    });

    it('is waited for at its end, however long it took, where the length of the file is known', async () => {
      const { service, directory } = start();
      const [half, end] = [deferred(), deferred()];
      service.pauseAt = async (sent, of) => {
        if (sent * 2 > of) half.resolve();
        if (sent * 2 > of) await end.promise;
      };
      directory.begin();
      service.nowMs += 10_000;
      await half.promise;
      expect(await settled(directory.nearlyLoaded(2_000, forGood))).toBe(true);
      const waiting = directory.nearlyLoaded(10_000, forGood);
      expect(await settled(waiting)).toBe(false);
      end.resolve();
      await waiting;
      expect(directory.state()).toBe('ready');
    });

    it('is waited for no longer than the caller stays', async () => {
      const { service, directory } = start();
      const file = deferred();
      service.beforeFile = () => file.promise;
      const leaving = new AbortController();
      directory.begin();
      const waiting = directory.nearlyLoaded(2_000, leaving.signal);
      leaving.abort();
      await waiting;
      expect(directory.state()).toBe('loading');
      file.resolve();
    });

    it('is not waited for when there is an older one, nor when nothing is under way', async () => {
      const { service, directory } = start();
      await directory.nearlyLoaded(2_000, forGood);
      expect(service.asked.links).toBe(0);
      await directory.start();
      service.nowMs += HOUR;
      const link = deferred();
      service.beforeLink = () => link.promise;
      void directory.start();
      await directory.nearlyLoaded(2_000, forGood);
      expect(await directory.find(BAKERY)).toHaveLength(3);
      link.resolve();
    });
  });

  describe('when time passes', () => {
    it('asks the age of the export no more than once an hour, and only when it is used', async () => {
      const { service, directory } = start();
      await directory.start();
      service.nowMs += HOUR - 1;
      await directory.find(BAKERY);
      expect(service.asked.links).toBe(1);
      service.nowMs += 1;
      await directory.find(BAKERY);
      await directory.start();
      expect(service.asked).toEqual({ links: 2, files: 1 });
    });

    it('fetches a newer export and answers from the old one until it is in', async () => {
      const { service, directory } = start();
      await directory.start();
      service.nowMs += HOUR;
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = JSON.stringify([offer('6', BAKERY)]);
      const arrival = deferred();
      service.beforeFile = () => arrival.promise;
      expect(ids(await directory.find(BAKERY))).toEqual(['1', '4', '5']);
      expect(directory.state()).toBe('ready');
      arrival.resolve();
      await directory.start();
      expect(ids(await directory.find(BAKERY))).toEqual(['6']);
      expect(await directory.find(POST_OFFICE)).toEqual([]);
      expect((await readdir(folder)).filter((name) => name.endsWith('.json'))).toHaveLength(1);
    });

    it('finishes what is being read when a newer export comes in', async () => {
      const { service, directory } = start();
      await directory.start();
      service.nowMs += HOUR;
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = JSON.stringify([]);
      const [found] = await Promise.all([directory.find(BAKERY), directory.start()]);
      expect(ids(found)).toEqual(['1', '4', '5']);
    });
  });

  describe('by itself', () => {
    it('renews each hour what was used within a day, and then waits for the next question', async () => {
      const { service, options } = createService();
      const clock = createVirtualClock();
      const directory = reopen({ ...options, clock, folder });
      await directory.find(BAKERY);
      await directory.start();
      for (let hour = 1; hour <= 23; hour += 1) {
        await clock.advance(HOUR);
        expect(service.asked.links).toBe(1 + hour);
      }
      await clock.advance(24 * HOUR);
      expect(service.asked.links).toBe(24);
      await directory.find(BAKERY);
      await clock.advance(HOUR);
      expect(service.asked.links).toBe(26);
      await directory.close();
      expect(clock.pending).toBe(0);
    });

    it('tries again after a failure, without a question', async () => {
      const { service, options } = createService();
      const clock = createVirtualClock();
      const directory = reopen({ ...options, clock, folder });
      service.beforeLink = () => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'Down.'));
      await directory.find(BAKERY);
      await directory.start();
      service.beforeLink = async () => {};
      await clock.advance(MINUTE);
      await directory.start();
      expect(directory.state()).toBe('ready');
    });
  });

  describe('shared with others', () => {
    const inTurn = (work: () => Promise<void>) => work();

    /** What each of them is told by the others. */
    function createShared() {
      const dates = new Map<string, string>();
      const store: TextStore = {
        get: async (key) => dates.get(key),
        set: async (key, text) => void dates.set(key, text),
        delete: async (key) => void dates.delete(key),
        close: async () => {},
      };
      return { dates, shared: { inTurn, store, key: 'work-study:export-date' } };
    }

    it('asks for no date that somebody was told within the hour', async () => {
      const { service, options } = createService();
      const { dates, shared } = createShared();
      const [one, other] = [reopen({ ...options, folder, shared }), reopen({ ...options, folder, shared })];
      await one.start();
      await other.start();
      expect(ids(await other.find(BAKERY))).toEqual(['1', '4', '5']);
      expect(service.asked).toEqual({ links: 1, files: 1 });
      dates.clear();
      service.nowMs += HOUR;
      await other.start();
      await one.start();
      expect(service.asked).toEqual({ links: 2, files: 1 });
    });

    it('takes up what a replica has brought meanwhile, also when nobody knows its date any more', async () => {
      const { service, options } = createService();
      const { dates, shared } = createShared();
      const other = reopen({ ...options, folder, shared });
      await other.start();
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = JSON.stringify([offer('6', BAKERY)]);
      dates.clear();
      await reopen({ ...options, folder, shared }).start();
      dates.clear();
      service.nowMs += HOUR;
      await other.start();
      expect(ids(await other.find(BAKERY))).toEqual(['6']);
      expect(service.asked).toEqual({ links: 3, files: 2 });
    });

    it('downloads itself what others were told of and have not brought', async () => {
      const { service, options } = createService();
      const { dates, shared } = createShared();
      dates.set(shared.key, service.lastUpdate);
      const directory = reopen({ ...options, folder, shared });
      await directory.start();
      expect(ids(await directory.find(BAKERY))).toEqual(['1', '4', '5']);
      expect(service.asked).toEqual({ links: 1, files: 1 });
    });

    it('puts no older export in the place of a newer', async () => {
      const { service: late, options: slow } = createService();
      const arrival = deferred();
      late.beforeFile = () => arrival.promise;
      const slower = reopen({ ...slow, folder });
      const finished = slower.start();
      const { service, options } = createService();
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = JSON.stringify([offer('6', BAKERY)]);
      await reopen({ ...options, folder }).start();
      arrival.resolve();
      await finished;
      expect(ids(await slower.find(BAKERY))).toEqual(['1', '4', '5']);
      expect(ids(await reopen({ ...options, folder }).find(BAKERY))).toEqual(['6']);
      expect(await readdir(folder)).toHaveLength(2);
    });
  });

  describe('when the export fails', () => {
    it.each([
      ['is cut', JSON.stringify(rows).slice(0, -1)],
      ['is an error page', '<html>[]</html>'],
      ['is empty', ''],
    ])('keeps the old one if the new %s, and leaves nothing behind', async (_what, file) => {
      const { service, directory } = start();
      await directory.start();
      const before = await readdir(folder);
      service.nowMs += HOUR;
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = file;
      await directory.start();
      expect(service.warnings).toBe(1);
      expect(ids(await directory.find(BAKERY))).toEqual(['1', '4', '5']);
      expect(await readdir(folder)).toEqual(before);
    });

    it('waits a minute before it tries again, then twice as long each time, an hour at most', async () => {
      const { service, directory } = start();
      service.beforeLink = () => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'Down.'));
      await directory.start();
      expect(directory.state()).toBe('cold');
      for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
        const { links } = service.asked;
        service.nowMs += minutes * MINUTE - 1;
        await directory.start();
        expect(service.asked.links, `before ${minutes} minutes`).toBe(links);
        service.nowMs += 1;
        await directory.start();
        expect(service.asked.links, `after ${minutes} minutes`).toBe(links + 1);
      }
    });

    it('is patient again after a success', async () => {
      const { service, directory } = start();
      const down = () => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'Down.'));
      for (const beforeLink of [down, down, async () => {}, down]) {
        service.beforeLink = beforeLink;
        await directory.start();
        service.nowMs += HOUR;
      }
      service.nowMs += MINUTE - HOUR;
      service.beforeLink = async () => {};
      await directory.start();
      expect(service.asked.links).toBe(5);
    });

    it('waits as long as the service says', async () => {
      const { service, directory } = start();
      service.beforeLink = () => Promise.reject(new CodedError('RATE_LIMITED', 'Wait.', { retryAfterSeconds: 300 }));
      await directory.start();
      service.nowMs += 299_999;
      await directory.start();
      expect(service.asked.links).toBe(1);
      service.nowMs += 1;
      service.beforeLink = async () => {};
      await directory.start();
      expect(directory.state()).toBe('ready');
    });

    it('asks for a new link with each try, because a link dies after two minutes', async () => {
      const { service, directory } = start();
      service.beforeFile = () => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'Expired.'));
      await directory.start();
      service.beforeFile = async () => {};
      service.nowMs += MINUTE;
      await directory.start();
      expect(service.asked).toEqual({ links: 2, files: 2 });
      expect(directory.state()).toBe('ready');
    });

    it.each(['SOURCE_OFF', 'PERMISSION_DENIED', 'CREDENTIALS_REJECTED', 'CREDENTIALS_REQUIRED'] as const)(
      'is refused by %s, and asks again after an hour',
      async (code) => {
        const { service, directory } = start();
        service.beforeLink = () => Promise.reject(new CodedError(code, 'No.'));
        await directory.start();
        expect(directory.state()).toBe('refused');
        expect(await directory.find(BAKERY)).toBeNull();
        service.nowMs += HOUR - 1;
        await directory.find(BAKERY);
        expect(service.asked.links).toBe(1);
        service.nowMs += 1;
        service.beforeLink = async () => {};
        await directory.start();
        expect(directory.state()).toBe('ready');
      },
    );
  });

  describe('after a restart', () => {
    it('WS-93 answers from the file of before and downloads nothing as long as it is the latest', async () => {
      const { service, directory, options } = start();
      await directory.start();
      await directory.close();
      const next = reopen({ ...options, folder });
      expect(ids(await next.find(BAKERY))).toEqual(['1', '4', '5']);
      expect(await next.find(UNKNOWN)).toEqual([]);
      await next.start();
      expect(service.asked).toEqual({ links: 2, files: 1 });
    });

    it('keeps leading zeros of a SIRET', async () => {
      const siret = '00562003200013';
      const { service, directory, options } = start();
      service.file = JSON.stringify([offer('1', siret)]);
      await directory.start();
      await directory.close();
      expect(ids(await reopen({ ...options, folder }).find(siret))).toEqual(['1']);
    });

    it.each([
      ['the index is missing', (files: Files) => rm(files.index)],
      ['the index is cut', async (files: Files) => truncate(files.index, (await stat(files.index)).size - 1)],
      ['the index is of another layout', (files: Files) => writeFile(files.index, '{"layout":"later"}\n')],
      ['the index is no text', (files: Files) => writeFile(files.index, Buffer.alloc(100, 0xff))],
      ['the export is missing', (files: Files) => rm(files.export)],
      ['the export is cut', (files: Files) => truncate(files.export, 10)],
    ])('fetches the export again if %s', async (_what, damage) => {
      const { service, directory, options } = start();
      await directory.start();
      await directory.close();
      await damage(await filesIn(folder));
      const next = reopen({ ...options, folder });
      expect(await next.find(BAKERY)).toBeNull();
      await next.start();
      expect(service.asked.files).toBe(2);
      expect(ids(await next.find(BAKERY))).toEqual(['1', '4', '5']);
      expect(await readdir(folder)).toHaveLength(2);
    });
  });

  describe('on disk', () => {
    it('is readable by the owner only', async () => {
      const { directory } = start(join(folder, 'new', 'place'));
      await directory.start();
      const files = await filesIn(join(folder, 'new', 'place'));
      for (const file of Object.values(files)) expect((await stat(file)).mode & 0o077).toBe(0);
      expect((await stat(join(folder, 'new', 'place'))).mode & 0o077).toBe(0);
    });

    it('holds neither link nor key', async () => {
      const { directory } = start();
      await directory.start();
      for (const file of Object.values(await filesIn(folder))) {
        expect((await readFile(file)).includes('storage.example')).toBe(false);
      }
    });

    it('leaves nothing where nothing may be kept', async () => {
      const before = process.env['TMPDIR'];
      process.env['TMPDIR'] = folder;
      try {
        const { directory } = start(null);
        await directory.start();
        expect(ids(await directory.find(BAKERY))).toEqual(['1', '4', '5']);
        expect(await readdir(folder)).toEqual([]);
      } finally {
        if (before === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = before;
      }
    });

    it('that is cut under its hands is given up and fetched again', async () => {
      const { service, directory } = start();
      await directory.start();
      await truncate((await filesIn(folder)).export, 10);
      expect(await directory.find(BAKERY)).toBeNull();
      expect(directory.state()).toBe('cold');
      await directory.start();
      expect(service.asked.files).toBe(2);
      expect(ids(await directory.find(BAKERY))).toEqual(['1', '4', '5']);
    });

    it('is read once for a SIRET that is asked for again', async () => {
      const { service, directory } = start();
      await directory.start();
      const first = await directory.find(BAKERY);
      await truncate((await filesIn(folder)).export, 10);
      expect(await directory.find(BAKERY)).toBe(first);
      expect(service.asked.files).toBe(1);
    });

    it('leaves out a row that is no JSON, and only that row', async () => {
      const { service, directory } = start();
      service.file = JSON.stringify(rows).replace('"title":"Boulanger"', '"title":Boulanger');
      await directory.start();
      expect(ids(await directory.find(BAKERY))).toEqual(['4', '5']);
    });
  });

  describe('when it is closed', () => {
    it('breaks off what it is loading and leaves nothing behind', async () => {
      const { service, directory } = start();
      const arrival = deferred();
      const began = deferred();
      service.beforeFile = () => {
        began.resolve();
        return arrival.promise;
      };
      void directory.start();
      await began.promise;
      service.signals[0]?.addEventListener('abort', () => arrival.reject(new Error('Aborted.')));
      await directory.close();
      expect(await readdir(folder)).toEqual([]);
      expect(service.warnings).toBe(0);
    });

    it('finishes what is being read', async () => {
      const { directory } = start();
      await directory.start();
      const [found] = await Promise.all([directory.find(BAKERY), directory.close()]);
      expect(ids(found)).toEqual(['1', '4', '5']);
    });

    it('answers null and asks nothing any more', async () => {
      const { service, directory } = start();
      await directory.start();
      await directory.close();
      service.nowMs += 2 * HOUR;
      expect(await directory.find(BAKERY)).toBeNull();
      await directory.start();
      expect(service.asked.links).toBe(1);
    });
  });
});

interface Files {
  readonly export: string;
  readonly index: string;
}

async function filesIn(folder: string): Promise<Files> {
  const names = await readdir(folder);
  const path = (end: string) => join(folder, names.find((name) => name.endsWith(end)) ?? '');
  return { export: path('.json'), index: path('.index') };
}
