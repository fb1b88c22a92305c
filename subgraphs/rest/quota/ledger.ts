import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import { FAILURES_UNTIL_AWAY } from '../../../runtime/stores/redis.js';
import type { Clock } from '../ports/ports.js';
import { type Entry, type LogChange, type LogView, MemoryLog, type QuotaLog } from '../ports/quota-log.js';
import type { Account, Grant, GrantRequest, Landing, QuotaScope } from './account.js';
import { countedOf, LIMIT_HOLDS_WINDOWS, Room, type Share, UNLIMITED } from './bounds.js';

/** Where calls are counted: in this process alone, or by all replicas together. */
export interface QuotaLedger {
  /** Whether other processes count in the same ledger. */
  readonly isShared: boolean;
  /** Whether this process currently keeps to its share. */
  readonly isLocalFallback: boolean;
  /** The account of a scope; equal names share one. */
  open(scope: QuotaScope): Account;
  /** Whether a scope's account is open, or can be without loss: strangers may send any number of keys. */
  hasRoomFor(scope: QuotaScope): boolean;
  /** Stops taking part with the other processes. */
  close(): void;
}

/** What a ledger needs to count together with other replicas. */
export interface SharedLedgerOptions {
  readonly log: QuotaLog;
  /** Unique id of this process. */
  readonly replica: string;
  /** Called with the reason when this replica starts to keep to its share; with null when it shares again. */
  readonly onFallback?: (reason: string | null) => void;
}

/** At this number, accounts in which nothing counts are evicted; if none can be, new keys are refused. */
const MAX_ACCOUNTS = 10_000;
/** Shortest time between two searches for them. */
const SWEEP_MS = 1000;
/** Bytes of heap for an account with few calls, and its gate. */
const ACCOUNT_BYTES = 4000;

/**
 * A ledger that counts calls in this process, or if it is given a shared log, together with all other replicas
 * (reliability 8.2 and 8.3). Each replica has the log of its own calls beside that. While the shared one is away, it
 * takes its share of what was left; when it is back, it adds its own calls, and keeps to its share until the others
 * have had time to do the same.
 */
export function createLedger(
  clock: Clock,
  shared: SharedLedgerOptions | null,
  watchCache: WatchCache = unwatched,
): QuotaLedger {
  const accounts = new Map<string, ScopeAccount>();
  const link = shared === null ? null : new Link(clock, shared);
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let closed = false;
  let cancel = () => {};
  watchCache('quota-accounts', () => ACCOUNT_BYTES * accounts.size);

  async function heartbeat(one: Link): Promise<void> {
    const isBack = await one.beat();
    // The view of an account must be recent when the log is lost.
    if (one.isInReach) await Promise.all([...accounts.values()].map((account) => account.refresh(isBack)));
    if (isBack && one.isInReach) one.shareSoon();
    one.reportBack();
    const pauseMs = one.keepsToShare ? HEARTBEAT_AWAY_MS : HEARTBEAT_MS;
    if (!closed) cancel = clock.after(pauseMs, () => void heartbeat(one));
  }

  if (link !== null) void heartbeat(link);
  return {
    isShared: link !== null,
    get isLocalFallback() {
      return link?.keepsToShare === true;
    },
    open(scope) {
      const account = accounts.get(scope.name) ?? new ScopeAccount(scope, clock, link);
      accounts.set(scope.name, account);
      return account;
    },
    hasRoomFor({ name }) {
      const nowMs = clock.monotonicMs();
      if (accounts.size < MAX_ACCOUNTS || accounts.has(name)) return true;
      if (nowMs - sweptAtMs < SWEEP_MS) return false;
      sweptAtMs = nowMs;
      for (const [one, account] of accounts) if (!account.matters()) accounts.delete(one);
      return accounts.size < MAX_ACCOUNTS;
    },
    close() {
      closed = true;
      cancel();
    },
  };
}

