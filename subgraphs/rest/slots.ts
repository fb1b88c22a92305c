import { TransportFailure } from './ports/transport.js';

/** A bounded number of places, handed out in the order of asking. */
export interface Slots {
  /** A place, as soon as one is free; what it returns gives the place back. Rejects when the signal aborts first. */
  enter(signal: AbortSignal): Promise<() => void>;
  /** Lets in who may enter now: to be called when the number of places grew. */
  refresh(): void;
}

export function createSlots(places: () => number): Slots {
  let taken = 0;
  const waiting = new Set<() => void>();

  function refresh(): void {
    for (const enter of waiting) {
      if (taken >= places()) return;
      waiting.delete(enter);
      enter();
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
    enter(signal) {
      if (taken < places() && waiting.size === 0) return Promise.resolve(leaveOnce());
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
