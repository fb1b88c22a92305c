import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import { FAILURES_UNTIL_AWAY } from '../../../runtime/stores/redis.js';
import type { Change, Clock, QuotaStore, Stored } from '../ports/ports.js';
import type { Account, AccountRules, Grant, GrantRequest, Landing, QuotaScope, Sharing, ValueKind } from './account.js';
import { paceRules, windowRules } from './account-rules.js';

/** Where calls are counted: in this process alone, or by all replicas together. */
export interface QuotaLedger {
  /** Whether other processes count in the same ledger. */
  readonly isShared: boolean;
  /** Whether this process currently counts without the others. */
  readonly isLocalFallback: boolean;
  /** How many processes count in it, including this one; errs on the high side. */
  replicas(): number;
  /** The account of a scope; equal names share one. */
  open(scope: QuotaScope): Account;
  /** Whether a scope's account is open, or can be without loss: strangers may send any number of keys. */
  hasRoomFor(scope: QuotaScope): boolean;
  /** Stops taking part with the other processes. */
  close(): void;
}

/** A ledger that counts calls in this process. */
export function createMemoryLedger(clock: Clock, watchCache?: WatchCache): QuotaLedger {
  const { open, hasRoomFor } = createAccounts(clock, (_name, rules) => createAccount(rules, clock), watchCache);
  return { isShared: false, isLocalFallback: false, replicas: () => 1, open, hasRoomFor, close: () => {} };
}

/** At this number, accounts in which nothing counts are evicted; if none can be, new keys are refused. */
const MAX_ACCOUNTS = 10_000;
/** Shortest time between two searches for them. */
const SWEEP_MS = 1000;
/** Bytes of heap for an account with few calls, and its gate. */
const ACCOUNT_BYTES = 4000;

/** The open accounts, each created when its scope is first used. */
function createAccounts<T extends Account>(
  clock: Clock,
  create: <A>(name: string, rules: AccountRules<A>) => T,
  watchCache: WatchCache = unwatched,
) {
  const accounts = new Map<string, T>();
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  watchCache('quota-accounts', () => ACCOUNT_BYTES * accounts.size);

  return {
    open(scope: QuotaScope): T {
      const known = accounts.get(scope.name);
      if (known !== undefined) return known;
      const account =
        scope.kind === 'window' ? create(scope.name, windowRules(scope)) : create(scope.name, paceRules(scope));
      accounts.set(scope.name, account);
      return account;
    },
    hasRoomFor({ name }: QuotaScope): boolean {
      const nowMs = clock.monotonicMs();
      if (accounts.size < MAX_ACCOUNTS || accounts.has(name)) return true;
      if (nowMs - sweptAtMs < SWEEP_MS) return false;
      sweptAtMs = nowMs;
      for (const [one, account] of accounts) if (!account.matters()) accounts.delete(one);
      return accounts.size < MAX_ACCOUNTS;
    },
    all: (): T[] => [...accounts.values()],
  };
}

function createAccount<A>(rules: AccountRules<A>, clock: Clock): Account {
  let account = rules.empty;
  const sharing = (): Sharing<A> => ({ kind: 'shared', nowMs: clock.monotonicMs() });
  return {
    async take(request) {
      const [next, grant] = rules.take(account, request, sharing());
      account = next;
      return grant;
    },
    async land(landing) {
      account = rules.land(account, landing, clock.monotonicMs());
    },
    async drop(ids) {
      account = rules.drop(account, ids);
    },
    matters: () => rules.matters(account, clock.monotonicMs()),
  };
}

/**
 * One ledger for all replicas, over a store that each of them reads and writes (reliability 8.2 and 8.3).
 *
 * From top to bottom of this file, each class uses only those below it:
 *
 * - `createSharedLedger`: the accounts, and a heartbeat that refreshes them and finds out when the store is back;
 * - `SharedAccount`: one account; collects the changes that arrive during a command, and applies them together;
 * - `Members`: how many replicas there are, from their heartbeats;
 * - `SharedValue`: a value changed by compare-and-set, merged with what is known after a new connection;
 * - `StoreLink`: whether the store is within reach, and whether the others know what this replica did:
 *
 *       new ──first contact──▶ shared ──command fails──▶ local ──heartbeat──▶ merging ──all have merged──▶ shared
 *                                                          ◀──command fails──────┘
 *
 * In `local` a replica keeps to its share of an account, in `merging` to that share and to what the others left. A
 * replica that is `new` has done nothing yet, and so has nothing to merge.
 */

