import type { CodedError } from '../../../schema/errors.js';
import type { Deadline } from '../../../schema/operation.js';
import type { QuotaLeft } from '../../../schema/trace.js';
import type { Clock } from '../ports/clock.js';
import { TransportFailure } from '../ports/transport.js';
import type { QuotaBook, Taken } from './book.js';
import { createFairQueue } from './fair-queue.js';
import { blockMs, type Refusal } from './refusal.js';
import { CALL_CLASSES, type CallClass, headroomOf, type QuotaScope } from './scope.js';

/** A call that wants through. */
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

/** The entrance of one scope: who waits, and in which order they go. */
export interface Gate {
  /** A pass, as soon as it is this call's turn. Rejects as soon as that would be after its deadline. */
  enter(visitor: Visitor): Promise<Pass>;
}

export interface GateOptions {
  readonly scope: QuotaScope;
  readonly book: QuotaBook;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The error of a call whose turn would come too late. */
  readonly refuse: (retryInMs: number) => CodedError;
}

/** Others may land what we wait for without our hearing of it. */
const LOOK_AGAIN_MS = 25;
const WINDOWS_WAITING = 2;

interface Waiter {
  readonly visitor: Visitor;
  readonly admit: (pass: Pass) => void;
  readonly reject: (reason: unknown) => void;
}

export function createGate({ scope, book, clock, newId, refuse }: GateOptions): Gate {
  const lanes = CALL_CLASSES.map((callClass) => ({
    headroom: headroomOf(scope, callClass),
    callClass,
    queue: createFairQueue<Waiter>(),
    /** Spends that are reserved for whoever is next. */
    reserved: [] as string[],
  }));
  type Lane = (typeof lanes)[number];
  let asking = false;
  let askAgain = false;
  let callOff = () => {};
  let refusalsInARow = 0;

  function enter(visitor: Visitor): Promise<Pass> {
    return new Promise((resolve, reject) => {
      const lane = lanes.find(({ callClass }) => callClass === visitor.callClass) as Lane;
      const leave = () => {
        lane.queue.remove(waiter);
        reject(new TransportFailure('aborted', visitor.signal.reason));
        wake();
      };
      const done = () => visitor.signal.removeEventListener('abort', leave);
      const waiter: Waiter = {
        visitor,
        admit: (pass) => {
          done();
          resolve(pass);
        },
        reject: (reason) => {
          done();
          reject(reason);
        },
      };
      visitor.signal.addEventListener('abort', leave, { once: true });
      lane.queue.push(waiter, visitor.request);
      wake();
    });
  }

  /** Serves who can be served now; while it asks the book, further wishes are collected. */
  function wake(): void {
    askAgain = true;
    if (asking) return;
    asking = true;
    void serve().finally(() => {
      asking = false;
      if (askAgain) wake();
    });
  }

  async function serve(): Promise<void> {
    callOff();
    while (askAgain) {
      askAgain = false;
      let open = true;
      for (const lane of lanes) {
        // A lane is served only when the ones before it have nobody waiting.
        if (open) open = await serveLane(lane);
        else giveBack(lane);
      }
    }
  }

  async function serveLane(lane: Lane): Promise<boolean> {
    if (lane.queue.size === 0) {
      giveBack(lane);
      return true;
    }
    const fresh = Array.from({ length: lane.queue.size - lane.reserved.length }, newId);
    const ids = [...lane.reserved, ...fresh].slice(0, lane.queue.size);
    const leaseMs = Math.max(...lane.queue.items().map(({ visitor }) => visitor.deadline.remainingMs()));
    const taken = await book.take(scope, { ids, leaseMs, headroom: lane.headroom });
    const surplus = lane.reserved.filter((id) => !ids.includes(id));
    lane.reserved = ids.slice(taken.flying, taken.flying + taken.reserved);
    if (surplus.length > 0) void book.drop(scope, surplus);
    for (const id of ids.slice(0, taken.flying)) admitNext(lane, id, taken.left);
    turnAway(lane, taken);
    if (lane.queue.size === 0) return true;
    lookAgain(lane, taken);
    return false;
  }

  function admitNext(lane: Lane, id: string, left: number): void {
    const waiter = lane.queue.shift();
    if (waiter === undefined) void book.drop(scope, [id]);
    else waiter.admit(passOf(id, left));
  }

  function passOf(id: string, left: number): Pass {
    return {
      left,
      land(quota, refusal) {
        refusalsInARow = refusal === null ? 0 : refusalsInARow + 1;
        const blockedMs = refusal === null ? 0 : blockMs(refusal, refusalsInARow);
        void book.land(scope, { id, quota, blockMs: blockedMs }).finally(wakeIfWaiting);
      },
      drop() {
        void book.drop(scope, [id]).finally(wakeIfWaiting);
      },
    };
  }

  /** Refuses at once those whose turn would come after their deadline, and those beyond two windows' worth of calls. */
  function turnAway(lane: Lane, taken: Taken): void {
    lane.queue.items().forEach((waiter, place) => {
      const position = place - lane.reserved.length;
      const late = position >= 0 && taken.startsInMs(position) > waiter.visitor.deadline.remainingMs();
      if (!late && position < taken.perWindow * WINDOWS_WAITING) return;
      lane.queue.remove(waiter);
      waiter.reject(refuse(taken.retryInMs));
    });
  }

  function giveBack(lane: Lane): void {
    if (lane.reserved.length === 0) return;
    void book.drop(scope, lane.reserved);
    lane.reserved = [];
  }

  /** Comes back when time alone lets somebody go. What only waits for a landing of ours is woken by that. */
  function lookAgain(lane: Lane, taken: Taken): void {
    const waitsMs: number[] = [];
    if (lane.queue.size > lane.reserved.length) waitsMs.push(taken.startsInMs(0));
    if (lane.reserved.length > 0 && taken.blockedMs > 0) waitsMs.push(taken.blockedMs);
    if (lane.reserved.length > 0 && book.shared) waitsMs.push(LOOK_AGAIN_MS);
    if (waitsMs.length > 0) callOff = clock.after(Math.max(1, Math.min(...waitsMs)), wake);
  }

  function wakeIfWaiting(): void {
    if (lanes.some(({ queue }) => queue.size > 0)) wake();
  }

  return { enter };
}
