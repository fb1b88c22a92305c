import { TransportFailure } from '../ports/transport.js';

/** Whose turn an item uses. */
export interface Requester {
  /** Equal for all requests of one caller. */
  readonly caller: string | object;
  readonly request: object;
}

/**
 * A queue in which callers take turns, however many requests each has, and a caller's requests take turns among
 * themselves: round robin on two levels. Who was served goes to the end, and so does a newcomer, who waits for one item
 * of each of the others.
 */
export class FairQueue<T> {
  private readonly callers = new Map<Requester['caller'], Map<object, Set<T>>>();
  private readonly turns = new Map<T, Requester>();

  get size(): number {
    return this.turns.size;
  }

  push(item: T, turn: Requester): void {
    const requests = this.callers.get(turn.caller) ?? new Map<object, Set<T>>();
    const items = requests.get(turn.request) ?? new Set();
    this.callers.set(turn.caller, requests.set(turn.request, items.add(item)));
    this.turns.set(item, turn);
  }

  has(item: T): boolean {
    return this.turns.has(item);
  }

  /** Takes out an item because its turn has come. */
  serve(item: T): void {
    this.remove(item, true);
  }

  /** Takes out an item that no longer waits. */
  remove(item: T, isServed = false): void {
    const turn = this.turns.get(item);
    const requests = turn && this.callers.get(turn.caller);
    const items = turn && requests?.get(turn.request);
    this.turns.delete(item);
    if (turn === undefined || requests === undefined || items === undefined) return;
    items.delete(item);
    replace(requests, turn.request, items, isServed);
    replace(this.callers, turn.caller, requests, isServed);
  }

  /** The waiting items in order of their turns. */
  items(): T[] {
    return inTurns(
      [...this.callers.values()].map((requests) => inTurns([...requests.values()].map((set) => [...set]))),
    );
  }
}

/** Takes a value out of a map if it is empty; else, if it was served, moves it to the end. */
function replace<K, V extends { readonly size: number }>(map: Map<K, V>, key: K, value: V, isServed: boolean): void {
  if (isServed || value.size === 0) map.delete(key);
  if (isServed && value.size > 0) map.set(key, value);
}

/** The first of each list, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const items: T[] = [];
  for (let turn = 0, left = lists; left.length > 0; turn += 1) {
    left = left.filter(({ length }) => length > turn);
    for (const list of left) items.push(...list.slice(turn, turn + 1));
  }
  return items;
}

/**
 * A semaphore: a bounded number of slots, for callers before background work. Callers take turns: if a service is slow,
 * its pace admits more calls than there are slots, and one caller's could all go before the others'.
 */
export type Slots = ReturnType<typeof createSlots>;

/** `limit` is read at each entry, so it may change; call `refresh` when it has grown. */
export function createSlots(limit: () => number) {
  let taken = 0;
  const ofCallers = new FairQueue<{ readonly needed: number; enter(): void }>();
  const ofBackground = new FairQueue<{ readonly needed: number; enter(): void }>();
  const hasRoom = (needed: number) => taken + Math.min(needed, Math.max(1, limit())) <= limit();

  /** Admits waiting calls that may enter now; to be called when the number of slots has grown. */
  function refresh(): void {
    for (const queue of [ofCallers, ofBackground]) {
      if (!hasRoom(1)) return;
      for (const entering of queue.items()) {
        if (!hasRoom(entering.needed)) return;
        queue.serve(entering);
        entering.enter();
      }
    }
  }

  function leaveOnce(needed: number): () => void {
    taken += needed;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      taken -= needed;
      refresh();
    };
  }

  return {
    refresh,
    /**
     * Resolves, as soon as so many slots are free, with a function that frees them again. Rejects if the signal aborts
     * first. Who needs many is not overtaken by who needs few; who needs more than there are goes alone.
     */
    async enter(
      waiter: Requester & { readonly signal: AbortSignal },
      background: boolean,
      needed = 1,
    ): Promise<() => void> {
      const { signal } = waiter;
      if (signal.aborted) throw new TransportFailure('aborted', signal.reason);
      const isNext = ofCallers.size === 0 && (!background || ofBackground.size === 0);
      if (isNext && hasRoom(needed)) return leaveOnce(needed);
      const queue = background ? ofBackground : ofCallers;
      return new Promise((resolve, reject) => {
        const abort = () => {
          queue.remove(entering);
          // Others may have waited behind it that need less.
          refresh();
          reject(new TransportFailure('aborted', signal.reason));
        };
        const enter = () => {
          signal.removeEventListener('abort', abort);
          resolve(leaveOnce(needed));
        };
        const entering = { needed, enter };
        signal.addEventListener('abort', abort, { once: true });
        queue.push(entering, waiter);
      });
    },
  };
}