/**
 * Milliseconds between heartbeats in local fallback and for a while after it: all replicas should share again within
 * two seconds of the store's return, and each waits for the others' heartbeats.
 */
const HEARTBEAT_LOCAL_MS = 400;
const FREQUENT_AFTER_LOCAL_MS = 4000;

/** A shared account with rules of any kind. */
type Opened = Pick<SharedAccount<unknown>, keyof SharedAccount<unknown>>;

/**
 * A ledger that counts calls together with all other replicas. When the store is lost, each replica keeps to its share
 * until all have merged what they did meanwhile.
 */
export function createSharedLedger(options: StoreLinkOptions, watchCache?: WatchCache): QuotaLedger {
  const { clock } = options;
  const link = new StoreLink(options);
  const members = new Members(link);
  const create = <A>(name: string, rules: AccountRules<A>): Opened => new SharedAccount(name, rules, link, members);
  const accounts = createAccounts(clock, create, watchCache);
  let frequentUntilMs = Number.NEGATIVE_INFINITY;
  let closed = false;
  let cancel = () => {};

  async function heartbeat(): Promise<void> {
    try {
      if (link.state === 'local') link.reconnect();
      // This comes first: a heartbeat states that its replica has merged what it did.
      await refresh();
      if (link.state !== 'local') await members.writeHeartbeat();
      if (link.state === 'merging' && members.allSince(link.mergingSinceMs)) await shareAgain();
    } catch (error) {
      link.lose(error);
    }
    const nowMs = clock.monotonicMs();
    if (link.state !== 'shared') frequentUntilMs = nowMs + FREQUENT_AFTER_LOCAL_MS;
    const pauseMs = nowMs < frequentUntilMs ? HEARTBEAT_LOCAL_MS : HEARTBEAT_MS;
    if (!closed) cancel = clock.after(pauseMs, () => void heartbeat());
  }

  /** Merges what the store lacks, and reads what the others did. */
  async function refresh(): Promise<void> {
    await Promise.all(accounts.all().map((account) => account.refresh()));
  }

  async function shareAgain(): Promise<void> {
    // Reads all accounts first: one that the store lost a moment later would otherwise be taken for a new one.
    await refresh();
    if (link.state === 'local') return;
    link.enter('shared');
    for (const account of accounts.all()) account.endFallback();
  }

  void heartbeat();
  return {
    isShared: true,
    get isLocalFallback() {
      return link.state !== 'shared';
    },
    replicas: () => members.count(),
    open: accounts.open,
    hasRoomFor: accounts.hasRoomFor,
    close() {
      closed = true;
      cancel();
    },
  };
}

/** Changes an account; also returns a function that reports the result to whoever requested the change. */
type AccountChange<A> = (account: A, sharing: Sharing<A>) => readonly [A, () => void];

/** An account unused for this long is no longer refreshed. */
const USED_MS = 120_000;
/** Longer than any command to the store takes. */
const COMMAND_MS = 1000;

/**
 * One replica's view of an account that all replicas share. Changes that arrive while a command is in flight go
 * together in the next one. While the store is down, they apply to the last known state, within this replica's share.
 * Once it is back, they must fit both the share and what others left, until all replicas have merged what they did.
 */
class SharedAccount<A> implements Account {
  private readonly rules: AccountRules<A>;
  private readonly link: StoreLink;
  private readonly members: Members;
  private readonly value: SharedValue<A>;
  private changes: AccountChange<A>[] = [];
  private last: Promise<void> = Promise.resolve();
  private usedAtMs = Number.NEGATIVE_INFINITY;
  /** The account's state when the others were lost, and when that was. */
  private lost: { readonly seen: A; readonly sinceMs: number } | null = null;

  constructor(name: string, rules: AccountRules<A>, link: StoreLink, members: Members) {
    this.rules = rules;
    this.link = link;
    this.members = members;
    this.value = new SharedValue(link, name, rules);
  }

