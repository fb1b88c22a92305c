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
 * One late reply is no loss: a replica that counted apart for it would spend what the others spend too. After as many
 * the guard considers the server gone, and says so at once from then on.
 */
const TRIES = 3;

/** This replica's link to the store: whether it is within reach, and whether the others know what this replica did. */
export class StoreLink {
  readonly clock: Clock;
  readonly replica: string;
  /** Counts connections: what was known before a new one must be merged again. */
  connection = 0;
  /** Since when the others may not know what this replica did, nor it what they did; null while all is shared. */
  apartSinceMs: number | null = null;
  /** Whether commands are sent to the store. Until the first contact all are, for the store may start a moment late. */
  isTried = true;
  /** Whether the store was ever within reach. */
  hasConnected = false;
  private hasActedApart = false;
  private readonly store: QuotaStore;
  private readonly service: string;
  /** Mark of the store's memory: a different one shows that the store has lost its contents. */
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
    this.apartSinceMs ??= this.clock.monotonicMs();
    this.isTried = !this.hasConnected;
  }

  /** Something was done to an account without the others. */
  actApart(): void {
    this.hasActedApart = true;
  }

  /** Tries the store again, as a new one. */
  reconnect(): void {
    this.mark = null;
    this.merge();
  }

  /** All have merged what they did: from now on everything is shared. */
  share(): void {
    this.apartSinceMs = null;
  }

  /** A replica that has done nothing before its first contact shares immediately. */
  private connectFirst(): void {
    this.hasConnected = true;
    if (this.hasActedApart) this.merge();
    else this.share();
  }

  private merge(): void {
    this.connection += 1;
    this.isTried = true;
    this.apartSinceMs = this.clock.monotonicMs();
  }
}

/** What was stored there is gone: evicted, flushed, or the store is another one. */
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
