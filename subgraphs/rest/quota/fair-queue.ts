/**
 * A queue in which no request waits for the whole of another one: start-time fair queueing. Each item of a request
 * starts one turn after the request's item before it, and a request that comes later starts at the turn that is now
 * being served: one call behind a request of two hundred is the next or the one after.
 */
export interface FairQueue<T> {
  readonly size: number;
  /** Queues an item of a request. */
  push(item: T, request: object): void;
  /** Takes the item whose turn it is. */
  shift(): T | undefined;
  remove(item: T): void;
  /** The waiting items in the order of their turns. */
  items(): readonly T[];
}

interface Waiting<T> {
  readonly item: T;
  readonly turn: number;
}

export function createFairQueue<T>(): FairQueue<T> {
  let waiting: Waiting<T>[] = [];
  /** The turn after each request's last item. Gone with the request. */
  const nextTurns = new WeakMap<object, number>();
  let turn = 0;
  return {
    get size() {
      return waiting.length;
    },
    push(item, request) {
      const start = Math.max(turn, nextTurns.get(request) ?? 0);
      nextTurns.set(request, start + 1);
      waiting.splice(placeAfter(waiting, start), 0, { item, turn: start });
    },
    shift() {
      const next = waiting.shift();
      if (next !== undefined) turn = next.turn;
      return next?.item;
    },
    remove(item) {
      waiting = waiting.filter((one) => one.item !== item);
    },
    items: () => waiting.map(({ item }) => item),
  };
}

/** Behind all items of the same turn: the earlier comer goes first. */
function placeAfter(waiting: readonly Waiting<unknown>[], turn: number): number {
  let low = 0;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((waiting[middle]?.turn ?? 0) <= turn) low = middle + 1;
    else high = middle;
  }
  return low;
}