  /** See `Account`. None of the three ever rejects. */
  take(request: GrantRequest): Promise<Grant> {
    this.usedAtMs = this.link.clock.monotonicMs();
    return this.submit((account, sharing) => this.rules.take(account, request, sharing));
  }

  land(landing: Landing): Promise<void> {
    return this.submit((account, { nowMs }) => [this.rules.land(account, landing, nowMs), undefined]);
  }

  drop(ids: readonly string[]): Promise<void> {
    return this.submit((account) => [this.rules.drop(account, ids), undefined]);
  }

  matters(usedWithinMs = COMMAND_MS): boolean {
    const nowMs = this.link.clock.monotonicMs();
    return nowMs - this.usedAtMs <= usedWithinMs || this.rules.matters(this.value.current, nowMs);
  }

  /** Reads it if it was used lately, so that its state is recent if the store is lost; merges it after a reconnect. */
  refresh(): Promise<void> {
    return this.inTurn(async () => {
      if (this.matters(USED_MS)) await this.updateStored((account) => account);
    });
  }

  /** From now on, the whole account may be used again. */
  endFallback(): void {
    this.lost = null;
  }

  private submit<T>(change: (account: A, sharing: Sharing<A>) => readonly [A, T]): Promise<T> {
    return new Promise((resolve) => {
      this.changes.push((account, sharing) => {
        const [next, result] = change(account, sharing);
        return [next, () => resolve(result)];
      });
      if (this.changes.length === 1) void this.inTurn(() => this.serve());
    });
  }

  /** Runs one at a time, even if the one before failed. */
  private inTurn(run: () => Promise<void>): Promise<void> {
    this.last = this.last.then(run, run);
    return this.last;
  }

  private async serve(): Promise<void> {
    const changes = this.changes;
    this.changes = [];
    let reports: (() => void)[] = [];
    const apply = (account: A) => {
      const sharing = this.sharing();
      reports = [];
      return changes.reduce((last, change) => {
        const [next, report] = change(last, sharing);
        reports.push(report);
        return next;
      }, account);
    };
    if (!(await this.updateStored(apply))) {
      this.link.enter('local');
      this.value.current = apply(this.value.current);
    }
    for (const report of reports) report();
  }

  /** Whether the store accepted the change. */
  private async updateStored(change: (account: A) => A): Promise<boolean> {
    if (this.link.state === 'local') return false;
    try {
      await this.value.update(change);
      return true;
    } catch (error) {
      this.link.lose(error);
      return false;
    }
  }

  private sharing(): Sharing<A> {
    const { clock, replica, state } = this.link;
    const nowMs = clock.monotonicMs();
    if (state === 'new' || state === 'shared') return { kind: 'shared', nowMs };
    this.lost ??= { seen: this.value.current, sinceMs: nowMs };
    return { kind: state, nowMs, fallback: { ...this.lost, replica, replicas: this.members.count() } };
  }
}

/** Milliseconds between a replica's heartbeats. */
export const HEARTBEAT_MS = 2000;
/** A replica that misses three heartbeats is gone. */
const SILENT_MS = 3 * HEARTBEAT_MS;
/** The largest number of replicas seen within this time counts: a slow one is not gone. */
const MEMORY_MS = 60_000;
/** Number of replicas assumed until any were seen: the few calls in such a share are surely ours. */
const UNSEEN = 4;
/** How long that is assumed after first contact: others may still be waiting to retry the store. */
const ARRIVAL_MS = 10_000;

/** When each replica last had a heartbeat, on this replica's clock. */
type Heartbeats = ReadonlyMap<string, number>;

const HEARTBEATS: ValueKind<Heartbeats> = {
  empty: new Map(),
  // None is from the future: it would never be silent.
  read: (text, nowMs) =>
    new Map(JSON.parse(text).map(([id, agoMs]: [string, number]) => [id, nowMs - Math.max(0, agoMs)])),
  write: (heartbeats, nowMs) => JSON.stringify([...heartbeats].map(([id, atMs]) => [id, Math.round(nowMs - atMs)])),
  merge: (stored) => stored,
  matters: () => false,
};

