import { createVirtualQuotaLog, type VirtualQuotaLog } from '../rest/support/virtual-quota-log.js';
import type { Scheduler } from './scheduler.js';
import type { StoreFault, World } from './world.js';

/** The store that all replicas share: a Redis that can be slow, frozen, gone or emptied. */
export interface SharedStore {
  readonly fault: StoreFault | null;
  readonly quotas: VirtualQuotaLog;
  readonly texts: Map<string, { readonly text: string; readonly untilMs: number }>;
  /** Runs a command on arrival, or when a frozen store recovers; refuses it if the store is gone. */
  arrive(command: () => void, refuse: () => void): void;
}

export function createSharedStore(world: World, scheduler: Scheduler): SharedStore {
  const quotas = createVirtualQuotaLog({ monotonicMs: () => scheduler.nowMs });
  const texts: SharedStore['texts'] = new Map();
  let fault: StoreFault | null = null;
  let backlog: (() => void)[] = [];

  function start(kind: StoreFault): void {
    fault = kind === 'flushed' ? null : kind;
    if (kind !== 'flushed' && kind !== 'dead') return;
    quotas.flush();
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
    scheduler.after(atMs, { name: `the store is ${kind}`, of: null, run: () => start(kind) });
    if (kind !== 'flushed') scheduler.after(atMs + forMs, { name: 'the store recovers', of: null, run: end });
  }
  return {
    get fault() {
      return fault;
    },
    quotas,
    texts,
    arrive(command, refuse) {
      if (fault === 'dead') refuse();
      else if (fault === 'frozen') backlog.push(command);
      else command();
    },
  };
}
