import type { CodedError } from '../../../schema/errors.js';
import type { Deadline } from '../../../schema/operation.js';
import type { QuotaLeft } from '../../../schema/trace.js';
import { TransportFailure } from '../ports/transport.js';
import type { QuotaBook, Taken } from './book.js';
import { createFairQueue } from './fair-queue.js';
import type { Refusal } from './refusal.js';
import { type CallClass, headroomOf, type QuotaScope } from './scope.js';

/** A call that wants through a gate. */
export interface Visitor {
  readonly callClass: CallClass;
  /** The request that it belongs to: requests take turns. */
  readonly request: object;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

/** The right to send one call. Exactly one of its two ends must be told. */
export interface Pass {
  /** Share of the window, from 0 to 1, that was free when it was given. */
  readonly left: number;
  /** It was sent, and has been answered or never will be. */
  land(quota: QuotaLeft | null, refusal: Refusal | null): void;
  /** It was not sent after all. */
  drop(): void;
}

/** The calls of one class that wait at a gate. */
export interface Lane {
  readonly waiting: number;
  /** A pass when it is this call's turn. Rejects as soon as that would be after its deadline, or when it leaves. */
  join(visitor: Visitor): Promise<Pass>;
  /** Lets through who may go; how things stand for those who still wait, null when nobody does. */
  serve(): Promise<Outlook | null>;
  /** Gives back what is reserved here: others go first. */
  yieldTurn(): void;
}

export interface Outlook {
  /** Milliseconds after which time alone lets somebody go; infinite when only a landing does. */
  readonly nextInMs: number;
  /** Whether somebody has a spend and waits for another call to land. */
  readonly waitsForLanding: boolean;
}

export interface LaneOptions {
  readonly scope: QuotaScope;
  readonly book: QuotaBook;
  readonly newId: () => string;
  readonly passOf: (id: string, left: number) => Pass;
  /** The error of a call whose turn would come too late. */
  readonly refuse: (retryInMs: number) => CodedError;
  /** Somebody came or went. */
  readonly onChange: () => void;
}

/** So many windows' worth of calls may wait. */
const WINDOWS_WAITING = 2;

interface Waiter {
  readonly deadline: Deadline;
  readonly admit: (pass: Pass) => void;
  readonly reject: (reason: unknown) => void;
}

export function createLane(callClass: CallClass, options: LaneOptions): Lane {
  const { scope, book, newId, passOf, refuse, onChange } = options;
  const headroom = headroomOf(scope, callClass);
  const queue = createFairQueue<Waiter>();
  /** Spends for whoever is next. */
  let reserved: string[] = [];

  function join({ request, deadline, signal }: Visitor): Promise<Pass> {
    return new Promise<Pass>((resolve, reject) => {
      if (signal.aborted) return reject(new TransportFailure('aborted', signal.reason));
      const leave = () => {
        queue.remove(waiter);
        reject(new TransportFailure('aborted', signal.reason));
        onChange();
      };
      const ended =
        <T>(end: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener('abort', leave);
          end(value);
        };
      const waiter: Waiter = { deadline, admit: ended(resolve), reject: ended(reject) };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(waiter, request);
      onChange();
    });
  }

  async function serve(): Promise<Outlook | null> {
    if (queue.size < reserved.length) giveBack(reserved.splice(queue.size));
    if (queue.size === 0) return null;
    const ids = [...reserved, ...Array.from({ length: queue.size - reserved.length }, newId)];
    const leaseMs = Math.max(...queue.items().map(({ deadline }) => deadline.remainingMs()));
    const taken = await book.take(scope, { ids, leaseMs, headroom });
    reserved = ids.slice(taken.flying, taken.flying + taken.reserved);
    for (const id of ids.slice(0, taken.flying)) admitNext(id, taken.left);
    turnAway(taken);
    giveBack(reserved.splice(queue.size));
    if (queue.size === 0) return null;
    const toSpend = queue.size > reserved.length ? taken.startsInMs(0) : Number.POSITIVE_INFINITY;
    const toFlight = reserved.length > 0 ? taken.fliesInMs : Number.POSITIVE_INFINITY;
    return { nextInMs: Math.min(toSpend, toFlight), waitsForLanding: reserved.length > 0 };
  }

  function admitNext(id: string, left: number): void {
    const waiter = queue.shift();
    if (waiter === undefined) giveBack([id]);
    else waiter.admit(passOf(id, left));
  }

  /** Refuses at once whose turn would come too late, and who is beyond what may wait. Only who stays has a place. */
  function turnAway(taken: Taken): void {
    const refused: Waiter[] = [];
    let staying = 0;
    for (const waiter of queue.items()) {
      const position = staying - reserved.length;
      // Whoever has a spend already waits for nothing but the end of a refusal.
      const startsInMs = position < 0 ? taken.blockedMs : taken.startsInMs(position);
      const inTime = startsInMs <= waiter.deadline.remainingMs();
      if (inTime && position < taken.perWindow * WINDOWS_WAITING) staying += 1;
      else refused.push(waiter);
    }
    for (const waiter of refused) {
      queue.remove(waiter);
      waiter.reject(refuse(taken.retryInMs(Math.max(0, staying - reserved.length))));
    }
  }

  function giveBack(ids: readonly string[]): void {
    if (ids.length > 0) void book.drop(scope, ids);
  }

  return {
    get waiting() {
      return queue.size;
    },
    join,
    serve,
    yieldTurn: () => giveBack(reserved.splice(0)),
  };
}
