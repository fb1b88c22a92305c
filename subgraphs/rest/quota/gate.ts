import type { CodedError } from '../../../schema/errors.js';
import type { QuotaLeft } from '../../../schema/trace.js';
import type { Clock } from '../ports/clock.js';
import type { Account } from './account.js';
import type { QuotaBook } from './book.js';
import { createPriorityQueue, type NextTurn, type PriorityQueue, type Waiter } from './priority-queue.js';
import { blockMs, type Refusal } from './refusal.js';
import { type CallClass, headroomOf, type QuotaScope } from './scope.js';

/** The right to send one call. Exactly one of its two ends must be told. */
export interface Permit {
  /** Share of the window, from 0 to 1, that was free when it was given. */
  readonly left: number;
  /** It was sent, and has been answered or never will be. */
  land(quota: QuotaLeft | null, refusal: Refusal | null): void;
  /** It was not sent after all. */
  drop(): void;
}

/** The entrance of one scope: who waits, and in which order they go. */
export interface Gate {
  /** A permit, as soon as it is this call's turn. Rejects as soon as that would be after its deadline. */
  enter(callClass: CallClass, waiter: Waiter): Promise<Permit>;
}

export interface GateOptions {
  readonly book: QuotaBook;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The error of a call whose turn would come too late. */
  readonly refuse: (retryInMs: number) => CodedError;
}

/** Calls of other replicas land without our hearing of it. */
const LOOK_AGAIN_MS = 25;
/** A replica that counts apart may share again at any heartbeat, and has more to give then. */
const LOOK_AGAIN_APART_MS = 400;

/** The gate of each scope. One whose account the book has forgotten still serves those who wait at it. */
export function createGates(options: GateOptions): { of(scope: QuotaScope): Gate } {
  const gates = new WeakMap<Account, Gate>();
  return {
    of(scope) {
      const account = options.book.open(scope);
      const gate = gates.get(account) ?? createGate(scope, account, options);
      gates.set(account, gate);
      return gate;
    },
  };
}

function createGate(scope: QuotaScope, account: Account, { book, clock, newId, refuse }: GateOptions): Gate {
  const queueOf = (callClass: CallClass): PriorityQueue =>
    createPriorityQueue({ account, headroom: headroomOf(scope, callClass), newId, permitOf, refuse, onChange: wake });
  // Who is first served first.
  const queues: Readonly<Record<CallClass, PriorityQueue>> = {
    write: queueOf('write'),
    person: queueOf('person'),
    background: queueOf('background'),
  };
  let serving = false;
  let again = false;
  let callOff = () => {};
  let refusalsInARow = 0;

  /** Serves who can be served now; while the account is asked, further wishes are collected. */
  function wake(): void {
    again = true;
    if (serving) return;
    serving = true;
    void serve().finally(() => {
      serving = false;
      if (again) wake();
    });
  }

  async function serve(): Promise<void> {
    while (again) {
      again = false;
      callOff();
      let next: NextTurn | null = null;
      for (const queue of Object.values(queues)) {
        // A queue is served only when the ones before it have nobody waiting.
        if (next === null) next = await queue.serve();
        else queue.yieldTurn();
      }
      if (next !== null) comeBack(next);
    }
  }

  /** Comes back when time alone lets somebody go. What only waits for a landing of ours is woken by that. */
  function comeBack({ inMs, waitsForLanding }: NextTurn): void {
    const landsInMs = waitsForLanding && book.shared ? LOOK_AGAIN_MS : Number.POSITIVE_INFINITY;
    const sharesInMs = book.apart ? LOOK_AGAIN_APART_MS : Number.POSITIVE_INFINITY;
    const soonMs = Math.min(inMs, landsInMs, sharesInMs);
    callOff = Number.isFinite(soonMs) ? clock.after(Math.max(1, soonMs), wake) : () => {};
  }

  function permitOf(id: string, left: number): Permit {
    // Calls that are in flight together meet the same refusal: only one that was sent after it shows that it was wrong.
    const refusedBefore = refusalsInARow;
    return {
      left,
      land(quota, refusal) {
        refusalsInARow = refusal === null ? 0 : refusedBefore + 1;
        const blockedMs = refusal === null ? 0 : blockMs(refusal, refusalsInARow);
        void account.land({ id, quota, blockMs: blockedMs }).finally(wakeIfWaiting);
      },
      drop() {
        void account.drop([id]).finally(wakeIfWaiting);
      },
    };
  }

  function wakeIfWaiting(): void {
    if (Object.values(queues).some(({ size }) => size > 0)) wake();
  }

  return { enter: (callClass, waiter) => queues[callClass].join(waiter) };
}
