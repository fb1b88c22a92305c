import { createShares } from './shares.js';
import { callerOf, createTurnQueue, type Work } from './turn-queue.js';

/**
 * Milliseconds that long work may block the event loop before it lets the loop turn. A turn of the loop costs
 * microseconds, and a small query needs a few of them: between two of its steps, others work for this long.
 */
const TURN_MS = 0.5;

/** A turn in which others worked for less than this was free: nobody else has anything to do. */
const IDLE_MS = 0.2;

/** Milliseconds after which those who have no time left are looked at again. */
const RECHECK_MS = 2;

const shares = createShares();
const queue = createTurnQueue(shares.mayWork);
/** Work that cannot be interrupted. */
const pieces = createTurnQueue(shares.mayWork);
let startedAt: number | null = null;
let isEndScheduled = false;
let isRecheckScheduled = false;
/** When those who wait last had their turn. */
let endedAt = 0;
/** How long others may still work before the next piece: in all, as long as the one before took. */
let restMs = 0;

/** A caller has sent a request: for a moment, no other gets more than their share of the time. */
export const asks: (caller: string) => void = shares.asks;

/** Whether this turn of the event loop has been spent on long work, whosever it was. */
export function isTurnSpent(): boolean {
  if (startedAt !== null) return performance.now() - startedAt > TURN_MS;
  startTurn();
  return false;
}

/**
 * Resolves in a turn of the loop that is not spent: at once when this one is not. The owner is the request that the work
 * is for, or any object that stands for it: owners take turns.
 */
export async function freshTurn(owner: object): Promise<void> {
  if (isTurnSpent()) await new Promise<void>((resolve) => queue.push(owner, resolve));
}

/**
 * Resolves in a turn of its own, for work that takes long and cannot be interrupted. Of all such work one piece is done
 * at a time, and others then work for as long before the next one, unless they have nothing to do.
 */
export function ownTurn(owner: object): Promise<void> {
  scheduleEnd();
  return new Promise<void>((resolve) => pieces.push(owner, resolve));
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

/** What came from outside has had its turn. The next one is for those who wait. */
function end(): void {
  isEndScheduled = false;
  startedAt = null;
  if (queue.isEmpty && pieces.isEmpty) return;
  queue.pass();
  pieces.pass();
  const now = performance.now();
  const othersMs = now - endedAt;
  endedAt = now;
  restMs -= othersMs;
  const isRested = restMs <= 0 || othersMs < IDLE_MS;
  const piece = isRested ? pieces.next() : undefined;
  const next = piece ?? queue.next();
  if (next === undefined) {
    if (isRested) recheckSoon();
    else scheduleEnd();
    return;
  }
  startTurn();
  resume(next, piece === undefined ? proceed : restFor(now));
}

/** All who wait have spent their share. They get more of it as time passes, and when nobody else asks any longer. */
function recheckSoon(): void {
  if (isRecheckScheduled) return;
  isRecheckScheduled = true;
  setTimeout(() => {
    isRecheckScheduled = false;
    scheduleEnd();
  }, RECHECK_MS);
}

/** After a piece that started then: others work for as long before the next one. */
function restFor(startedMs: number): () => void {
  return () => {
    restMs = performance.now() - startedMs;
    proceed();
  };
}

/** Continues with one after the other until the turn is spent. What comes from outside then finds a fresh one. */
function proceed(): void {
  const next = isTurnSpent() ? undefined : queue.next();
  if (next !== undefined) {
    resume(next, proceed);
    return;
  }
  startedAt = null;
  endedAt = performance.now();
}

/** Resumes work, and goes on when it has done its part. */
function resume({ owner, resume: work }: Work, goOn: () => void): void {
  const caller = callerOf(owner);
  const startedMs = performance.now();
  work();
  const done = () => {
    if (caller !== undefined) shares.spend(caller, performance.now() - startedMs);
    goOn();
  };
  // A tick that a microtask queues runs when all microtasks have.
  queueMicrotask(() => process.nextTick(done));
}

/** Does work of some milliseconds: at once in a turn that is not spent, else in a later one. */
export function inTurn<T>(owner: object, work: () => T): T | Promise<T> {
  return isTurnSpent() ? freshTurn(owner).then(work) : work();
}

/** Does something with each item and lets the loop turn; returns a promise only where it had to. */
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
 * The items as `use` gives them, for someone who takes them one after the other and does long work with each: once the
 * turn is spent, they are promises for later turns.
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
