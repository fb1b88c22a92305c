import { randomUUID } from 'node:crypto';
import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { Deadline } from '../../../kernel/operation.js';
import { inTurn, laterTurn } from '../../../runtime/event-loop/turns.js';
import type { Stores, TextStore } from '../../../runtime/stores/text-store.js';
import type { QuotaLog } from './quota-log.js';
import { createRedisQuotaLog } from './redis-quota-log.js';
import { createUndiciTransport, type Transport, type TransportOptions } from './transport.js';

/** Everything the toolkit takes from the outside world. The rest is pure computation, and can run in a simulation. */
export interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  /** Slow tier of the responses that all callers share; null for memory alone. */
  readonly sharedStore: TextStore | null;
  /** Slow tier of the responses that belong to one key; null for memory alone. */
  readonly privateStore: TextStore | null;
  /** Versions of keys' last writes, which replicas share; null when this process is the only one. */
  readonly versionStore: TextStore | null;
  /** The calls of all replicas to the service of this name and address; null when this process is the only one. */
  readonly sharedQuota: ((service: string) => QuotaLog) | null;
  /** Called for each of this service's caches, for metrics. */
  readonly watchCache?: WatchCache;
}

/** Chance, as the toolkit sees it: a number from 0 up to but excluding 1. The simulation has a seeded one. */
export type Random = () => number;

/** Connections to one service: as many as the bulkhead allows concurrent calls (reliability 3). */
const CONNECTIONS = 32;

/** The real ports: the machine's clock and random numbers, sockets, and the given stores. One set per service. */
export function createSystemPorts(
  { shared, perKey, versions, redis }: Pick<Stores, 'shared' | 'perKey' | 'versions' | 'redis'>,
  watchCache: WatchCache = unwatched,
  proxies: TransportOptions['proxies'] = null,
): Ports {
  return {
    clock: systemClock,
    // Not for secrets: its numbers can be predicted.
    random: () => Math.random(),
    transport: createUndiciTransport({ connections: CONNECTIONS, proxies }),
    sharedStore: shared,
    privateStore: perKey,
    versionStore: versions,
    watchCache,
    sharedQuota: redis === null ? null : (service) => createRedisQuotaLog(redis, service, randomUUID),
  };
}

/** Time, as the toolkit sees it. The simulation has a virtual clock. */
export interface Clock {
  /** Milliseconds on a clock that never goes back: for measuring and waiting. */
  monotonicMs(): number;
  /** Milliseconds since 1970: for times that outlive the process or are compared with those of others. */
  wallMs(): number;
  /** Runs the task once after `ms`, never before. The returned function cancels it. Never keeps the process alive. */
  after(ms: number, task: () => void): () => void;
  /** Runs the task in a later turn of the event loop, which this caller's tasks take one after the other. */
  soon(task: () => void, caller?: string | object): void;
}

/** The longest delay of Node's timers: with a longer one they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clocks and timers. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after(ms, task) {
    const dueMs = performance.now() + Math.max(ms, 0);
    let isCancelled = false;
    let timer = arm();
    function arm(): NodeJS.Timeout {
      return setTimeout(fire, Math.min(dueMs - performance.now(), MAX_TIMER_MS)).unref();
    }
    function fire(): void {
      // Node rounds down: a task that compares times would find that it is not yet due, and sleep again for ever.
      if (performance.now() < dueMs) timer = arm();
      // A deadline ends thousands of calls in the same millisecond, and much follows from each.
      else void inTurn(() => isCancelled || task());
    }
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  },
  soon: (task, caller) => void laterTurn(caller).then(task),
};

/** A deadline in so many milliseconds, or the one given if that is earlier. */
export function endingIn(ms: number, deadline: Deadline | null, clock: Clock): Deadline {
  const untilMs = clock.monotonicMs() + ms;
  const leftMs = () => Math.max(0, untilMs - clock.monotonicMs());
  return { remainingMs: () => Math.min(deadline?.remainingMs() ?? Number.POSITIVE_INFINITY, leftMs()) };
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}
