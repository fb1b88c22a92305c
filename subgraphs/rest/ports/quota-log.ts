import type { QuotaLeft } from '../../../kernel/trace.js';
import type { Clock } from './ports.js';

/** What marks the id of a bulk call. */
export const BULK = '~';

/** Logs of calls by scope: in this process, or those of all replicas in Redis (`redis-quota-log.ts`). */
export interface QuotaLog {
  /** Changes one log in one step, and returns what counts in it afterwards. Rejects if the log is out of reach. */
  change(scope: string, change: LogChange): Promise<LogView>;
}

/** A change of a log. Repeated, it changes nothing more. */
export interface LogChange {
  /** The log's epoch as far as it is known: if it has another, nothing changes, and the view is null. */
  readonly epoch?: string | null;
  /** Calls as they are now. */
  readonly entries?: readonly Entry[];
  /**
   * Calls that want a place: as many join as the bounds allow, the first ones; those that have one keep it. Of these, as
   * many as may be in flight are as the entry says, and the others are reserved.
   */
  readonly wanted?: Bounds & Omit<Entry, 'id'> & { readonly ids: readonly string[]; readonly all: boolean };
  /** What a response reported. */
  readonly heard?: Heard;
}

/** One call: for how many milliseconds it counts (0 removes it), and for how many it may be in flight. */
export interface Entry {
  readonly id: string;
  readonly countsMs: number;
  readonly fliesMs: number;
}

/** The most calls that may count after a grant, and that may be in flight. */
export interface Bounds {
  readonly most: number;
  readonly mostInFlight: number;
}

/** What a response reported of a window: null where it reported nothing. */
export interface Heard extends Pick<LogView, 'limit' | 'remaining' | 'endsInMs' | 'blockedMs'> {
  /** For so long the limit holds unless another response confirms it. */
  readonly limitMs: number;
}

/** What counts in a log. */
export interface LogView {
  /** Identifies the log's contents: another one shows that it was emptied. */
  readonly epoch: string;
  /** How many of the wanted calls may go, the first ones, and how many have a place, with these. */
  readonly granted: number;
  readonly places: number;
  /** Calls that count, reserved ones too; of these, those of bulk and those in flight. */
  readonly counted: number;
  readonly bulk: number;
  readonly inFlight: number;
  /** What was heard and still holds: calls a window, the lowest of those left of it, and when it ends. */
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly endsInMs: number;
  /** For so long the service refuses every call; 0 if it does not. */
  readonly blockedMs: number;
  /** If a call got no place: milliseconds until calls stop counting, ascending, for the first hundred. */
  readonly frees: readonly number[];
}

/** What is left of the current window according to headers. */
export interface Reported {
  readonly remaining: number;
  readonly endsMs: number;
}

/** Windows whose ends differ by less are the same, because services round to seconds. */
export const SAME_WINDOW_MS = 2000;
/** So many places of a log are known in advance. */
export const MOST_FREES = 100;

/** The report of headers read at a moment. */
export function reportOf({ remaining, resetSeconds }: QuotaLeft, readAtMs: number): Reported {
  return { remaining, endsMs: readAtMs + resetSeconds * 1000 };
}

/**
 * What is known about the current window after a response: the lowest `remaining`, because responses overtake each
 * other, and the earliest end, because a late response makes the end seem later, never earlier.
 */
export function mergeReports(known: Reported | null, next: Reported): Reported {
  // An end later by more than rounding belongs to the next window, about which the known figures say nothing.
  if (known === null || next.endsMs > known.endsMs + SAME_WINDOW_MS) return next;
  return { remaining: Math.min(known.remaining, next.remaining), endsMs: Math.min(known.endsMs, next.endsMs) };
}

const NOTHING = { granted: 0, places: 0 };

