import { createLru } from '../../kernel/caches.js';

/*
 * Long work in turns, so that nobody waits for it.
 *
 * One thread answers all requests. Work that takes longer than half a millisecond is done in steps, and between two of
 * them the event loop turns: Node reads what has arrived and sends what is ready. A **turn** is the time between two
 * such moments; it is **spent** once long work of any owner has run in it for `TURN_MS`.
 *
 *     events │ one owner's steps … spent │ events │ another owner's steps … spent │ events │ …
 *
 * - Work that can stop after each step asks `isTurnSpent`, and waits for a `freshTurn` if it is. The helpers below do
 *   so for lists and generators.
 * - A **piece** cannot stop: parsing or planning one operation. It waits for its `ownTurn`, and others then work for as
 *   long as it took.
 * - A **long piece** takes tens of milliseconds: a library merges a large response. After its `longTurn` there is none
 *   for twice as long while other callers send requests. A small query of theirs that waits for a subgraph does nothing
 *   here for a moment, and would meet one long piece after the other.
 * - The **owner** is the request that the work is for. Owners and their callers take turns (`TurnQueue`), and a
 *   caller who has used up a share of the time waits while others send requests.
 */

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
  /** The same, after all other work of the owner. */
  pushLast(owner: object, resume: () => void): void;
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

  /** The work of an owner that waits, the next at the end. */
  function workOf(owner: object): (() => void)[] {
    const known = waitingOf.get(owner);
    if (known !== undefined) return known.resume;
    const waiting = { owner, resume: [] };
    waitingOf.set(owner, waiting);
    enqueue(waiting);
    return waiting.resume;
  }

  return {
    get isEmpty() {
      return waitingOf.size === 0;
    },
    push: (owner, resume) => {
      workOf(owner).push(resume);
    },
    pushLast: (owner, resume) => {
      workOf(owner).unshift(resume);
    },
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

/** Milliseconds that long work may take in a turn. A turn costs microseconds, and a small query needs a few of them. */
const TURN_MS = 0.5;

/** If others worked for less than this in a turn, nobody else has anything to do. */
const IDLE_MS = 0.2;

/** How many times as long as a long piece took none follows: enough for a small query. */
const LONG_REST = 2;

/** Milliseconds for which a caller's request may still wait for something. */
const WAITING_MS = 1_000;

/** Milliseconds after which callers without time left are checked again. */
const RECHECK_MS = 2;

const shares = createShares();
const queue = createTurnQueue(shares.mayWork);
/** Work that cannot be interrupted. */
const pieces = createTurnQueue(shares.mayWork);
const longPieces = createTurnQueue(shares.mayWork);
/** Whose long piece was the last one, and until when there is no other. */
let lastLong = { caller: '', restUntilMs: 0 };
let startedAt: number | null = null;
let isEndScheduled = false;
let isRecheckScheduled = false;
/** When the last turn of waiting work ended. */
let endedAt = 0;
/** How long others may still work before the next piece: in total, as long as the last piece took. */
let restMs = 0;

/** Notes that a caller has sent a request: for a moment, no other caller gets more than their share of the time. */
export const asks: (caller: string) => void = shares.asks;

/** Whether this turn of the event loop has been spent on long work, of any owner. */
export function isTurnSpent(): boolean {
  if (startedAt !== null) return performance.now() - startedAt > TURN_MS;
  startTurn();
  return false;
}

/**
 * Resolves in a turn of the loop that is not spent: at once if this one is not. `owner` is the request that the work is
 * for, or any object that stands for it: owners take turns.
 */
export async function freshTurn(owner: object): Promise<void> {
  if (isTurnSpent()) await new Promise<void>((resolve) => queue.push(owner, resolve));
}

/** Resolves once no other work of the owner waits for a turn: what it still waits for comes from outside. */
export function lastTurn(owner: object): Promise<void> {
  scheduleEnd();
  return new Promise<void>((resolve) => queue.pushLast(owner, resolve));
}

/**
 * Resolves in a turn of its own, for work that takes long and cannot be interrupted. One such piece runs at a time, and
 * others then work for as long before the next one, unless they have nothing to do.
 */
export function ownTurn(owner: object): Promise<void> {
  scheduleEnd();
  return new Promise<void>((resolve) => pieces.push(owner, resolve));
}

/** The same for work that is known to take tens of milliseconds. */
export function longTurn(owner: object): Promise<void> {
  scheduleEnd();
  return new Promise<void>((resolve) => longPieces.push(owner, resolve));
}

/** Ends the work of an owner that waits for a turn: it is never resumed, and its memory is free. */
export function abandon(owner: object): void {
  queue.drop(owner);
}

function startTurn(): void {
  startedAt = performance.now();
  scheduleEnd();
}

function scheduleEnd(): void {
  if (isEndScheduled) return;
  isEndScheduled = true;
  setImmediate(end);
}

/** Events from outside have had their turn; the next one is for waiting work. */
function end(): void {
  isEndScheduled = false;
  startedAt = null;
  if (queue.isEmpty && pieces.isEmpty && longPieces.isEmpty) return;
  for (const one of [queue, pieces, longPieces]) one.pass();
  const now = performance.now();
  const othersMs = now - endedAt;
  endedAt = now;
  restMs -= othersMs;
  const isRested = restMs <= 0 || othersMs < IDLE_MS;
  const piece = isRested ? pieces.next() : undefined;
  const long = isRested && piece === undefined && mayRunLong(now) ? longPieces.next() : undefined;
  const next = piece ?? long ?? queue.next();
  if (next === undefined) {
    if (isRested) recheckSoon();
    else scheduleEnd();
    return;
  }
  startTurn();
  if (long !== undefined) resume(next, restAfterLong(long, now));
  else resume(next, piece === undefined ? proceed : restFor(now));
}

/** All waiting callers have spent their share. It grows with time, and is lifted when nobody else sends requests. */
function recheckSoon(): void {
  if (isRecheckScheduled) return;
  isRecheckScheduled = true;
  setTimeout(() => {
    isRecheckScheduled = false;
    scheduleEnd();
  }, RECHECK_MS);
}

/** Ends a piece that started at `startedMs`: others work for as long before the next one. */
function restFor(startedMs: number): () => void {
  return () => {
    restMs = performance.now() - startedMs;
    proceed();
  };
}

function mayRunLong(now: number): boolean {
  return now >= lastLong.restUntilMs || !shares.othersAsk(lastLong.caller, WAITING_MS);
}

function restAfterLong({ owner }: Work, startedMs: number): () => void {
  return () => {
    const now = performance.now();
    lastLong = { caller: callerOf(owner) ?? '', restUntilMs: now + LONG_REST * (now - startedMs) };
    proceed();
  };
}

/** Resumes waiting work until the turn is spent. Events from outside then find a fresh turn. */
function proceed(): void {
  const next = isTurnSpent() ? undefined : queue.next();
  if (next !== undefined) {
    resume(next, proceed);
    return;
  }
  startedAt = null;
  endedAt = performance.now();
}

/** Resumes work, and calls `goOn` when this step of it is done. */
function resume({ owner, resume: work }: Work, goOn: () => void): void {
  const caller = callerOf(owner);
  const startedMs = performance.now();
  work();
  const done = () => {
    if (caller !== undefined) shares.spend(caller, performance.now() - startedMs);
    goOn();
  };
  // A tick queued by a microtask runs after all microtasks.
  queueMicrotask(() => process.nextTick(done));
}

/** Does work of a few milliseconds: at once if this turn is not spent, else in a later one. */
export function inTurn<T>(owner: object, work: () => T): T | Promise<T> {
  return isTurnSpent() ? freshTurn(owner).then(work) : work();
}

/** Calls `use` with each item and lets the loop turn; returns a promise only if it had to wait. */
export function forEachInTurns<T>(
  owner: object,
  items: Iterable<T>,
  use: (item: T) => void,
): Promise<void> | undefined {
  const rest = items[Symbol.iterator]();
  while (!isTurnSpent()) {
    const { done, value } = rest.next();
    if (done === true) return undefined;
    use(value);
  }
  return freshTurn(owner).then(() => forEachInTurns(owner, { [Symbol.iterator]: () => rest }, use));
}

/**
 * The results of `use` for each item, for a consumer that does long work with one after the other: once the turn is
 * spent, they are promises for later turns.
 */
export function* inTurns<T, R>(owner: object, items: Iterable<T>, use: (item: T) => R): Generator<R | Promise<R>> {
  let turn: Promise<void> | null = null;
  for (const item of items) {
    if (turn === null && !isTurnSpent()) {
      yield use(item);
    } else {
      turn = turn === null ? freshTurn(owner) : turn.then(() => freshTurn(owner));
      yield turn.then(() => use(item));
    }
  }
}

/** Runs all steps and lets the event loop turn between them. `owner` is the request that they are for. */
export async function stepsInTurns<T>(owner: object, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (isTurnSpent()) await freshTurn(owner);
  }
}

/** Runs all steps at once, for who cannot wait. */
export function stepsAtOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** One buffer of all chunks, copied in turns: several of dozens of megabytes at once would stop all others. */
export async function joined(owner: object, chunks: readonly Uint8Array[]): Promise<Buffer> {
  const [first] = chunks;
  if (chunks.length === 1 && Buffer.isBuffer(first)) return first;
  const whole = Buffer.allocUnsafe(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    if (isTurnSpent()) await freshTurn(owner);
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
