import { TransportFailure } from '../ports/transport.js';
import { FairQueue, type TurnOf } from '../quota/fair-queue.js';

/** A call that waits for a slot. */
export interface SlotWaiter extends TurnOf {
  readonly signal: AbortSignal;
}

/**
 * A semaphore: a bounded number of slots, for callers before background work. Callers take turns: if a service is slow,
 * its pace admits more calls than there are slots, and one caller's could all go before the others'.
 */
export interface Slots {
  /** Resolves, as soon as a slot is free, with a function that frees it again. Rejects if the signal aborts first. */
  enter(waiter: SlotWaiter, background: boolean): Promise<() => void>;
  /** Admits waiting calls that may enter now; to be called when the number of slots has grown. */
  refresh(): void;
}

/** `limit` is read at each entry, so it may change; call `refresh` when it has grown. */
export function createSlots(limit: () => number): Slots {
  let taken = 0;
  const ofCallers = new FairQueue<() => void>();
  const ofBackground = new FairQueue<() => void>();

  function refresh(): void {
    for (const queue of [ofCallers, ofBackground]) {
      if (taken >= limit()) return;
      for (const enter of queue.items()) {
        if (taken >= limit()) return;
        queue.serve(enter);
        enter();
      }
    }
  }

  function leaveOnce(): () => void {
    taken += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      taken -= 1;
      refresh();
    };
  }

  return {
    refresh,
    async enter(waiter, background) {
      const { signal } = waiter;
      if (signal.aborted) throw new TransportFailure('aborted', signal.reason);
      const isNext = ofCallers.size === 0 && (!background || ofBackground.size === 0);
      if (taken < limit() && isNext) return leaveOnce();
      const queue = background ? ofBackground : ofCallers;
      return new Promise((resolve, reject) => {
        const enter = () => {
          signal.removeEventListener('abort', abort);
          resolve(leaveOnce());
        };
        const abort = () => {
          queue.remove(enter);
          reject(new TransportFailure('aborted', signal.reason));
        };
        signal.addEventListener('abort', abort, { once: true });
        queue.push(enter, waiter);
      });
    },
  };
}
