import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { CodedError } from '../../../kernel/errors.js';
import { createVirtualClock } from '../../rest/support/virtual-clock.js';
import {
  BAKERY,
  createService,
  deferred,
  find,
  HOUR,
  ids,
  MINUTE,
  offer,
  POST_OFFICE,
  rows,
  UNKNOWN,
  useDirectories,
} from '../support/siret-directories.js';

describe('the SIRET directory', () => {
  const directories = useDirectories();
  const { reopen, start } = directories;
  let folder: string;

  beforeEach(() => {
    folder = directories.folder();
  });

  describe('when it is used first', () => {
    it('has cost nothing until then', async () => {
      const { service, directory } = start();
      expect(directory.state()).toBe('cold');
      expect(service.requests).toEqual({ links: 0, files: 0 });
      expect(await readdir(folder)).toEqual([]);
    });

    it('answers null and loads the export in the background, once for all who ask', async () => {
      const { service, directory } = start();
      const responses = await Promise.all([BAKERY, POST_OFFICE, UNKNOWN].map((siret) => find(directory, siret)));
      expect(responses).toEqual([null, null, null]);
      expect(directory.state()).toBe('loading');
      await directory.refreshIfDue();
      expect(directory.state()).toBe('ready');
      expect(service.requests).toEqual({ links: 1, files: 1 });
    });

    it('then knows the rows of each SIRET as the service wrote them, in its order, recruiters included', async () => {
      const { directory } = start();
      await directory.refreshIfDue();
      expect(await find(directory, BAKERY)).toEqual([rows[0], rows[3], rows[4]]);
      expect(await find(directory, POST_OFFICE)).toEqual([rows[1]]);
      expect(await find(directory, UNKNOWN)).toEqual([]);
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
      void directory.warmUp();
      service.nowMs += 1_500;
      const waiting = directory.nearlyLoaded(2_000, forGood);
      expect(await settled(waiting)).toBe(false);
      file.resolve();
      await waiting;
      expect(await find(directory, BAKERY)).toHaveLength(3);
      expect(service.requests).toEqual({ links: 1, files: 1 });
    });

    it('is not waited for when it has been going on for longer than anyone would wait', async () => {
      const { service, directory } = start();
      const file = deferred();
      service.beforeFile = () => file.promise;
      void directory.warmUp();
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
      void directory.warmUp();
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
      void directory.warmUp();
      const waiting = directory.nearlyLoaded(2_000, leaving.signal);
      leaving.abort();
      await waiting;
      expect(directory.state()).toBe('loading');
      file.resolve();
    });

    it('is not waited for when there is an older one, nor when nothing is under way', async () => {
      const { service, directory } = start();
      await directory.nearlyLoaded(2_000, forGood);
      expect(service.requests.links).toBe(0);
      await directory.refreshIfDue();
      service.nowMs += HOUR;
      const link = deferred();
      service.beforeLink = () => link.promise;
      void directory.refreshIfDue();
      await directory.nearlyLoaded(2_000, forGood);
      expect(await find(directory, BAKERY)).toHaveLength(3);
      link.resolve();
    });
  });

  describe('when time passes', () => {
    it('asks the age of the export no more than once an hour, and only when it is used', async () => {
      const { service, directory } = start();
      await directory.refreshIfDue();
      service.nowMs += HOUR - 1;
      await find(directory, BAKERY);
      expect(service.requests.links).toBe(1);
      service.nowMs += 1;
      await find(directory, BAKERY);
      await directory.refreshIfDue();
      expect(service.requests).toEqual({ links: 2, files: 1 });
    });

    it('fetches a newer export and answers from the old one until it is in', async () => {
      const { service, directory } = start();
      await directory.refreshIfDue();
      service.nowMs += HOUR;
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = JSON.stringify([offer('6', BAKERY)]);
      const arrival = deferred();
      service.beforeFile = () => arrival.promise;
      expect(ids(await find(directory, BAKERY))).toEqual(['1', '4', '5']);
      expect(directory.state()).toBe('ready');
      arrival.resolve();
      await directory.refreshIfDue();
      expect(ids(await find(directory, BAKERY))).toEqual(['6']);
      expect(await find(directory, POST_OFFICE)).toEqual([]);
      expect(await readdir(folder)).toHaveLength(1);
    });

    it('finishes what is being read when a newer export comes in', async () => {
      const { service, directory } = start();
      await directory.refreshIfDue();
      service.nowMs += HOUR;
      service.lastUpdate = '2025-06-27T01:00:00.000Z';
      service.file = JSON.stringify([offer('6', POST_OFFICE)]);
      const [found] = await Promise.all([find(directory, BAKERY), directory.refreshIfDue()]);
      expect(ids(found)).toEqual(['1', '4', '5']);
    });
  });

  describe('by itself', () => {
    it('renews each hour what was used within a day, and then waits for the next question', async () => {
      const { service, options } = createService();
      const clock = createVirtualClock();
      const directory = reopen({ ...options, clock, folder });
      await find(directory, BAKERY);
      await directory.refreshIfDue();
      for (let hour = 1; hour <= 23; hour += 1) {
        await clock.advance(HOUR);
        expect(service.requests.links).toBe(1 + hour);
      }
      await clock.advance(24 * HOUR);
      expect(service.requests.links).toBe(24);
      await find(directory, BAKERY);
      await clock.advance(HOUR);
      expect(service.requests.links).toBe(26);
      await directory.close();
      expect(clock.pending).toBe(0);
    });

    it('tries again after a failure, without a query', async () => {
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
    });
  });

  describe('when it is closed', () => {
    it('breaks off what it is loading and leaves nothing behind', async () => {
      const { service, directory } = start();
      const arrival = deferred();
      const startedAt = deferred();
      service.beforeFile = () => {
        startedAt.resolve();
        return arrival.promise;
      };
      void directory.refreshIfDue();
      await startedAt.promise;
      service.signals[0]?.addEventListener('abort', () => arrival.reject(new Error('Aborted.')));
      await directory.close();
      expect(await readdir(folder)).toEqual([]);
      expect(service.warnings).toBe(0);
    });

    it('finishes what is being read', async () => {
      const { directory } = start();
      await directory.refreshIfDue();
      const [found] = await Promise.all([find(directory, BAKERY), directory.close()]);
      expect(ids(found)).toEqual(['1', '4', '5']);
    });

    it('answers null and requests nothing any more', async () => {
      const { service, directory } = start();
      await directory.refreshIfDue();
      await directory.close();
      service.nowMs += 2 * HOUR;
      expect(await find(directory, BAKERY)).toBeNull();
      await directory.refreshIfDue();
      expect(service.requests.links).toBe(1);
    });
  });
});
