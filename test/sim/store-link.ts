import { FAILURES_UNTIL_AWAY } from '../../runtime/stores/redis.js';
import type { TextStore } from '../../runtime/stores/text-store.js';
import type { QuotaLog } from '../../subgraphs/rest/ports/quota-log.js';
import type { Chance } from '../chance.js';
import type { Process, Scheduler } from './scheduler.js';
import type { SharedStore } from './shared-store.js';

/** Time limits of a command, and pauses between pings while the store is away: as in runtime/stores/redis.ts. */
const COMMAND_MS = 50;
const IN_DOUBT_MS = 5;
const PAUSES_MS = [1000, 2000, 4000, 5000] as const;

/** One replica's connection to the store, with the rules of `runtime/stores/redis.ts`, whose timers are real. */
export function connectStore(options: {
  readonly store: SharedStore;
  readonly process: Process;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
}): { readonly quota: QuotaLog; readonly texts: TextStore } {
  const { store, process, scheduler, chance } = options;
  let reachable = true;
  let failures = 0;
  let pauses = 0;

  function alive(): void {
    failures = 0;
    pauses = 0;
    reachable = true;
  }

  function failed(): void {
    failures += 1;
    if (failures < FAILURES_UNTIL_AWAY || !reachable) return;
    reachable = false;
    pause();
  }

  function pause(): void {
    const ms = PAUSES_MS[Math.min(pauses, PAUSES_MS.length - 1)]!;
    pauses += 1;
    const run = () => {
      if (!reachable) void timed(async () => null, COMMAND_MS).then(alive, pause);
    };
    scheduler.after(ms, { name: 'pings the store', of: process, run });
  }

  function timed<T>(run: () => Promise<T>, limitMs: number): Promise<T> {
    const travelMs = () => (store.fault === 'slow' ? chance.between(5, 60) : chance.between(0.1, 0.6));
    const hear = (name: string, settle: () => void) => scheduler.after(travelMs(), { name, of: process, run: settle });
    // A healthy store receives commands immediately and is never late: only replies take time, which saves most events.
    if (store.fault === null) {
      return run().then((value) => new Promise((resolve) => hear('hears the store', () => resolve(heard(value)))));
    }
    return new Promise((resolve, reject) => {
      const away = () => reject(new Error('The store is away.'));
      const callOff = scheduler.after(limitMs, { name: 'gives up on the store', of: process, run: away });
      const response = (value: T) =>
        hear('hears the store', () => {
          callOff();
          // Even if too late for this command, it is a sign of life.
          resolve(heard(value));
        });
      const refuse = () =>
        hear('is refused by the store', () => {
          callOff();
          away();
        });
      const arrive = () => store.arrive(() => void run().then(response), refuse);
      scheduler.after(travelMs(), { name: 'a command reaches the store', of: null, run: arrive });
    });
  }

  function heard<T>(value: T): T {
    alive();
    return value;
  }

  async function command<T>(run: () => Promise<T>): Promise<T> {
    if (!reachable) throw new Error('The store is away.');
    try {
      return await timed(run, failures === 0 ? COMMAND_MS : IN_DOUBT_MS);
    } catch (error) {
      failed();
      throw error;
    }
  }

  const { quotas, texts } = store;
  return {
    quota: { change: (...change) => command(() => quotas.change(...change)) },
    texts: {
      get: (key) =>
        command(async () => {
          const entry = texts.get(key);
          return entry !== undefined && entry.untilMs > scheduler.nowMs ? entry.text : undefined;
        }).catch(() => undefined),
      set: (key, text, ttlMs) =>
        command(async () => void texts.set(key, { text, untilMs: scheduler.nowMs + ttlMs })).catch(() => {}),
    },
  };
}
