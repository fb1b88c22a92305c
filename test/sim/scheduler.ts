import { type Event, push, shift } from './event-heap.js';

/** A process of the simulated world: its events are dropped when it ends, and wait while it is paused. */
export interface Process {
  readonly name: string;
  alive: boolean;
  /** Until when it is paused, as by a long garbage collection. */
  pausedUntilMs: number;
}

/** The only clock and the only event queue of a simulated world. */
export interface Scheduler {
  readonly nowMs: number;
  /** A hash of all events so far: equal runs have equal hashes. */
  readonly hash: number;
  readonly count: number;
  /** The process whose event is running; null for the world's own. */
  readonly running: Process | null;
  /** Runs a task after `ms`. The returned function cancels it. */
  after(ms: number, event: { readonly name: string; readonly of: Process | null; run(): void }): () => void;
  /** Adds an event to the hash and to the list that a failure prints. */
  note(text: string): void;
  /** The latest events. */
  recent(): readonly string[];
  /** Runs all events up to a time, settling all promises after each. */
  runUntil(ms: number): Promise<void>;
  /** Names of a process's pending events. */
  waiting(of: Process): readonly string[];
}

/** Lines that a failure prints. */
const RECENT = 80;
/** Events that are not printed: there are thousands, and they are no use to a reader. */
const UNTOLD = new Set([
  'wakes',
  'hears the store',
  'is refused by the store',
  'a command reaches the store',
  'gives up on the store',
]);
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

interface Line {
  readonly atMs: number;
  readonly who: string | null;
  readonly what: string;
}

export function createScheduler(): Scheduler {
  const heap: Event[] = [];
  const lines: Line[] = [];
  const hashes = new Map<string, number>();
  let nowMs = 0;
  let numbers = 0;
  let count = 0;
  let hash = FNV_START;
  let running: Process | null = null;

  function mix(number: number): void {
    hash = Math.imul(hash ^ number, FNV_PRIME) >>> 0;
  }

  /** Cached, as a few texts recur all the time. */
  function hashOf(text: string): number {
    let mixed = hashes.get(text);
    if (mixed !== undefined) return mixed;
    mixed = FNV_START;
    for (let i = 0; i < text.length; i += 1) mixed = Math.imul(mixed ^ text.charCodeAt(i), FNV_PRIME);
    hashes.set(text, mixed);
    return mixed;
  }

  function record(who: string | null, what: string): void {
    mix(Math.round(nowMs * 1000));
    if (who !== null) mix(hashOf(who));
    mix(hashOf(what));
    if (!UNTOLD.has(what) && lines.push({ atMs: nowMs, who, what }) > 2 * RECENT) lines.splice(0, RECENT);
  }

  /** Postpones the event of a paused process until it resumes; events keep their order. */
  function postponed(event: Event): boolean {
    if (event.of === null || event.of.pausedUntilMs <= nowMs) return false;
    event.atMs = event.of.pausedUntilMs;
    push(heap, event);
    return true;
  }

  return {
    get nowMs() {
      return nowMs;
    },
    get hash() {
      return hash;
    },
    get count() {
      return count;
    },
    get running() {
      return running;
    },
    note: (text) => record(null, text),
    recent: () => lines.slice(-RECENT).map(written),
    after(ms, { name, of, run }) {
      numbers += 1;
      const dueMs = nowMs + Math.max(0, ms);
      const event = { atMs: dueMs, dueMs, number: numbers, name, of, run, calledOff: false };
      push(heap, event);
      return () => {
        event.calledOff = true;
      };
    },
    async runUntil(ms) {
      // Events scheduled between two runs must happen at their own time.
      await settle();
      for (let event = heap[0]; event !== undefined && event.atMs <= ms; event = heap[0]) {
        shift(heap);
        if (event.calledOff || event.of?.alive === false) continue;
        nowMs = event.atMs;
        if (postponed(event)) continue;
        count += 1;
        running = event.of;
        record(event.of?.name ?? 'the world', event.name);
        event.calledOff = true;
        event.run();
        await settle();
      }
      running = null;
      nowMs = ms;
    },
    waiting: (of) => heap.filter((event) => event.of === of && !event.calledOff).map(({ name }) => name),
  };
}

function written({ atMs, who, what }: Line): string {
  return `${(atMs / 1000).toFixed(3).padStart(8)} s  ${who === null ? what : `${who} ${what}`}`;
}

/** Settles all promises that can settle. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
