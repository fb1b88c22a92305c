import type { CodedError } from '../../../schema/errors.js';
import type { Deadline } from '../../../schema/operation.js';
import { TransportFailure } from '../ports/transport.js';
import type { Account, Grant } from './account.js';
import type { Permit } from './gate.js';

/** A call that waits for a permit. */
export interface Waiter {
  /** The request that it belongs to: requests take turns. */
  readonly request: object;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

/** The calls of one priority that wait at a gate. */
export interface PriorityQueue {
  readonly size: number;
  /** A permit when it is this call's turn. Rejects as soon as that would be after its deadline, or when it leaves. */
  join(waiter: Waiter): Promise<Permit>;
  /** Lets through who may go; when the next of those who still wait may, null when nobody does. */
  serve(): Promise<NextTurn | null>;
  /** Gives back what is reserved here: others go first. */
  yieldTurn(): void;
}

export interface NextTurn {
  /** Milliseconds after which time alone lets somebody go; infinite when only a landing does. */
  readonly inMs: number;
  /** Whether somebody has a reservation and waits for another call to land. */
  readonly waitsForLanding: boolean;
}

export interface PriorityQueueOptions {
  readonly account: Account;
  /** Share of the limit that its calls must leave free. */
  readonly headroom: number;
  readonly newId: () => string;
  readonly permitOf: (id: string, left: number) => Permit;
  /** The error of a call whose turn would come too late. */
  readonly refuse: (retryInMs: number) => CodedError;
  /** Somebody came or went. */
  readonly onChange: () => void;
}

/** So many windows' worth of calls may wait. */
const WINDOWS_WAITING = 2;

interface Entry {
  readonly deadline: Deadline;
  readonly admit: (permit: Permit) => void;
  readonly reject: (reason: unknown) => void;
}

export function createPriorityQueue(options: PriorityQueueOptions): PriorityQueue {
  const { account, headroom, newId, permitOf, refuse, onChange } = options;
  const queue = createFairQueue<Entry>();
  /** Reservations for whoever is next. */
  let reserved: string[] = [];

  function join({ request, deadline, signal }: Waiter): Promise<Permit> {
    return new Promise<Permit>((resolve, reject) => {
      if (signal.aborted) return reject(new TransportFailure('aborted', signal.reason));
      const leave = () => {
        queue.remove(entry);
        reject(new TransportFailure('aborted', signal.reason));
        onChange();
      };
      const ended =
        <T>(end: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener('abort', leave);
          end(value);
        };
      const entry: Entry = { deadline, admit: ended(resolve), reject: ended(reject) };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(entry, request);
      onChange();
    });
  }

  async function serve(): Promise<NextTurn | null> {
    if (queue.size < reserved.length) giveBack(reserved.splice(queue.size));
    if (queue.size === 0) return null;
    const ids = [...reserved, ...Array.from({ length: queue.size - reserved.length }, newId)];
    const leaseMs = Math.max(...queue.items().map(({ deadline }) => deadline.remainingMs()));
    const grant = await account.take({ ids, leaseMs, headroom });
    reserved = ids.slice(grant.flying, grant.flying + grant.reserved);
    for (const id of ids.slice(0, grant.flying)) admitNext(id, grant.left);
    turnAway(grant);
    giveBack(reserved.splice(queue.size));
    if (queue.size === 0) return null;
    const reservedInMs = queue.size > reserved.length ? grant.startsInMs(0) : Number.POSITIVE_INFINITY;
    const fliesInMs = reserved.length > 0 ? grant.fliesInMs : Number.POSITIVE_INFINITY;
    return { inMs: Math.min(reservedInMs, fliesInMs), waitsForLanding: reserved.length > 0 };
  }

  function admitNext(id: string, left: number): void {
    const entry = queue.shift();
    if (entry === undefined) giveBack([id]);
    else entry.admit(permitOf(id, left));
  }

  /** Refuses at once whose turn would come too late, and who is beyond what may wait. Only who stays has a place. */
  function turnAway(grant: Grant): void {
    const refused: Entry[] = [];
    let staying = 0;
    for (const entry of queue.items()) {
      const position = staying - reserved.length;
      // Whoever is reserved already waits for nothing but the end of a refusal.
      const startsInMs = position < 0 ? grant.blockedMs : grant.startsInMs(position);
      const inTime = startsInMs <= entry.deadline.remainingMs();
      if (inTime && position < grant.perWindow * WINDOWS_WAITING) staying += 1;
      else refused.push(entry);
    }
    for (const entry of refused) {
      queue.remove(entry);
      entry.reject(refuse(grant.retryInMs(Math.max(0, staying - reserved.length))));
    }
  }

  function giveBack(ids: readonly string[]): void {
    if (ids.length > 0) void account.drop(ids);
  }

  return {
    get size() {
      return queue.size;
    },
    join,
    serve,
    yieldTurn: () => giveBack(reserved.splice(0)),
  };
}

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

interface Placed<T> {
  readonly item: T;
  readonly turn: number;
}

export function createFairQueue<T>(): FairQueue<T> {
  let waiting: Placed<T>[] = [];
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
function placeAfter(waiting: readonly Placed<unknown>[], turn: number): number {
  let low = 0;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((waiting[middle]?.turn ?? 0) <= turn) low = middle + 1;
    else high = middle;
  }
  return low;
}