/** The processes that share a service's accounts. */
export class Members {
  private readonly link: StoreLink;
  private readonly heartbeats: SharedValue<Heartbeats>;
  /** Counts of replicas that apply, for how long, and until when. */
  private counts = [{ count: UNSEEN, forMs: ARRIVAL_MS, untilMs: Number.POSITIVE_INFINITY }];
  private observedAtMs = Number.NEGATIVE_INFINITY;

  constructor(link: StoreLink) {
    this.link = link;
    this.heartbeats = new SharedValue(link, 'replicas', HEARTBEATS);
  }

  /** How many replicas there are, including this one; errs on the high side. */
  count(): number {
    return Math.max(...this.counts.map(({ count }) => count));
  }

  /** Whether all have had a heartbeat since then, and so have shared what they did before. */
  allSince(sinceMs: number): boolean {
    return [...this.heartbeats.current.values()].filter((atMs) => atMs >= sinceMs).length >= this.count();
  }

  /** Writes this replica's heartbeat, and counts the others. Rejects when the store is down. */
  async writeHeartbeat(): Promise<void> {
    const { clock, replica } = this.link;
    await this.heartbeats.update((known) => {
      const nowMs = clock.monotonicMs();
      return new Map([...known].filter(([, atMs]) => atMs > nowMs - SILENT_MS)).set(replica, nowMs);
    });
    const nowMs = clock.monotonicMs();
    // None could be counted while the store was down, so earlier counts apply for their full time again.
    const wasUnobserved = nowMs - this.observedAtMs > 2 * HEARTBEAT_MS;
    this.counts = this.counts
      .map((known) => (wasUnobserved ? { ...known, untilMs: nowMs + known.forMs } : known))
      .filter(({ untilMs }) => untilMs > nowMs)
      .concat({ count: this.heartbeats.current.size, forMs: MEMORY_MS, untilMs: nowMs + MEMORY_MS });
    this.observedAtMs = nowMs;
  }
}

/**
 * An attempt fails when another replica's has succeeded, and in a burst a replica may lose for as long as others have
 * changes: a hundred times in a row were seen. This many mean a broken store.
 */
const MAX_ATTEMPTS = 1000;

/** A value that replicas share, as this one knows it. */
class SharedValue<V> {
  /** The value last seen. May be set while the store is down. */
  current: V;
  private version = '';
  private connection: number;
  /** What was known before the present connection; null once merged. */
  private unmerged: V | null = null;
  private readonly link: StoreLink;
  private readonly key: string;
  private readonly kind: ValueKind<V>;

  constructor(link: StoreLink, key: string, kind: ValueKind<V>) {
    this.link = link;
    this.key = key;
    this.kind = kind;
    this.current = kind.empty;
    this.connection = link.connection;
  }

  /** Changes it by compare-and-set, retried if another replica was faster. Rejects if the store is down or lost it. */
  async update(change: (value: V) => V): Promise<void> {
    const { link } = this;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      this.noteConnection();
      const changed = change(this.current);
      // A change that alters nothing only reads, to check that the value is still current.
      const isSame = changed === this.current && this.unmerged === null;
      const value = isSame ? '' : this.kind.write(changed, link.clock.monotonicMs());
      const next = isSame ? null : { version: link.newVersion(), value };
      const stored = await link.compareAndSet(this.key, { version: this.version, next });
      if (this.connection === link.connection && stored.version === (next?.version ?? this.version)) {
        this.current = changed;
        this.version = stored.version;
        this.unmerged = null;
        return;
      }
      this.noteConnection();
      this.adopt(stored);
    }
    throw new Error(`The shared store took none of ${MAX_ATTEMPTS} attempts to change it.`);
  }

  private noteConnection(): void {
    if (this.connection === this.link.connection) return;
    this.connection = this.link.connection;
    this.unmerged = this.current;
    this.version = '';
  }

  private adopt({ version, value, ageMs }: Stored): void {
    const { kind, link, unmerged } = this;
    const nowMs = link.clock.monotonicMs();
    if (version === '' && this.version !== '' && kind.matters(this.current, nowMs)) throw storeLost();
    const stored = value === '' ? kind.empty : kind.read(value, nowMs - ageMs);
    this.current = unmerged === null ? stored : kind.merge(stored, unmerged, link.replica);
    this.version = version;
  }
}

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
function storeLost(): Error {
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
