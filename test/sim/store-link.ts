import type { TextStore } from '../../runtime/stores/text-store.js';
import type { QuotaLog } from '../../subgraphs/rest/ports/quota-log.js';
import type { Chance } from '../chance.js';
import type { Process, Scheduler } from './scheduler.js';
import type { SharedStore } from './shared-store.js';

/** Time limits of a command and of a connection that owes a reply, and pauses before it is opened again (`LOSABLE`). */
const COMMAND_MS = 100;
const OWES_MS = 2_000;
const pauseMsOf = (attempt: number) => Math.min(50 * attempt, 1000);

/** One replica's connection to the store, as the client library keeps it, whose timers are real. */
export function connectStore(options: {
  readonly store: SharedStore;
  readonly process: Process;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
}): { readonly quota: QuotaLog; readonly texts: TextStore } {
  const { store, process, scheduler, chance } = options;
  let isReady = true;
  let attempts = 0;
  let callOffOwing: (() => void) | null = null;

  function lost(): void {
    heard(null);
    if (!isReady) return;
    isReady = false;
    attempts = 0;
    reconnect();
  }

  function reconnect(): void {
    attempts += 1;
    const run = () =>
      void timed(async () => null).then(() => {
        isReady = true;
      }, reconnect);
    scheduler.after(pauseMsOf(attempts), { name: 'connects to the store', of: process, run });
  }

  function timed<T>(run: () => Promise<T>): Promise<T> {
    const travelMs = () => (store.fault === 'slow' ? chance.between(5, 60) : chance.between(0.1, 0.6));
    const hear = (name: string, settle: () => void) => scheduler.after(travelMs(), { name, of: process, run: settle });
    // A healthy store receives commands immediately and is never late: only replies take time, which saves most events.
    if (store.fault === null) {
      return run().then((value) => new Promise((resolve) => hear('hears the store', () => resolve(heard(value)))));
    }
    return new Promise((resolve, reject) => {
      const away = () => reject(new Error('The store is away.'));
      callOffOwing ??= scheduler.after(OWES_MS, { name: 'closes its connection', of: process, run: lost });
      const callOff = scheduler.after(COMMAND_MS, { name: 'gives up on the store', of: process, run: away });
      const response = (value: T) =>
        hear('hears the store', () => {
          callOff();
          resolve(heard(value));
        });
      const refuse = () =>
        hear('is refused by the store', () => {
          callOff();
          away();
          lost();
        });
      const arrive = () => store.arrive(() => void run().then(response), refuse);
      scheduler.after(travelMs(), { name: 'a command reaches the store', of: null, run: arrive });
    });
  }

  function heard<T>(value: T): T {
    callOffOwing?.();
    callOffOwing = null;
    return value;
  }

  async function command<T>(run: () => Promise<T>): Promise<T> {
    if (!isReady) throw new Error('The store is away.');
    return timed(run);
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
