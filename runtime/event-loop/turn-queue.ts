/** Turns after which the work of an owner counts as long. A small query needs a few. */
const FEW_TURNS = 16;

/**
 * Work that waits for a turn of the event loop, by the request that it is for. Owners take turns, and in every other
 * turn those go first who had few: a small request does not wait for all the large ones, nor a large one for ever.
 */
export interface TurnQueue {
  readonly isEmpty: boolean;
  push(owner: object, resume: () => void): void;
  /** Starts the next turn, for another owner. */
  pass(): void;
  /** What is next in this turn: all of one owner, then of others. */
  next(): (() => void) | undefined;
}

interface Waiting {
  readonly owner: object;
  readonly resume: (() => void)[];
}

/** A queue in which nothing waits. */
export function createTurnQueue(): TurnQueue {
  const few: Waiting[] = [];
  const many: Waiting[] = [];
  const waitingOf = new Map<object, Waiting>();
  const turnsOf = new WeakMap<object, number>();
  let fewGoFirst = true;
  let served: Waiting | null = null;

  function enqueue(waiting: Waiting): void {
    const line = (turnsOf.get(waiting.owner) ?? 0) < FEW_TURNS ? few : many;
    line.push(waiting);
  }

  function serve(): Waiting | null {
    const waiting = fewGoFirst ? (few.shift() ?? many.shift()) : (many.shift() ?? few.shift());
    if (waiting === undefined) return null;
    turnsOf.set(waiting.owner, (turnsOf.get(waiting.owner) ?? 0) + 1);
    return waiting;
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
    pass() {
      fewGoFirst = !fewGoFirst;
      if (served !== null) enqueue(served);
      served = null;
    },
    next() {
      served ??= serve();
      if (served === null) return undefined;
      const { owner, resume } = served;
      const next = resume.shift();
      if (resume.length === 0) {
        waitingOf.delete(owner);
        served = null;
      }
      return next;
    },
  };
}
