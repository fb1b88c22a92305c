import { FAILURES_UNTIL_AWAY } from '../../../runtime/redis/redis-guard.js';
import type { Clock } from '../ports/clock.js';
import type { Change, QuotaStore, Stored } from '../ports/quota-store.js';

/** What a replica needs to share accounts with others. */
export interface StoreLinkOptions {
  readonly store: QuotaStore;
  readonly clock: Clock;
  /** The service and its address: replicas that call a different one share nothing with this one. */
  readonly service: string;
  /** Unique id of this process. */
  readonly replica: string;
  /** Called with the reason when this replica starts counting without the others; with null when it shares again. */
  readonly onFallback?: (reason: string | null) => void;
}

/**
 * `new`: has neither reached the store nor counted without it, so there is nothing to merge. `local`: the store is
 * lost, and only heartbeats retry it. `merging`: the store is back, but not all replicas have merged what they did.
 */
type LinkState = 'new' | 'shared' | 'local' | 'merging';

/** This replica's link to the store: whether the store is in reach, and whether the others know what this one did. */
export class StoreLink {
  readonly clock: Clock;
  readonly replica: string;
  mergingSinceMs = 0;
  /** Counts connections: what was known before a new one must be merged again. */
  connection = 0;
  private readonly options: StoreLinkOptions;
  /** Epoch of the store: a different one shows that the store has lost its contents. */
  private epoch: string | null = null;
  private versions = 0;
  private current: LinkState = 'new';
  private lastFailure = '';

  constructor(options: StoreLinkOptions) {
    this.options = options;
    this.clock = options.clock;
    this.replica = options.replica;
  }

  get state(): LinkState {
    return this.current;
  }

  /** A version that no replica has used. */
  newVersion(): string {
    this.versions += 1;
    return `${this.replica}.${this.versions.toString(36)}`;
  }

  /** Rejects when the store does not answer or has lost its data. */
  async compareAndSet(key: string, change: Omit<Change, 'epoch'>): Promise<Stored> {
    const { store, service } = this.options;
    const known = this.epoch;
    const stored = await retryIdempotent(() => store.compareAndSet(service, key, { ...change, epoch: known }));
    if (stored.epoch !== (known ?? stored.epoch)) throw storeLost();
    this.epoch ??= stored.epoch;
    if (this.current === 'new') this.enter('shared');
    return stored;
  }

  /** Changes the state, and reports when that starts or ends the local fallback. */
  enter(state: LinkState): void {
    const wasLocal = isLocal(this.current);
    this.current = state;
    if (isLocal(state) !== wasLocal) this.options.onFallback?.(wasLocal ? null : this.lastFailure);
  }

  /** Records that the store did not answer or has lost its data. */
  lose(cause: unknown): void {
    this.lastFailure = cause instanceof Error ? cause.message : String(cause);
    if (this.current !== 'new') this.enter('local');
  }

  /** Prepares for trying the store again, as a new one. */
  reconnect(): void {
    this.enter('merging');
    this.mergingSinceMs = this.clock.monotonicMs();
    this.connection += 1;
    this.epoch = null;
  }
}

function isLocal(state: LinkState): boolean {
  return state === 'local' || state === 'merging';
}

/** The error for a store that was replaced, or has evicted or flushed something. */
export function storeLost(): Error {
  return new Error('The shared store has lost what was in it.');
}

/** One late reply is no loss: makes as many attempts as the guard lets fail before it considers the server gone. */
async function retryIdempotent<T>(command: () => Promise<T>): Promise<T> {
  for (let failures = 1; failures < FAILURES_UNTIL_AWAY; failures += 1) {
    try {
      return await command();
    } catch {}
  }
  return command();
}
