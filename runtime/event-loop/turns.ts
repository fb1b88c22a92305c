/*
 * Long work in turns, so that nobody waits for it.
 *
 * One thread answers all requests. Work that takes longer than a millisecond is done in steps, and between two of them
 * the event loop turns: Node reads what has arrived and sends what is ready. A **turn** is the time between two such
 * moments; it is **spent** once long work has run in it for `TURN_MS`. Work that waits is resumed in the order in which it
 * began to wait, one piece each time the loop comes round. So large requests take turns, and small ones, which hardly ever
 * wait, come between them. Where many requests begin or end, their callers take turns: whoever sends a thousand of them
 * delays their own. Work that has begun takes every second turn, however many callers wait.
 *
 * Work that can stop after each step asks `isTurnSpent`, and waits for a `freshTurn` if it is. A step of milliseconds
 * that cannot stop, such as parsing a large document, always waits for a `laterTurn`.
 */

/** Milliseconds that long work may take in a turn. A turn costs microseconds, and a small query needs a few of them. */
const TURN_MS = 1;

let startedAt: number | null = null;

/** What a caller is counted by. */
type Caller = string | object;

/** Of work that has begun, instead of a caller. */
const BEGUN = '';
/** What waits, by caller, in the order in which they are next. */
const waiting = new Map<Caller, (() => void)[]>();
let last: Caller = BEGUN;

/** Whether this turn of the event loop has been spent on long work. */
export function isTurnSpent(): boolean {
  if (startedAt !== null) return performance.now() - startedAt > TURN_MS;
  startTurn();
  return false;
}

function startTurn(): void {
  startedAt = performance.now();
  setImmediate(() => {
    startedAt = null;
  });
}

/** Resolves in a turn of the loop that is not spent: at once if this one is not. */
export async function freshTurn(caller?: Caller): Promise<void> {
  if (isTurnSpent()) await laterTurn(caller);
}

/** Resolves in a later turn: after all work of this caller that waits now, or all that has begun without one. */
export function laterTurn(caller: Caller = BEGUN): Promise<void> {
  return new Promise((resume) => {
    if (waiting.size === 0) setImmediate(resumeNext);
    const pieces = waiting.get(caller);
    if (pieces === undefined) waiting.set(caller, [resume]);
    else pieces.push(resume);
  });
}

function resumeNext(): void {
  const [next = BEGUN] = waiting.keys();
  last = last !== BEGUN && waiting.has(BEGUN) ? BEGUN : next;
  const pieces = waiting.get(last) ?? [];
  const resume = pieces.shift();
  waiting.delete(last);
  if (pieces.length > 0) waiting.set(last, pieces);
  startTurn();
  if (waiting.size > 0) setImmediate(resumeNext);
  resume?.();
}

/** Does work of a few milliseconds: at once if this turn is not spent, else in a later one. */
export function inTurn<T>(work: () => T, caller?: Caller): T | Promise<T> {
  return isTurnSpent() ? laterTurn(caller).then(work) : work();
}

/** Calls `use` with each item and lets the loop turn; returns a promise only if it had to wait. */
export function forEachInTurns<T>(items: Iterable<T>, use: (item: T) => void): Promise<void> | undefined {
  const rest = items[Symbol.iterator]();
  while (!isTurnSpent()) {
    const { done, value } = rest.next();
    if (done === true) return undefined;
    use(value);
  }
  return freshTurn().then(() => forEachInTurns({ [Symbol.iterator]: () => rest }, use));
}

/** Lists of which some items still wait for a turn, by the execution that they are completed in. */
const underWay = new WeakMap<object, Set<Promise<void>>>();

/**
 * The results of `use` for each item, for a consumer that does long work with one after the other: once the turn is
 * spent, they are promises for later turns. `execution` is what waits for its lists with `listsCompleted`.
 */
export function* inTurns<T, R>(execution: object, items: Iterable<T>, use: (item: T) => R): Generator<R | Promise<R>> {
  let turn: Promise<void> | null = null;
  for (const item of items) {
    if (turn === null && !isTurnSpent()) {
      yield use(item);
    } else {
      turn = turn === null ? freshTurn() : turn.then(() => freshTurn());
      yield turn.then(() => use(item));
    }
  }
  if (turn === null) return;
  const lists = underWay.get(execution) ?? new Set();
  underWay.set(execution, lists);
  const list: Promise<void> = turn.finally(() => lists.delete(list));
  lists.add(list);
}

/** Resolves in a later turn in which no list of this execution waits for one. */
export async function listsCompleted(execution: object): Promise<void> {
  do {
    await Promise.all(underWay.get(execution) ?? []);
    await laterTurn();
  } while ((underWay.get(execution)?.size ?? 0) > 0);
}

/** Runs all steps and lets the event loop turn between them; returns a promise only if it had to wait. */
export function stepsInTurns<T>(steps: Generator<void, T>): T | Promise<T> {
  while (!isTurnSpent()) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
  return freshTurn().then(() => stepsInTurns(steps));
}
