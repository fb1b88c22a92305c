import { FAILURES_UNTIL_AWAY } from '../../../runtime/redis/redis-guard.js';
import type { Clock } from '../ports/clock.js';
import type { Change, QuotaStore, Stored } from '../ports/quota-store.js';

/** What a replica needs to share accounts with others. */
export interface StoreLinkOptions {
  readonly store: QuotaStore;
  readonly clock: Clock;
  /** The service and its address: replicas that call another one share nothing with this one. */
  readonly service: string;
  /** Id of this process, unlike that of any other. */
  readonly replica: string;
  /** Hears why this replica begins to count without the others; null when it shares with them again. */
  readonly onFallback?: (reason: string | null) => void;
}

/**
 * `new`: it has neither reached the store nor counted without it, so there will be nothing to merge. `local`: the store is
 * lost, and is tried again by heartbeats alone. `merging`: it is back, and not all have merged what they did.
 */
type LinkState = 'new' | 'shared' | 'local' | 'merging';

/** This replica's link to the store: whether it is within reach, and whether the others know what this replica did. */
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

  /** Rejects when the store does not answer, or has lost its memory. */
  async compareAndSet(key: string, change: Omit<Change, 'epoch'>): Promise<Stored> {
    const { store, service } = this.options;
    const known = this.epoch;
    const stored = await retryIdempotent(() => store.compareAndSet(service, key, { ...change, epoch: known }));
    if (stored.epoch !== (known ?? stored.epoch)) throw storeLost();
    this.epoch ??= stored.epoch;
    if (this.current === 'new') this.enter('shared');
    return stored;
  }

  /** Changes its state, and says so where that begins or ends the local fallback. */
  enter(state: LinkState): void {
    const wasLocal = isLocal(this.current);
    this.current = state;
    if (isLocal(state) !== wasLocal) this.options.onFallback?.(wasLocal ? null : this.lastFailure);
  }

  /** The store did not answer, or has lost its memory. */
  lose(cause: unknown): void {
    this.lastFailure = cause instanceof Error ? cause.message : String(cause);
    if (this.current !== 'new') this.enter('local');
  }

  /** Tries the store again, as a new one. */
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

/** The error of a store that is another one, or from which something was evicted or flushed. */
export function storeLost(): Error {
  return new Error('The shared store has lost what was in it.');
}

/** One late reply is no loss: as many commands are tried as the guard lets fail before it considers the server gone. */
async function retryIdempotent<T>(command: () => Promise<T>): Promise<T> {
  for (let failures = 1; failures < FAILURES_UNTIL_AWAY; failures += 1) {
    try {
      return await command();
    } catch {}
  }
  return command();
}