/** Milliseconds between heartbeats, and while the shared log is away or was until a moment ago. */
const HEARTBEAT_MS = 2000;
const HEARTBEAT_AWAY_MS = 400;
/** A replica that misses three heartbeats is gone. */
const SILENT_MS = 3 * HEARTBEAT_MS;
/** The largest number of replicas seen within this time counts: a slow one is not gone. */
const MEMORY_MS = 60_000;
/** So many replicas are assumed until this one has looked for others for so long: they may be starting too. */
const UNSEEN = 4;
const ARRIVAL_MS = 10_000;
/** By then every replica has found out that the log is back: the longest pause of `runtime/stores`, and a heartbeat. */
const ALL_BACK_MS = 6000;

/** This replica's link to the shared log: whether that is in reach, and how many share it. */
class Link {
  /** False from a command that fails until a heartbeat succeeds. */
  isInReach = true;
  /** The largest numbers of replicas seen, and until when each counts. */
  private seen = [{ replicas: UNSEEN, forMs: ARRIVAL_MS, untilMs: Number.POSITIVE_INFINITY }];
  private epoch: string | null = null;
  /** Until then each replica keeps to its share; infinite while the log is away. */
  private sharesUntilMs = Number.NEGATIVE_INFINITY;
  /** Whether anything was ever counted, in the shared log or without it. */
  private hasCounted = false;
  private isReported = false;
  private reason = '';
  private readonly clock: Clock;
  private readonly options: SharedLedgerOptions;

  constructor(clock: Clock, options: SharedLedgerOptions) {
    this.clock = clock;
    this.options = options;
  }

  get keepsToShare(): boolean {
    return this.sharesUntilMs > this.clock.monotonicMs();
  }

  /** How many replicas there are, including this one; errs on the high side. */
  get replicas(): number {
    return Math.max(...this.seen.map(({ replicas }) => replicas));
  }

  /** Changes a shared log; null if it is away or was emptied. One late reply is no loss: changes can be repeated. */
  async change(scope: string, change: LogChange): Promise<LogView | null> {
    for (let failures = 1; this.isInReach; failures += 1) {
      try {
        const view = await this.options.log.change(scope, { ...change, epoch: this.epoch });
        if (view.epoch !== (this.epoch ?? view.epoch)) throw new Error('The shared store has lost what was in it.');
        this.epoch = view.epoch;
        this.hasCounted = true;
        return view;
      } catch (error) {
        if (failures >= FAILURES_UNTIL_AWAY) this.lose(error);
      }
    }
    return null;
  }

  /** Shows that this replica is there, and counts the others. Returns whether the log was away before. */
  async beat(): Promise<boolean> {
    const wasAway = !this.isInReach;
    if (wasAway) this.epoch = null;
    this.isInReach = true;
    const entry = { id: this.options.replica, countsMs: SILENT_MS, fliesMs: 0 };
    const hadCounted = this.hasCounted;
    const view = await this.change('replicas', { entries: [entry] });
    if (view === null) return false;
    // None could be counted while the log was away, so earlier counts hold for their full time again.
    const nowMs = this.clock.monotonicMs();
    this.seen = this.seen
      .map((one) =>
        wasAway || one.untilMs === Number.POSITIVE_INFINITY ? { ...one, untilMs: nowMs + one.forMs } : one,
      )
      .filter(({ untilMs }) => untilMs > nowMs)
      .concat({ replicas: view.counted, forMs: MEMORY_MS, untilMs: nowMs + MEMORY_MS });
    // A process that has just started, and has done nothing, has nothing to tell.
    if (!hadCounted) this.sharesUntilMs = nowMs;
    return wasAway && hadCounted;
  }

  /** Shares again soon: this replica has told what it did, and the others will have. */
  shareSoon(): void {
    this.sharesUntilMs = this.clock.monotonicMs() + ALL_BACK_MS;
  }

  /** Reports that this replica shares again, if it does. */
  reportBack(): void {
    if (this.keepsToShare || !this.isReported) return;
    this.isReported = false;
    this.options.onFallback?.(null);
  }

  /** This replica counts without the others. */
  countAlone(): void {
    this.hasCounted = true;
    this.report();
  }

  private lose(cause: unknown): void {
    this.isInReach = false;
    this.sharesUntilMs = Number.POSITIVE_INFINITY;
    this.reason = cause instanceof Error ? cause.message : String(cause);
    if (this.hasCounted) this.report();
  }

