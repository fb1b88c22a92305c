import { createTurnQueue } from './turn-queue.js';

/**
 * Milliseconds that long work may keep the event loop before it lets the loop turn. A turn of the loop costs
 * microseconds, and a small query needs a few of them: between two of its steps, others work for this long.
 */
const TURN_MS = 2;

const queue = createTurnQueue();
let startedAt: number | null = null;
let isEndScheduled = false;

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
 * Resolves in a turn of the owner's own, for work that takes long and cannot be interrupted: of all such work, one piece
 * is done in a turn, and what came from outside meanwhile goes before the next one.
 */
export function ownTurn(owner: object): Promise<void> {
  scheduleEnd();
  return new Promise<void>((resolve) => queue.pushLong(owner, resolve));
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
  if (queue.isEmpty) return;
  queue.pass();
  startTurn();
  proceed();
}

/** Continues with one after the other until the turn is spent. What comes from outside then finds a fresh one. */
function proceed(): void {
  const next = isTurnSpent() ? undefined : queue.next();
  if (next === undefined) {
    startedAt = null;
    return;
  }
  next();
  // A tick that a microtask queues runs when all microtasks have: what `next` resumed has then done its part.
  queueMicrotask(() => process.nextTick(proceed));
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
