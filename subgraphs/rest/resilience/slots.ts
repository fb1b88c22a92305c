import { TransportFailure } from '../ports/transport.js';

/** A semaphore: a bounded number of slots, granted first come first served, to callers before background work. */
export interface Slots {
  /** Resolves with a function that frees the slot, as soon as one is free. Rejects when the signal aborts first. */
  enter(signal: AbortSignal, background: boolean): Promise<() => void>;
  /** Admits waiting calls that may enter now: to be called when the number of slots grew. */
  refresh(): void;
}

/** `limit` is read at each entry, so that it may change; call `refresh` when it has grown. */
export function createSlots(limit: () => number): Slots {
  let taken = 0;
  const ofCallers = new Set<() => void>();
  const ofBackground = new Set<() => void>();

  function refresh(): void {
    for (const waiting of [ofCallers, ofBackground]) {
      for (const enter of waiting) {
        if (taken >= limit()) return;
        waiting.delete(enter);
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
    async enter(signal, background) {
      if (signal.aborted) throw new TransportFailure('aborted', signal.reason);
      const isNext = ofCallers.size === 0 && (!background || ofBackground.size === 0);
      if (taken < limit() && isNext) return leaveOnce();
      const waiting = background ? ofBackground : ofCallers;
      return new Promise((resolve, reject) => {
        const enter = () => {
          signal.removeEventListener('abort', abort);
          resolve(leaveOnce());
        };
        const abort = () => {
          waiting.delete(enter);
          reject(new TransportFailure('aborted', signal.reason));
        };
        signal.addEventListener('abort', abort, { once: true });
        waiting.add(enter);
      });
    },
  };
}
