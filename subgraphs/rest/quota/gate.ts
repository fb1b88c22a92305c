import type { CodedError } from '../../../schema/errors.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaBook } from './book.js';
import { createLane, type Lane, type Outlook, type Pass, type Visitor } from './lane.js';
import { blockMs } from './refusal.js';
import type { CallClass, QuotaScope } from './scope.js';

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

/** Calls of other replicas land without our hearing of it. */
const LOOK_AGAIN_MS = 25;

export function createGate({ scope, book, clock, newId, refuse }: GateOptions): Gate {
  const common = { scope, book, newId, passOf, refuse, onChange: wake };
  // Who is first served first.
  const lanes: Readonly<Record<CallClass, Lane>> = {
    write: createLane('write', common),
    person: createLane('person', common),
    background: createLane('background', common),
  };
  let serving = false;
  let again = false;
  let callOff = () => {};
  let refusalsInARow = 0;

  /** Serves who can be served now; while the book is asked, further wishes are collected. */
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
      let outlook: Outlook | null = null;
      for (const lane of Object.values(lanes)) {
        // A lane is served only when the ones before it have nobody waiting.
        if (outlook === null) outlook = await lane.serve();
        else lane.yieldTurn();
      }
      if (outlook !== null) comeBack(outlook);
    }
  }

  /** Comes back when time alone lets somebody go. What only waits for a landing of ours is woken by that. */
  function comeBack({ nextInMs, waitsForLanding }: Outlook): void {
    const inMs = waitsForLanding && book.shared ? Math.min(nextInMs, LOOK_AGAIN_MS) : nextInMs;
    callOff = Number.isFinite(inMs) ? clock.after(Math.max(1, inMs), wake) : () => {};
  }

  function passOf(id: string, left: number): Pass {
    // Calls that are in flight together meet the same refusal: only one that was sent after it shows that it was wrong.
    const refusedBefore = refusalsInARow;
    return {
      left,
      land(quota, refusal) {
        refusalsInARow = refusal === null ? 0 : refusedBefore + 1;
        const blockedMs = refusal === null ? 0 : blockMs(refusal, refusalsInARow);
        void book.land(scope, { id, quota, blockMs: blockedMs }).finally(wakeIfWaiting);
      },
      drop() {
        void book.drop(scope, [id]).finally(wakeIfWaiting);
      },
    };
  }

  function wakeIfWaiting(): void {
    if (Object.values(lanes).some(({ waiting }) => waiting > 0)) wake();
  }

  return { enter: (visitor) => lanes[visitor.callClass].join(visitor) };
}