  private report(): void {
    if (!this.isReported) this.options.onFallback?.(this.reason);
    this.isReported = true;
  }
}

/** How many of a request's calls may go, and how many have a place, with these. */
type Given = Pick<LogView, 'granted' | 'places'>;

/** An account unused for this long is not looked at with each heartbeat. */
const USED_MS = 120_000;

/** One replica's account of a scope: the log of its own calls, and what it last saw of the shared one. */
class ScopeAccount implements Account {
  private readonly scope: QuotaScope;
  private readonly clock: Clock;
  private readonly link: Link | null;
  private readonly own: MemoryLog;
  private usedAtMs = Number.NEGATIVE_INFINITY;
  /** What the shared log last held; null if it was never seen. */
  private seen: LogView | null = null;
  /** What is left of this replica's share of what was free when the others were lost, until their calls do not count. */
  private rest: { left: number; readonly untilMs: number } | null = null;

  constructor(scope: QuotaScope, clock: Clock, link: Link | null) {
    this.scope = scope;
    this.clock = clock;
    this.link = link;
    this.own = new MemoryLog(clock);
  }

  async take(request: GrantRequest): Promise<Grant> {
    this.usedAtMs = this.clock.monotonicMs();
    if (this.link?.keepsToShare === false) {
      this.rest = null;
      const shared = await this.takeShared(request, request.ids);
      if (shared !== null) {
        this.own.change({ entries: this.entriesOf(request, shared) });
        return this.grantOf(shared, [shared.room]);
      }
    }
    return this.takeOwn(request);
  }

  async land({ id, quota, blockMs }: Landing): Promise<void> {
    const { limit, countsMs, guardMs } = countedOf(this.scope);
    // A response without headers shows that the service announces no limit.
    const known = this.seen?.limit ?? this.own.change({}).limit;
    const silent = limit === null && known === null ? UNLIMITED : null;
    const heard = {
      limit: quota === null ? silent : Math.max(1, quota.limit),
      limitMs: LIMIT_HOLDS_WINDOWS * countsMs,
      remaining: quota?.remaining ?? null,
      endsInMs: quota === null ? 0 : quota.resetSeconds * 1000 + guardMs,
      blockedMs: blockMs === null ? 0 : blockMs + guardMs,
    };
    const entries = this.scope.kind === 'window' ? [{ id, countsMs, fliesMs: 0 }] : [];
    await this.tell({ entries, heard });
  }

