/**
 * Milliseconds that long work may keep the event loop before it lets the loop turn. A turn of the loop costs
 * microseconds, and a small query needs a few of them: between two of its steps, others work for this long.
 */
const TURN_MS = 5;

let began: number | null = null;

/** Long-running work whose turn is spent, in the order in which it queued for another one. */
const waiting: (() => void)[] = [];

/** Whether this turn of the event loop has been spent on long work, whosever it was. */
export function isTurnSpent(): boolean {
  if (began !== null) return performance.now() - began > TURN_MS;
  begin();
  return false;
}

/**
 * Resolves in a turn of the loop that is not spent: at once when this one is not. Each later turn is for the one who
 * waits longest, so that many large requests leave no small one behind.
 */
export async function freshTurn(): Promise<void> {
  if (isTurnSpent()) await new Promise<void>((resolve) => waiting.push(resolve));
}

function begin(): void {
  began = performance.now();
  setImmediate(end);
}

function end(): void {
  began = null;
  const next = waiting.shift();
  if (next === undefined) return;
  begin();
  next();
}

/** Does something with each item and lets the loop turn; returns a promise only where it had to. */
export function forEachInTurns<T>(items: Iterable<T>, use: (item: T) => void): Promise<void> | undefined {
  const rest = items[Symbol.iterator]();
  while (!isTurnSpent()) {
    const { done, value } = rest.next();
    if (done === true) return undefined;
    use(value);
  }
  return freshTurn().then(() => forEachInTurns({ [Symbol.iterator]: () => rest }, use));
}

/**
 * The items as `use` gives them, for someone who takes them one after the other and does long work with each: once the
 * turn is spent, they are promises for later turns.
 */
export function* inTurns<T, R>(items: Iterable<T>, use: (item: T) => R): Generator<R | Promise<R>> {
  let turn: Promise<void> | null = null;
  for (const item of items) {
    if (turn === null && !isTurnSpent()) {
      yield use(item);
    } else {
      turn = turn === null ? freshTurn() : turn.then(freshTurn);
      yield turn.then(() => use(item));
    }
  }
}
