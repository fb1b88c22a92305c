import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { ScopeQuota } from '../../../kernel/source-figures.js';
import type { QuotaLeft } from '../../../kernel/trace.js';
import type { Clock } from '../ports/ports.js';
import { type Entry, type LogChange, type LogView, MemoryLog, type QuotaLog, type Wanted } from '../ports/quota-log.js';
import { Room, type Share, UNLIMITED } from './room.js';
import { countedOf, type Headroom, type QuotaScope } from './scopes.js';

/**
 * What the services let us call, and what we have used of it (reliability 8): of each scope, a log of our calls and the
 * lowest `remaining` that was heard. A call is added when it is sent, counts as in flight until it has **landed** (was
 * answered, or never will be), and from then on for a window. A process may die meanwhile: a call in flight has a
 * **lease**, at whose end it counts as landed.
 */
export type QuotaLedger = ReturnType<typeof createLedger>;

/** What a ledger needs to count together with other replicas. */
export interface SharedLedgerOptions {
  readonly log: QuotaLog;
  /** Unique id of this process. */
  readonly replica: string;
  /** Called with the reason when this replica starts to keep to its share; with null when it shares again. */
  readonly onFallback?: (reason: string | null) => void;
}

/** Calls that wait to be sent. */
export interface GrantRequest {
  /** The ids of each call's entries, in order of their turns. */
  readonly calls: readonly (readonly string[])[];
  /** Milliseconds after which a call is given up, so that a dead process does not block it. */
  readonly leaseMs: number;
  readonly headroom: Headroom;
}

/** How a call ended. */
export interface Landing {
  readonly ids: readonly string[];
  /** What the response's headers reported; null if nothing. */
  readonly quota: QuotaLeft | null;
  /** Milliseconds for which the service refuses every call of the scope; null when it did not refuse. */
  readonly blockMs: number | null;
  /** Milliseconds for which its permits are kept. */
  readonly keepMs?: number;
}

/** At this number, logs in which nothing counts are evicted; if none can be, new keys are refused. */
const MAX_LOGS = 10_000;
/** Shortest time between two searches for them. */
const SWEEP_MS = 1000;
/** Bytes of heap for a log with few calls, and its gate. */
const LOG_BYTES = 4000;

/**
 * A ledger that counts calls in this process, or if it is given a shared log, together with all other replicas
 * (reliability 8.2 and 8.3). Each replica has the log of its own calls beside that. While the shared one is away, it
 * takes its share of what was left; when it is back, it adds its own calls, and keeps to its share until the others
 * have had time to do the same.
 */
