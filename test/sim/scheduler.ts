/** A process of the simulated world: its events stop with it, and wait while it stands still. */
export interface Process {
  readonly name: string;
  alive: boolean;
  /** It stands still until then, as in a long garbage collection. */
  pausedUntilMs: number;
}

/** The one clock and the one list of events of a simulated world. */
export interface Scheduler {
  readonly nowMs: number;
  /** Events so far, mixed into one number: equal runs have equal hashes. */
  readonly hash: number;
  readonly count: number;
  /** The process whose event is running; null for the world's own. */
  readonly running: Process | null;
  /** Runs a task after `ms`. The returned function calls it off. */
  after(ms: number, event: { readonly name: string; readonly of: Process | null; run(): void }): () => void;
  /** Tells the hash, and the list that a failure prints, what happened. */
  note(text: string): void;
  /** The last things that happened. */
  recent(): readonly string[];
  /** Runs all events up to a moment, with all promises settled after each. */
  runUntil(ms: number): Promise<void>;
  /** Events of a process that are still to come, by name. */
  waiting(of: Process): readonly string[];
}

interface Event {
  atMs: number;
  /** When it was due, which a process that stood still keeps the order of. */
  readonly dueMs: number;
  readonly number: number;
  readonly name: string;
  readonly of: Process | null;
  readonly run: () => void;
  calledOff: boolean;
}

/** So many lines a failure prints: what clocks and stores say is left out of them. */
const RECENT = 80;

export function createScheduler(): Scheduler {
  const heap: Event[] = [];
  const lines: string[] = [];
  let nowMs = 0;
  let numbers = 0;
  let count = 0;
  let hash = 0x811c9dc5;
  let running: Process | null = null;

  function note(text: string): void {
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
    if (text.endsWith('store') || text.endsWith('store is asked') || text.endsWith('wakes')) return;
    if (lines.push(`${nowMs.toFixed(3).padStart(11)} ${text}`) > 2 * RECENT) lines.splice(0, RECENT);
  }

  /** A process that stands still meets its events when it goes on, in their order. */
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
    note,
    recent: () => lines.slice(-RECENT),
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
      // What was begun between two runs happens at its own moment.
      await settle();
      for (let event = heap[0]; event !== undefined && event.atMs <= ms; event = heap[0]) {
        shift(heap);
        if (event.calledOff || event.of?.alive === false) continue;
        nowMs = event.atMs;
        if (postponed(event)) continue;
        count += 1;
        running = event.of;
        note(`${event.of?.name ?? 'world'} ${event.name}`);
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

/** Lets all promises that can settle do so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isBefore(a: Event, b: Event): boolean {
  return (a.atMs - b.atMs || a.dueMs - b.dueMs || a.number - b.number) < 0;
}

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(event, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = event;
}

function shift(heap: Event[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
    if (!isBefore(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}
