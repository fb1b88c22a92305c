import { createLru } from '../../kernel/caches.js';

/** Turns after which an owner's work counts as long. A small query needs only a few. */
const FEW_TURNS = 16;

/**
 * Work that waits for a turn of the event loop, grouped by request. In every other turn, requests that have had few
 * turns go first: a small one does not wait for all the large ones, nor a large one for ever. Callers take turns. Of
 * one caller's requests the earliest continues: side by side, all would finish late, each half done in memory. So would
 * the lists within lists of one request: of its own work, what came last continues.
 */
export interface TurnQueue {
  readonly isEmpty: boolean;
  push(owner: object, resume: () => void): void;
  /** Forgets the work of an owner, which is never resumed. */
  drop(owner: object): void;
  /** Starts the next turn, for another caller. */
  pass(): void;
  /** Next work in this turn: all of one owner's, then others'. Undefined while no waiting caller has time left. */
  next(): Work | undefined;
}

/** A piece of work, and the request that it is for. */
export interface Work {
  readonly owner: object;
  resume(): void;
}

interface Waiting {
  readonly owner: object;
  readonly resume: (() => void)[];
}

/** A request that has waited before. */
interface Known {
  /** Earlier ones have smaller numbers. */
  readonly number: number;
  turns: number;
}

const callers = new WeakMap<object, string>();

/** Counts the work for a request towards its caller; otherwise the request counts as a caller of its own. */
export function takeTurnsFor(caller: string, owner: object): void {
  callers.set(owner, caller);
}

/** The caller of a request; undefined if `takeTurnsFor` was not called for it. */
export function callerOf(owner: object): string | undefined {
  return callers.get(owner);
}

/** Creates an empty queue. `mayWork` says whether a caller has time left. */
export function createTurnQueue(mayWork: (caller: string) => boolean): TurnQueue {
  const knownOf = new WeakMap<object, Known>();
  const numberOf = ({ owner }: Waiting) => knownOf.get(owner)?.number ?? 0;
  const few = createLine(numberOf, mayWork);
  const many = createLine(numberOf, mayWork);
  const waitingOf = new Map<object, Waiting>();
  let requests = 0;
  let fewGoFirst = true;
  let served: Waiting | null = null;

  function enqueue(waiting: Waiting): void {
    const known = knownOf.get(waiting.owner) ?? { number: requests++, turns: 0 };
    knownOf.set(waiting.owner, known);
    const line = known.turns < FEW_TURNS ? few : many;
    line.push(waiting);
  }

  function serve(): Waiting | null {
    const waiting = fewGoFirst ? (few.shift() ?? many.shift()) : (many.shift() ?? few.shift());
    const known = waiting === undefined ? undefined : knownOf.get(waiting.owner);
    if (known !== undefined) known.turns += 1;
    return waiting ?? null;
  }

  function push(owner: object, resume: () => void): void {
    const known = waitingOf.get(owner);
    if (known !== undefined) {
      known.resume.push(resume);
      return;
    }
    const waiting = { owner, resume: [resume] };
    waitingOf.set(owner, waiting);
    enqueue(waiting);
  }

  return {
    get isEmpty() {
      return waitingOf.size === 0;
    },
    push,
    drop(owner) {
      const waiting = waitingOf.get(owner);
      if (waiting !== undefined) waiting.resume.length = 0;
    },
    pass() {
      fewGoFirst = !fewGoFirst;
      if (served !== null) enqueue(served);
      served = null;
    },
    next() {
      for (;;) {
        served ??= serve();
        if (served === null) return undefined;
        const { owner, resume } = served;
        const next = resume.pop();
        if (resume.length === 0) {
          waitingOf.delete(owner);
          served = null;
        }
        if (next !== undefined) return { owner, resume: next };
      }
    },
  };
}

/** A queue in which callers with time left take turns, each with their earliest request. */
function createLine(numberOf: (waiting: Waiting) => number, mayWork: (caller: string) => boolean) {
  const byCaller = new Map<string | object, Waiting[]>();
  return {
    push(waiting: Waiting): void {
      const caller = callerOf(waiting.owner) ?? waiting.owner;
      const others = byCaller.get(caller) ?? [];
      byCaller.set(caller, others);
      const later = others.findIndex((other) => numberOf(other) > numberOf(waiting));
      others.splice(later < 0 ? others.length : later, 0, waiting);
    },
    shift(): Waiting | undefined {
      for (const [caller, [first, ...others]] of byCaller) {
        if (typeof caller === 'string' && !mayWork(caller)) continue;
        byCaller.delete(caller);
        if (others.length > 0) byCaller.set(caller, others);
        return first;
      }
      return undefined;
    },
  };
}

/** Milliseconds of long work that a caller may do at once beside others: less than a hundredth of five seconds. */
const BURST_MS = 40;

/** A caller's fraction of the time after that burst, while others send requests: so small that they hardly notice. */
const SHARE = 0.25;

/** Milliseconds by which a caller may overdraw: a piece of work cannot be interrupted. */
const MAX_OWED_MS = 20;

/** How many milliseconds after their last request a caller still counts as sending requests. */
const ASKING_MS = 100;

/** Callers whose time is tracked; one that was evicted starts afresh. */
const MAX_CALLERS = 10_000;

/** How the time of long work is shared between callers. */
export interface Shares {
  /** A caller has sent a request. */
  asks(caller: string): void;
  /** Records how many milliseconds a caller's work took. */
  spend(caller: string, ms: number): void;
  /** Whether a caller has time left, or no other caller is sending requests. */
  mayWork(caller: string): boolean;
  /** Whether another caller has sent a request within so many milliseconds; of late if omitted. */
  othersAsk(caller: string, withinMs?: number): boolean;
}

/** Creates shares with nothing spent. */
export function createShares(now = () => performance.now()): Shares {
  const spentBy = createLru<{ readonly ms: number; readonly atMs: number }>(MAX_CALLERS);
  const nobody = { caller: '', atMs: Number.NEGATIVE_INFINITY };
  /** The caller of the last request, and the caller before them. */
  let [last, before] = [nobody, nobody];

  function spentMs(caller: string): number {
    const spent = spentBy.get(caller);
    return spent === undefined ? 0 : Math.max(0, spent.ms - SHARE * (now() - spent.atMs));
  }

  function othersAsk(caller: string, withinMs = ASKING_MS): boolean {
    const other = caller === last.caller ? before : last;
    return now() - other.atMs <= withinMs;
  }

  return {
    othersAsk,
    asks(caller) {
      if (caller !== last.caller) before = last;
      last = { caller, atMs: now() };
    },
    spend(caller, ms) {
      spentBy.set(caller, { ms: Math.min(spentMs(caller) + ms, BURST_MS + MAX_OWED_MS), atMs: now() });
    },
    mayWork: (caller) => spentMs(caller) < BURST_MS || !othersAsk(caller),
  };
}
