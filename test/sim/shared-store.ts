import type { TextStore } from '../../runtime/text-store.js';
import type { RemoteQuota } from '../../subgraphs/rest/quota/remote-quota.js';
import type { WindowScope } from '../../subgraphs/rest/quota/scope.js';
import type { VirtualAccounts } from '../rest/support/virtual-accounts.js';
import type { Chance } from './chance.js';
import type { Process, Scheduler } from './scheduler.js';
import type { StoreFault, World } from './world.js';

/** What all replicas share: a Redis that can be slow, frozen, gone or emptied. */
export interface SharedStore {
  readonly fault: StoreFault | null;
  readonly accounts: VirtualAccounts;
  /** The accounts that were ever used, by name. */
  readonly scopes: Map<string, WindowScope>;
  readonly texts: Map<string, { readonly text: string; readonly untilMs: number }>;
  /** Runs a command when it gets to it; never, while it is gone. */
  arrive(command: () => void, refuse: () => void): void;
}

export function createSharedStore(world: World, scheduler: Scheduler, accounts: VirtualAccounts): SharedStore {
  const texts: SharedStore['texts'] = new Map();
  let fault: StoreFault | null = null;
  let backlog: (() => void)[] = [];

  function begin(kind: StoreFault): void {
    fault = kind === 'flushed' ? null : kind;
    if (kind !== 'flushed' && kind !== 'dead') return;
    accounts.flush();
    texts.clear();
    backlog = [];
  }

  function end(): void {
    fault = null;
    const late = backlog;
    backlog = [];
    for (const command of late) command();
  }

  for (const { kind, atMs, forMs } of world.storeFaults) {
    scheduler.after(atMs, { name: `the store is ${kind}`, of: null, run: () => begin(kind) });
    if (kind !== 'flushed') scheduler.after(atMs + forMs, { name: 'the store is well', of: null, run: end });
  }
  return {
    get fault() {
      return fault;
    },
    accounts,
    scopes: new Map(),
    texts,
    arrive(command, refuse) {
      if (fault === 'dead') refuse();
      else if (fault === 'frozen') backlog.push(command);
      else command();
    },
  };
}

/** How long a command may take, and how long the store is left alone after three failures: runtime/redis-guard.ts. */
const COMMAND_MS = 50;
const IN_DOUBT_MS = 5;
const FAILURES = 3;
const PAUSES_MS = [1000, 2000, 4000, 5000] as const;

/** One replica's way to the store, with the rules of `runtime/redis-guard.ts`, which has timers of its own. */
export function connectStore(options: {
  readonly store: SharedStore;
  readonly process: Process;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
}): { readonly quota: RemoteQuota; readonly texts: TextStore } {
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
    if (failures < FAILURES || !reachable) return;
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
    return new Promise((resolve, reject) => {
      const away = () => reject(new Error('The store is away.'));
      const callOff = scheduler.after(limitMs, { name: 'gives the store up', of: process, run: away });
      const travelMs = () => (store.fault === 'slow' ? chance.between(5, 60) : chance.between(0.1, 0.6));
      const reply = (name: string, settle: () => void) => {
        scheduler.after(travelMs(), { name, of: process, run: settle });
      };
      const command = async () => {
        const value = await run();
        reply('hears the store', () => {
          callOff();
          // Even when it is too late for this command, it is a sign of life.
          alive();
          resolve(value);
        });
      };
      const refuse = () =>
        reply('is refused by the store', () => {
          callOff();
          away();
        });
      // A store that is well is asked at once: only the way back takes time, and half of the events are spared.
      if (store.fault === null) return void command();
      scheduler.after(travelMs(), {
        name: 'the store is asked',
        of: null,
        run: () => store.arrive(() => void command(), refuse),
      });
    });
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

  const { accounts, texts } = store;
  return {
    quota: {
      takeWindow(scope, ask, epoch) {
        store.scopes.set(scope.name, scope);
        return command(() => accounts.takeWindow(scope, ask, epoch));
      },
      landWindow: (scope, landing) => command(() => accounts.landWindow(scope, landing)),
      dropWindow: (scope, ids) => command(() => accounts.dropWindow(scope, ids)),
      remind: (scope, memory) => command(() => accounts.remind(scope, memory)),
      takePace: (scope, ask) => command(() => accounts.takePace(scope, ask)),
      slowPace: (scope) => command(() => accounts.slowPace(scope)),
      beat: (service, replica) => command(() => accounts.beat(service, replica)),
    },
    texts: {
      get: (key) =>
        command(async () => {
          const kept = texts.get(key);
          return kept !== undefined && kept.untilMs > scheduler.nowMs ? kept.text : undefined;
        }).catch(() => undefined),
      set: (key, text, ttlMs) =>
        command(async () => void texts.set(key, { text, untilMs: scheduler.nowMs + ttlMs })).catch(() => {}),
      delete: (key) => command(async () => void texts.delete(key)).catch(() => {}),
      close: async () => {},
    },
  };
}

/** Spends that are reserved or in flight at this moment, in all accounts. */
export async function unlandedIn({ accounts, scopes }: SharedStore): Promise<number> {
  let sum = 0;
  for (const scope of scopes.values()) {
    const taken = await accounts.takeWindow(scope, { ids: [], leaseMs: 0, headroom: 0 }, null);
    if (taken !== 'lost') sum += taken.state.spends.filter(({ landed }) => !landed).length;
  }
  return sum;
}