/** The log of one scope in this process. */
export class MemoryLog {
  private readonly clock: Pick<Clock, 'monotonicMs'>;
  private calls = new Map<string, { readonly untilMs: number; readonly fliesUntilMs: number }>();
  private limit = { calls: 0, untilMs: 0 };
  private reported: Reported | null = null;
  private blockedUntilMs = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.clock = clock;
  }

  change({ entries = [], wanted, heard }: LogChange): LogView {
    const nowMs = this.clock.monotonicMs();
    for (const [id, { untilMs }] of this.calls) if (untilMs <= nowMs) this.calls.delete(id);
    for (const entry of entries) this.put(entry, nowMs);
    if (heard !== undefined) this.hear(heard, nowMs);
    const given = wanted === undefined ? NOTHING : this.grant(wanted, nowMs);
    const isShort = wanted !== undefined && given.places < wanted.ids.length;
    return { ...this.view(nowMs), ...given, frees: isShort ? this.frees(nowMs) : [] };
  }

  /** How many of these calls it has. */
  has(ids: readonly string[]): number {
    return ids.filter((id) => this.calls.has(id)).length;
  }

  /** All of it, for another log to take over. */
  all(): LogChange {
    const nowMs = this.clock.monotonicMs();
    const entries = [...this.calls].map(([id, { untilMs, fliesUntilMs }]) => ({
      id,
      countsMs: Math.max(0, untilMs - nowMs),
      fliesMs: Math.max(0, fliesUntilMs - nowMs),
    }));
    return { entries, heard: { ...this.view(nowMs), limitMs: this.limit.untilMs - nowMs } };
  }

  private put({ id, countsMs, fliesMs }: Entry, nowMs: number): void {
    if (countsMs <= 0) this.calls.delete(id);
    else this.calls.set(id, { untilMs: nowMs + countsMs, fliesUntilMs: nowMs + fliesMs });
  }

  private grant(wanted: NonNullable<LogChange['wanted']>, nowMs: number): typeof NOTHING {
    const { ids, all, most, mostInFlight, countsMs, fliesMs } = wanted;
    const isFlying = (id: string) => (this.calls.get(id)?.fliesUntilMs ?? 0) > nowMs;
    // Reservations go to whose turn it is now.
    for (const id of ids) if (!isFlying(id)) this.calls.delete(id);
    let { counted, inFlight } = this.view(nowMs);
    const isTogether = all && counted > 0 && counted + ids.length > most;
    let [granted, places] = [0, 0];
    for (const id of ids) {
      if (isFlying(id)) granted += 1;
      else {
        if (isTogether || (!all && counted >= most)) break;
        counted += 1;
        if (granted === places && inFlight < mostInFlight) {
          this.put({ id, countsMs, fliesMs }, nowMs);
          inFlight += fliesMs > 0 ? 1 : 0;
          granted += 1;
        } else this.put({ id, countsMs, fliesMs: 0 }, nowMs);
      }
      places += 1;
    }
    return { granted, places };
  }

  private hear({ limit, limitMs, remaining, endsInMs, blockedMs }: Heard, nowMs: number): void {
    if (limit !== null) this.limit = { calls: limit, untilMs: nowMs + limitMs };
    if (remaining !== null) {
      const known = this.reported !== null && this.reported.endsMs > nowMs ? this.reported : null;
      this.reported = mergeReports(known, { remaining, endsMs: nowMs + endsInMs });
    }
    this.blockedUntilMs = Math.max(this.blockedUntilMs, nowMs + blockedMs);
  }

  private view(nowMs: number): Omit<LogView, 'granted' | 'places' | 'frees'> {
    let bulk = 0;
    let inFlight = 0;
    for (const [id, { fliesUntilMs }] of this.calls) {
      if (id.includes(BULK)) bulk += 1;
      if (fliesUntilMs > nowMs) inFlight += 1;
    }
    const reported = this.reported !== null && this.reported.endsMs > nowMs ? this.reported : null;
    return {
      epoch: '',
      counted: this.calls.size,
      bulk,
      inFlight,
      limit: this.limit.untilMs > nowMs ? this.limit.calls : null,
      remaining: reported?.remaining ?? null,
      endsInMs: reported === null ? 0 : reported.endsMs - nowMs,
      blockedMs: Math.max(0, this.blockedUntilMs - nowMs),
    };
  }

  private frees(nowMs: number): number[] {
    const inMs = [...this.calls.values()].map(({ untilMs }) => untilMs - nowMs);
    return inMs.sort((a, b) => a - b).slice(0, MOST_FREES);
  }
}
