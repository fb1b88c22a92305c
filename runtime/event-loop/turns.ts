import { callerOf, createShares, createTurnQueue, type Work } from './turn-queue.js';

/**
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
 * - The **owner** is the request that the work is for. Owners and their callers take turns (`turn-queue.ts`), and a
 *   caller who has used up a share of the time waits while others send requests.
 */

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