  async drop(ids: readonly string[]): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (this.rest !== null && nowMs < this.rest.untilMs) this.rest.left += ids.length;
    await this.tell({ entries: ids.map((id) => ({ id, countsMs: 0, fliesMs: 0 })) });
  }

  matters(): boolean {
    const { counted, remaining, blockedMs } = this.own.change({});
    return counted > 0 || remaining !== null || blockedMs > 0 || this.clock.monotonicMs() - this.usedAtMs < COMMAND_MS;
  }

  /** Looks at the shared log if this one was used lately; tells it all of this one if it was away. */
  async refresh(wasAway: boolean): Promise<void> {
    if (!wasAway && this.clock.monotonicMs() - this.usedAtMs > USED_MS) return;
    const view = await this.link?.change(this.scope.name, wasAway ? this.own.all() : {});
    this.seen = view ?? this.seen;
  }

  /** Places within this replica's share, and if the shared log is in reach, within what all have left. */
  private async takeOwn(request: GrantRequest): Promise<Grant> {
    const share = this.shareNow();
    const before = this.own.change({});
    const reserved = this.own.has(request.ids);
    const wanted = this.wantedOf(
      request,
      request.ids,
      new Room(this.scope, request.headroom, before, { share, reserved }),
    );
    const view = this.own.change({ wanted });
    const ids = request.ids.slice(0, view.places);
    const shared = this.link?.isInReach === true ? await this.takeShared(request, ids) : null;
    const given = {
      granted: Math.min(view.granted, shared?.granted ?? view.granted),
      places: shared?.places ?? view.places,
    };
    if (shared !== null) this.own.change({ entries: this.entriesOf({ ...request, ids }, given) });
    const left = share?.left == null ? null : share.left - (this.own.change({}).counted - before.counted);
    if (this.rest !== null && left !== null) this.rest.left = left;
    if (given.places > 0) this.link?.countAlone();
    const room = new Room(this.scope, request.headroom, view, {
      share: share && { ...share, left },
      reserved: given.places - given.granted,
    });
    return this.grantOf(given, shared === null ? [room] : [room, shared.room]);
  }

  /** Places in the shared log; null if it is away. */
  private async takeShared(request: GrantRequest, ids: readonly string[]) {
    const { scope } = this;
    let view = this.seen ?? this.own.change({});
    let room = new Room(scope, request.headroom, view, { reserved: this.own.has(ids) });
    // Asked again if the bounds, which are those of what was seen last, have grown meanwhile.
    for (let isOutdated = true; isOutdated; ) {
      const wanted = this.wantedOf(request, ids, room);
      const next = await this.link?.change(scope.name, { wanted });
      if (next == null) return null;
      view = next;
      this.seen = view;
      room = new Room(scope, request.headroom, view, { reserved: view.places - view.granted });
      const { most, mostInFlight } = room.bounds();
      isOutdated = view.places < ids.length && (most > wanted.most || mostInFlight > wanted.mostInFlight);
    }
    // What the others have heard meanwhile may leave less.
    const given = { granted: view.granted - room.excess(), places: view.places };
    if (given.granted < view.granted) await this.tell({ entries: this.entriesOf({ ...request, ids }, given) });
    const reserved = given.places - given.granted;
    return { ...given, room: new Room(scope, request.headroom, { ...view, ...given }, { reserved }) };
  }

  /** What a request's calls are in a log: in flight, reserved, or not in it. */
  private entriesOf(request: GrantRequest, { granted, places }: Given): Entry[] {
    const { countsMs, fliesMs } = this.timesOf(request);
    return request.ids.map((id, place) => ({
      id,
      countsMs: place < places ? countsMs : 0,
      fliesMs: place < granted ? fliesMs : 0,
    }));
  }

  private grantOf({ granted, places }: Given, rooms: readonly Room[]): Grant {
    const { guardMs } = countedOf(this.scope);
    const startsInMs = (position: number) => Math.max(...rooms.map((room) => room.startsInMs(position)));
    return {
      granted,
      reserved: places - granted,
      startsInMs,
      // A caller who retries exactly when the service allows it waits out the guard second in the queue.
      retryInMs: (position) => Math.max(0, startsInMs(position) - guardMs),
      resumesInMs: Math.min(...rooms.map(({ resumesInMs }) => resumesInMs)),
      left: Math.min(...rooms.map(({ left }) => left)),
    };
  }

  private wantedOf(request: GrantRequest, ids: readonly string[], room: Room): NonNullable<LogChange['wanted']> {
    return { ids, all: request.all === true, ...this.timesOf(request), ...room.bounds() };
  }

  private timesOf({ leaseMs }: GrantRequest): Omit<Entry, 'id'> {
    const { countsMs } = countedOf(this.scope);
    if (this.scope.kind === 'pace') return { countsMs, fliesMs: 0 };
    return { countsMs: leaseMs + countsMs, fliesMs: leaseMs };
  }

  /** This replica's share; null if it is the only one. */
  private shareNow(): Share | null {
    if (this.link === null) return null;
    const nowMs = this.clock.monotonicMs();
    const parts = this.link.replicas;
    const { countsMs } = countedOf(this.scope);
    this.rest ??=
      this.seen === null
        ? { left: 0, untilMs: nowMs }
        : { left: Math.floor(Math.max(0, new Room(this.scope, 0, this.seen).free) / parts), untilMs: nowMs + countsMs };
    const forMs = this.rest.untilMs - nowMs;
    return { parts, left: forMs > 0 ? this.rest.left : null, forMs };
  }

  private async tell(change: LogChange): Promise<void> {
    this.own.change(change);
    const view = await this.link?.change(this.scope.name, change);
    this.seen = view ?? this.seen;
  }
}

/** Longer than any command to the shared log takes. */
const COMMAND_MS = 1000;
