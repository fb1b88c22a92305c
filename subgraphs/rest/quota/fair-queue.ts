import { TransportFailure } from '../ports/transport.js';

/** Whose turn an item uses. */
export interface TurnOf {
  /** Equal for all requests of one caller. */
  readonly caller: string | object;
  readonly request: object;
}

/** The waiting items of one caller. */
interface Line<T> {
  readonly caller: string | object;
  readonly items: RequestQueue<T>;
  /** The turn of its next item; each further item is one turn later. */
  start: number;
}

/**
 * A queue in which callers take turns, however many requests each has, and a caller's requests take turns among
 * themselves: start-time fair queueing on two levels. A newcomer starts at the turn now being served, so one call
 * behind another caller's two hundred is the next or the one after.
 */
export class FairQueue<T> {
  /** By waiting caller, in order of arrival. */
  private readonly lines = new Map<string | object, Line<T>>();
  private readonly lineOf = new Map<T, Line<T>>();
  private turn = 0;
  /** Callers already served in this turn: one who comes back is not served before those still waiting for it. */
  private readonly served = new Set<string | object>();

  get size(): number {
    return this.lineOf.size;
  }

  push(item: T, { caller, request }: TurnOf): void {
    const start = this.served.has(caller) ? this.turn + 1 : this.turn;
    const line = this.lines.get(caller) ?? { caller, items: new RequestQueue<T>(), start };
    this.lines.set(caller, line);
    this.lineOf.set(item, line);
    line.items.push(item, request);
  }

  has(item: T): boolean {
    return this.lineOf.has(item);
  }

  /** Takes out an item that no longer waits. */
  remove(item: T): void {
    const line = this.lineOf.get(item);
    line?.items.remove(item);
    this.forget(item, line);
  }

  /** Takes out an item because its turn has come. */
  serve(item: T): void {
    const line = this.lineOf.get(item);
    if (line === undefined) return;
    if (line.start > this.turn) this.served.clear();
    this.turn = Math.max(this.turn, line.start);
    if (line.start === this.turn) this.served.add(line.caller);
    line.start += 1;
    line.items.serve(item);
    this.forget(item, line);
  }

  /** The waiting items in order of their turns; among equal turns, the earlier caller's goes first. */
  items(): T[] {
    const places: { readonly item: T; readonly turn: number }[] = [];
    for (const { items, start } of this.lines.values()) {
      for (const [place, item] of items.items().entries()) places.push({ item, turn: start + place });
    }
    return places.sort((one, other) => one.turn - other.turn).map(({ item }) => item);
  }

  private forget(item: T, line: Line<T> | undefined): void {
    this.lineOf.delete(item);
    if (line?.items.size === 0) this.lines.delete(line.caller);
    if (this.size === 0) this.served.clear();
  }
}

/** The items of one caller: within a request, each starts one turn after the one before it. */
class RequestQueue<T> {
  /** Waiting items and their turns, in order of arrival. */
  private readonly turns = new Map<T, number>();
  /** The turn after each request's last item; collected with the request. */
  private readonly nextTurns = new WeakMap<object, number>();
  private turn = 0;

  get size(): number {
    return this.turns.size;
  }

  push(item: T, request: object): void {
    const start = Math.max(this.turn, this.nextTurns.get(request) ?? 0);
    this.nextTurns.set(request, start + 1);
    this.turns.set(item, start);
  }

  remove(item: T): void {
    this.turns.delete(item);
  }

  serve(item: T): void {
    this.turn = Math.max(this.turn, this.turns.get(item) ?? 0);
    this.turns.delete(item);
  }

  /** In order of turns; among equal turns, the item that came first. */
  items(): T[] {
    return [...this.turns].sort(([, one], [, other]) => one - other).map(([item]) => item);
  }
}

/** A call that waits for a slot. */
interface SlotWaiter extends TurnOf {
  readonly signal: AbortSignal;
  /** Called if it has to wait, with how many slots are taken or go to others first. */
  readonly onWait?: (ahead: number) => void;
}

/**
 * A semaphore: a bounded number of slots, for callers before background work. Callers take turns: if a service is slow,
 * its pace admits more calls than there are slots, and one caller's could all go before the others'.
 */
export interface Slots {
  /**
   * Resolves, as soon as so many slots are free (one, if left out), with a function that frees them again. Rejects if
   * the signal aborts first. Who needs many is not overtaken by who needs few; who needs more than there are goes alone.
   */
  enter(waiter: SlotWaiter, background: boolean, needed?: number): Promise<() => void>;
  /** Admits waiting calls that may enter now; to be called when the number of slots has grown. */
  refresh(): void;
}

/** A call that waits for so many slots. */
interface Entering {
  readonly needed: number;
  readonly enter: () => void;
}

/** `limit` is read at each entry, so it may change; call `refresh` when it has grown. */
export function createSlots(limit: () => number): Slots {
  let taken = 0;
  const ofCallers = new FairQueue<Entering>();
  const ofBackground = new FairQueue<Entering>();
  const hasRoom = (needed: number) => taken + Math.min(needed, Math.max(1, limit())) <= limit();

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

  function takenBefore(entering: Entering): number {
    const all = [...ofCallers.items(), ...ofBackground.items()];
    return all.slice(0, all.indexOf(entering)).reduce((sum, { needed }) => sum + needed, taken);
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
    async enter(waiter, background, needed = 1) {
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
        waiter.onWait?.(takenBefore(entering));
      });
    },
  };
}