export function createLedger(clock: Clock, shared: SharedLedgerOptions | null, watchCache: WatchCache = unwatched) {
  const logs = new Map<string, ScopeLog>();
  const link = shared === null ? null : new Link(clock, shared);
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let closed = false;
  let cancel = () => {};
  watchCache('quota-accounts', () => LOG_BYTES * logs.size);

  async function heartbeat(one: Link): Promise<void> {
    const isBack = await one.beat();
    // What is known of a log must be recent when that is lost.
    await Promise.all([...logs.values()].map((log) => log.refresh(isBack)));
    one.told(isBack);
    if (!closed) cancel = clock.after(one.keepsToShare ? HEARTBEAT_AWAY_MS : HEARTBEAT_MS, () => void heartbeat(one));
  }

  if (link !== null) void heartbeat(link);
  return {
    /** Whether other processes count in the same ledger. */
    isShared: link !== null,
    /** Whether this process currently keeps to its share. */
    get isLocalFallback(): boolean {
      return link?.keepsToShare === true;
    },
    /** The log of a scope; equal names share one. */
    open(scope: QuotaScope): ScopeLog {
      const log = logs.get(scope.name) ?? new ScopeLog(scope, clock, link);
      logs.set(scope.name, log);
      return log;
    },
    /** Whether a scope's log is open, or can be without loss: strangers may send any number of keys. */
    hasRoomFor({ name }: QuotaScope): boolean {
      const nowMs = clock.monotonicMs();
      if (logs.size < MAX_LOGS || logs.has(name)) return true;
      if (nowMs - sweptAtMs < SWEEP_MS) return false;
      sweptAtMs = nowMs;
      for (const [one, log] of logs) if (!log.matters()) logs.delete(one);
      return logs.size < MAX_LOGS;
    },
    /** What the service last reported of the windows of an account, and of those of all, for people to read. */
    reported: (account: string): ScopeQuota[] => [...logs.values()].flatMap((log) => log.reported(account)),
    /** Stops taking part with the other processes. */
    close(): void {
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
/** So long the largest number of replicas that was seen counts: a slow one is not gone. */
const MEMORY_MS = 60_000;
/** So many replicas are assumed until this one has looked for others for so long: they may be starting too. */
const UNSEEN = 4;
const ARRIVAL_MS = 10_000;
/** By then every replica has found out that the log is back. */
const ALL_BACK_MS = 6000;
/** A command that is late once or twice is no loss: changes can be repeated. */
const FAILURES_UNTIL_AWAY = 3;

/** This replica's link to the shared log: whether that is in reach, and how many share it. */
class Link {
  /** Whether anything was ever counted, in the shared log or without it. */
  hasCounted = false;
  /** The largest number of replicas that was seen, and until when it counts. */
  private seen = { replicas: UNSEEN, forMs: ARRIVAL_MS, untilMs: Number.POSITIVE_INFINITY };
  private epoch: string | null = null;
  /** False from a command that fails until a heartbeat succeeds. */
  private isInReach = true;
  /** Until then each replica keeps to its share; infinite while the log is away. */
  private sharesUntilMs = Number.NEGATIVE_INFINITY;
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
    return this.seen.replicas;
  }

  /** Changes a shared log; null if it is away or was emptied. */
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

  /** Shows that this replica is there, and counts the others. Returns whether the log is back. */
  async beat(): Promise<boolean> {
    const wasAway = !this.isInReach;
    if (wasAway) this.epoch = null;
    this.isInReach = true;
    const hadCounted = this.hasCounted;
    const entries = [{ id: this.options.replica, countsMs: SILENT_MS }];
    const view = await this.change('replicas', { countsMs: SILENT_MS, entries });
    if (view === null) return false;
    const nowMs = this.clock.monotonicMs();
    const { forMs, untilMs } = this.seen;
    // None could be counted while the log was away, so the number from before holds for its full time again.
    if (wasAway || untilMs === Number.POSITIVE_INFINITY) this.seen.untilMs = nowMs + forMs;
    if (view.counted >= this.replicas || nowMs > untilMs)
      this.seen = { replicas: view.counted, forMs: MEMORY_MS, untilMs: nowMs + MEMORY_MS };
    // A process that has just started, and has done nothing, has nothing to tell.
    if (!hadCounted) this.sharesUntilMs = nowMs;
    return wasAway && hadCounted;
  }

  /** This replica has told what it did, and soon the others will have. */
  told(isBack: boolean): void {
    if (isBack && this.isInReach) this.sharesUntilMs = this.clock.monotonicMs() + ALL_BACK_MS;
    const isAway = this.keepsToShare && this.hasCounted;
    if (isAway !== this.isReported) this.options.onFallback?.(isAway ? this.reason : null);
    this.isReported = isAway;
  }

  private lose(cause: unknown): void {
    this.isInReach = false;
    this.sharesUntilMs = Number.POSITIVE_INFINITY;
    this.reason = cause instanceof Error ? cause.message : String(cause);
    this.told(false);
  }
}

/** A log unused for this long is not looked at with each heartbeat. */
const USED_MS = 120_000;
/** For so many windows a limit that was reported holds without a response that confirms it. */
const LIMIT_HOLDS_WINDOWS = 3;
/** Longer than any command to the shared log takes. */
const COMMAND_MS = 1000;

/** One replica's log of a scope: its own calls, and what it last saw of all replicas'. */
export class ScopeLog {
  private readonly scope: QuotaScope;
  private readonly clock: Clock;
  private readonly link: Link | null;
  private readonly own: MemoryLog;
  private readonly countsMs: number;
  private usedAtMs = Number.NEGATIVE_INFINITY;
  private reportedLimit: number | null = null;
  /** What the shared log last held; null if it was never seen. */
  private seen: LogView | null = null;
  /** What is left of this replica's share of what was free when the others were lost, until their calls do not count. */
  private rest: { left: number; readonly untilMs: number } | null = null;

  constructor(scope: QuotaScope, clock: Clock, link: Link | null) {
    this.scope = scope;
    this.clock = clock;
    this.link = link;
    this.own = new MemoryLog(clock);
    this.countsMs = countedOf(scope).countsMs;
  }

  /** Adds as many calls as have room, the first ones, and says how many. Never rejects. */
  async take(request: GrantRequest): Promise<Room> {
    this.usedAtMs = this.clock.monotonicMs();
    const grant = (await this.takeShared(request)) ?? this.takeOwn(request);
    if (grant.granted > 0 && this.link !== null) this.link.hasCounted = true;
    return grant;
  }

  /** Records that a call was answered, or never will be. */
  async land({ ids, quota, blockMs, keepMs = 0 }: Landing): Promise<void> {
    const { limit, guardMs } = countedOf(this.scope);
    this.reportedLimit = quota?.limit ?? this.reportedLimit;
    // A response without headers shows that the service announces no limit.
    const known = this.seen?.limit ?? this.own.change({ countsMs: this.countsMs }).limit;
    const silent = limit === null && known === null ? UNLIMITED : null;
    const heard = {
      limit: quota === null ? silent : Math.max(1, quota.limit),
      limitMs: LIMIT_HOLDS_WINDOWS * this.countsMs,
      remaining: quota?.remaining ?? null,
      endsInMs: quota === null ? 0 : quota.resetSeconds * 1000 + guardMs,
      blockedMs: blockMs === null ? 0 : blockMs + guardMs,
    };
    // A pace counts a call from when it was sent.
    const isPace = this.scope.kind === 'pace';
    await this.tell({ entries: isPace ? [] : entriesOf(ids, this.countsMs + keepMs), heard });
  }

  /** Takes calls out again that were not sent. */
  async drop(ids: readonly string[]): Promise<void> {
    if (this.rest !== null) this.rest.left += ids.length;
    await this.tell({ entries: entriesOf(ids, 0) });
  }

  /** Whether anything in it still counts. */
  matters(): boolean {
    const { counted, remaining, blockedMs } = this.own.change({ countsMs: this.countsMs });
    return counted > 0 || remaining !== null || blockedMs > 0 || this.clock.monotonicMs() - this.usedAtMs < COMMAND_MS;
  }

  /** What was last reported, if it is of this account or of all; a window that has ended is whole again. */
  reported(account: string): ScopeQuota[] {
    const { scope, reportedLimit: limit } = this;
    if (scope.kind !== 'window' || limit === null || (scope.account ?? account) !== account) return [];
    const { remaining, endsInMs } = this.own.change({ countsMs: this.countsMs });
    const resetSeconds = Math.max(0, Math.ceil((endsInMs - countedOf(scope).guardMs) / 1000));
    const left = resetSeconds === 0 ? limit : (remaining ?? limit);
    return [{ scope: scope.label ?? scope.name, limit, remaining: left, resetSeconds }];
  }

  /** Looks at the shared log if this one was used lately; tells it all of this one if it was away. */
  async refresh(wasAway: boolean): Promise<void> {
    const { countsMs } = this;
    if (!wasAway && this.clock.monotonicMs() - this.usedAtMs > USED_MS) return;
    const view = await this.link?.change(this.scope.name, wasAway ? this.own.all(countsMs) : { countsMs });
    this.seen = view ?? this.seen;
  }

  /** Room among all replicas; null if this one keeps to its share. */
  private async takeShared(request: GrantRequest): Promise<Room | null> {
    const { scope, link, countsMs } = this;
    if (link === null || link.keepsToShare) return null;
    const before = this.seen ?? this.own.change({ countsMs });
    const { leave, mostInFlight } = new Room(scope, request.headroom, before, null).bounds();
    // What was heard there holds, and not what was when this replica last looked.
    const limit = countedOf(scope).limit ?? 1;
    const wanted = this.wantedOf(request, { limit, remaining: UNLIMITED, leave, mostInFlight });
    const view = await link.change(scope.name, { countsMs, wanted });
    if (view === null) return null;
    this.rest = null;
    this.seen = view;
    this.own.change({ countsMs, entries: entriesOf(request.calls.slice(0, view.granted).flat(), wanted.countsMs) });
    return new Room(scope, request.headroom, view, null);
  }

  /** Room in this process, or within its share of it. */
  private takeOwn(request: GrantRequest): Room {
    const { scope, countsMs } = this;
    const share = this.shareNow();
    const before = this.own.change({ countsMs });
    const room = new Room(scope, request.headroom, before, share);
    const wanted = this.wantedOf(request, room.bounds());
    const view = this.own.change({ countsMs, wanted });
    // The shared log may be back already.
    void this.tell({ entries: entriesOf(request.calls.slice(0, view.granted).flat(), wanted.countsMs) });
    if (share?.left == null || this.rest === null) return new Room(scope, request.headroom, view, share);
    this.rest.left -= view.counted - before.counted;
    return new Room(scope, request.headroom, view, { ...share, left: this.rest.left });
  }

  private wantedOf({ calls, leaseMs }: GrantRequest, bounds: Omit<Wanted, 'calls' | 'countsMs'>): Wanted {
    return { calls, countsMs: this.scope.kind === 'pace' ? this.countsMs : leaseMs + this.countsMs, ...bounds };
  }

  /** This replica's share; null if it is the only one. */
  private shareNow(): Share | null {
    if (this.link === null) return null;
    const nowMs = this.clock.monotonicMs();
    const parts = this.link.replicas;
    const free = this.seen === null ? 0 : Math.max(0, new Room(this.scope, 0, this.seen, null).free);
    this.rest ??= { left: Math.floor(free / parts), untilMs: this.seen === null ? nowMs : nowMs + this.countsMs };
    const forMs = this.rest.untilMs - nowMs;
    return { parts, left: forMs > 0 ? this.rest.left : null, forMs };
  }

  private async tell(change: Omit<LogChange, 'countsMs'>): Promise<void> {
    const { countsMs } = this;
    this.own.change({ countsMs, ...change });
    const view = await this.link?.change(this.scope.name, { countsMs, ...change });
    this.seen = view ?? this.seen;
  }
}

function entriesOf(ids: readonly string[], countsMs: number): Entry[] {
  return ids.map((id) => ({ id, countsMs }));
}
