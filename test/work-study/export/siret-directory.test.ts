import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CodedError } from '../../../kernel/errors.js';
import { POLLING } from '../../polling.js';
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
  storedIn,
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
      expect(await storedIn(folder)).toEqual([]);
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

  it('answers the first question from the export of an earlier run, whatever is loading', async () => {
    const { service, options, directory } = start();
    await directory.refreshIfDue();
    await directory.close();
    const link = deferred();
    service.beforeLink = () => link.promise;
    const next = reopen({ ...options, folder });
    void next.warmUp();
    expect(await find(next, BAKERY)).toHaveLength(3);
    link.resolve();
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
      expect(await storedIn(folder)).toHaveLength(1);
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
        await vi.waitFor(() => expect(service.requests.links).toBe(1 + hour), POLLING);
        await directory.refreshIfDue();
      }
      await clock.advance(24 * HOUR);
      expect(service.requests.links).toBe(24);
      await find(directory, BAKERY);
      await directory.refreshIfDue();
      await clock.advance(HOUR);
      await vi.waitFor(() => expect(service.requests.links).toBe(26), POLLING);
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
      expect(await storedIn(folder)).toEqual([]);
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
