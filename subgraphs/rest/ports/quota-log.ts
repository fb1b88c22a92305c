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
  /** For how many milliseconds a call counts after it was answered: one that counts longer is in flight. */
  readonly countsMs: number;
  /** The log's epoch as far as it is known: if it has another, nothing changes. */
  readonly epoch?: string | null;
  /** Calls as they are now. */
  readonly entries?: readonly Entry[];
  readonly wanted?: Wanted;
  /** What a response reported. */
  readonly heard?: Heard;
}

/** One call, or one of its permits: for how many milliseconds it counts from now on; 0 removes it. */
export interface Entry {
  readonly id: string;
  readonly countsMs: number;
}

/** Calls that want to be sent: the first ones are admitted, as many as there is room for. */
export interface Wanted {
  /** The ids of each call's entries: one, or one for each permit. All of them are admitted, or none. */
  readonly calls: readonly (readonly string[])[];
  /** For how many milliseconds each counts if nobody says that it was answered. */
  readonly countsMs: number;
  /** What may count and what headers leave, unless something else was heard where the log is. */
  readonly limit: number;
  readonly remaining: number;
  /** What must stay free. */
  readonly leave: number;
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
  /** How many of the wanted calls may go, the first ones. */
  readonly granted: number;
  /** Calls that count; of these, those of bulk and those in flight. */
  readonly counted: number;
  readonly bulk: number;
  readonly inFlight: number;
  /** What was heard and still holds: calls a window, the lowest of those left of it, and when it ends. */
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly endsInMs: number;
  /** For so long the service refuses every call; 0 if it does not. */
  readonly blockedMs: number;
  /** If a wanted call may not go: milliseconds until calls stop counting, ascending, for the first hundred. */
  readonly frees: readonly number[];
}

/** What is left of the current window according to headers. */
interface Reported {
  readonly remaining: number;
  readonly endsMs: number;
}

/** Windows whose ends differ by less are the same, because services round to seconds. */
export const SAME_WINDOW_MS = 2000;
/** So many places of a log are known in advance. */
export const MOST_FREES = 100;

/** How many entries have room for now, of which so many may be added one after the other. */
function roomFor({ counted, inFlight, blockedMs }: LogView, wanted: Wanted): number {
  if (blockedMs > 0) return 0;
  const free = Math.min(wanted.limit - counted, wanted.remaining - inFlight) - wanted.leave;
  return Math.min(free, wanted.mostInFlight - inFlight);
}

/** The log of one scope in this process. */
export class MemoryLog {
  private readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Until when each call counts. */
  private readonly calls = new Map<string, number>();
  private limit = { calls: 0, untilMs: 0 };
  private reported: Reported | null = null;
  private blockedUntilMs = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.clock = clock;
  }

  change({ countsMs, entries = [], wanted, heard }: LogChange): LogView {
    const nowMs = this.clock.monotonicMs();
    for (const [id, untilMs] of this.calls) if (untilMs <= nowMs) this.calls.delete(id);
    for (const entry of entries) this.put(entry, nowMs);
    if (heard !== undefined) this.hear(heard, nowMs);
    const granted = wanted === undefined ? 0 : this.admit(wanted, this.view(countsMs, nowMs), nowMs);
    const isShort = wanted !== undefined && granted < wanted.calls.length;
    return { ...this.view(countsMs, nowMs), granted, frees: isShort ? this.frees(nowMs) : [] };
  }

  /** All of it, for another log to take over. */
  all(countsMs: number): LogChange {
    const nowMs = this.clock.monotonicMs();
    const entries = [...this.calls].map(([id, untilMs]) => ({ id, countsMs: Math.max(0, untilMs - nowMs) }));
    return { countsMs, entries, heard: { ...this.view(countsMs, nowMs), limitMs: this.limit.untilMs - nowMs } };
  }

  private put({ id, countsMs }: Entry, nowMs: number): void {
    if (countsMs <= 0) this.calls.delete(id);
    else this.calls.set(id, nowMs + countsMs);
  }

  private admit(wanted: Wanted, view: LogView, nowMs: number): number {
    const { calls, countsMs, limit } = wanted;
    let free = roomFor(view, wanted);
    for (const [place, ids] of calls.entries()) {
      const isKnown = this.calls.has(ids[0] ?? '');
      const isAlone = ids.length > Math.max(1, limit) && this.calls.size === 0;
      if (!isKnown && !isAlone && ids.length > free) return place;
      if (isKnown) continue;
      free -= ids.length;
      for (const id of ids) this.put({ id, countsMs }, nowMs);
    }
    return calls.length;
  }

  private hear({ limit, limitMs, remaining, endsInMs, blockedMs }: Heard, nowMs: number): void {
    if (limit !== null) this.limit = { calls: limit, untilMs: nowMs + limitMs };
    if (remaining !== null) {
      const endsMs = nowMs + endsInMs;
      const known = this.reportedAt(nowMs);
      // An end later by more than rounding belongs to the next window, about which the known figures say nothing.
      const isSame = known !== null && endsMs <= known.endsMs + SAME_WINDOW_MS;
      // Responses overtake each other; and a late one makes the end seem later, never earlier.
      this.reported = {
        remaining: Math.min(remaining, isSame ? known.remaining : remaining),
        endsMs: Math.min(endsMs, isSame ? known.endsMs : endsMs),
      };
    }
    this.blockedUntilMs = Math.max(this.blockedUntilMs, nowMs + blockedMs);
  }

  private view(countsMs: number, nowMs: number): LogView {
    let bulk = 0;
    let inFlight = 0;
    for (const [id, untilMs] of this.calls) {
      if (id.includes(BULK)) bulk += 1;
      if (untilMs > nowMs + countsMs) inFlight += 1;
    }
    const reported = this.reportedAt(nowMs);
    return {
      epoch: '',
      granted: 0,
      counted: this.calls.size,
      bulk,
      inFlight,
      limit: this.limit.untilMs > nowMs ? this.limit.calls : null,
      remaining: reported?.remaining ?? null,
      endsInMs: reported === null ? 0 : reported.endsMs - nowMs,
      blockedMs: Math.max(0, this.blockedUntilMs - nowMs),
      frees: [],
    };
  }

  private reportedAt(nowMs: number): Reported | null {
    return this.reported !== null && this.reported.endsMs > nowMs ? this.reported : null;
  }

  private frees(nowMs: number): number[] {
    const inMs = [...this.calls.values()].map((untilMs) => untilMs - nowMs);
    return inMs.sort((a, b) => a - b).slice(0, MOST_FREES);
  }
}
