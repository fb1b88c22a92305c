import type { Clock } from '../ports/clock.js';
import type { Change, Held, QuotaStore } from '../ports/quota-store.js';

/** What a replica needs to share accounts with others. */
export interface StoreLinkOptions {
  readonly store: QuotaStore;
  readonly clock: Clock;
  /** Mark of the service and its address: replicas that call another one share nothing with this one. */
  readonly service: string;
  /** Mark of this process, unlike that of any other. */
  readonly replica: string;
}

/**
 * One late answer is no loss: a replica that counted apart for it would spend what the others spend too. After as many
 * the guard takes the server for gone, and says so at once from then on.
 */
const TRIES = 3;

/** This replica's link to the store: whether it is within reach, and whether the others know what this replica did. */
export class StoreLink {
  readonly clock: Clock;
  readonly replica: string;
  /** Whether the store is within reach. Before the first contact everything tries it: it may start a moment late. */
  connected = true;
  /** Counts connections: what was known before a new one must be merged again. */
  connection = 0;
  /** Whether the store was ever within reach. */
  hasConnected = false;
  /** Whether anything was done to an account apart from the others. */
  hasActedApart = false;
  /** Since when the others may not know what this replica did, nor it what they did; null while all is shared. */
  apartSinceMs: number | null = null;
  private readonly store: QuotaStore;
  private readonly service: string;
  /** Mark of the store's memory: another one tells that it has lost what it held. */
  private mark: string | null = null;
  private versions = 0;

  constructor({ store, clock, service, replica }: StoreLinkOptions) {
    this.store = store;
    this.clock = clock;
    this.service = service;
    this.replica = replica;
  }

  /** A version that no replica has used. */
  newVersion(): string {
    this.versions += 1;
    return `${this.replica}.${this.versions.toString(36)}`;
  }

  /** Rejects when the store does not answer, or has lost its memory. */
  async compareAndSet(key: string, change: Omit<Change, 'mark'>): Promise<Held> {
    const known = this.mark;
    const { store, service } = this;
    const held = await retryIdempotent(() => store.compareAndSet(service, key, { ...change, mark: known }), TRIES);
    if (held.mark !== (known ?? held.mark)) throw new StoreLost();
    this.mark ??= held.mark;
    if (!this.hasConnected) this.connectFirst();
    return held;
  }

  /** The store did not answer, or has lost its memory. */
  lose(): void {
    this.connected = !this.hasConnected;
    this.apartSinceMs ??= this.clock.monotonicMs();
  }

  /** Tries the store again, as a new one. */
  reconnect(): void {
    this.mark = null;
    this.connected = true;
    this.connection += 1;
    this.apartSinceMs = this.clock.monotonicMs();
  }

  /** First contact with the store: a replica that has done nothing yet shares immediately. */
  private connectFirst(): void {
    this.hasConnected = true;
    if (this.hasActedApart) this.connection += 1;
    this.apartSinceMs = this.hasActedApart ? this.clock.monotonicMs() : null;
  }
}

/** What was kept there is gone: evicted, flushed, or the store is another one. */
export class StoreLost extends Error {
  constructor() {
    super('The shared store has lost what it held.');
    this.name = 'StoreLost';
  }
}

async function retryIdempotent<T>(command: () => Promise<T>, tries: number): Promise<T> {
  try {
    return await command();
  } catch (error) {
    if (tries === 1) throw error;
    return retryIdempotent(command, tries - 1);
  }
}
