import { TransportFailure } from '../ports/transport.js';

/** A semaphore: a bounded number of slots, granted first come first served, to callers before background work. */
export interface Slots {
  /** A place, as soon as one is free; what it returns gives the place back. Rejects when the signal aborts first. */
  enter(signal: AbortSignal, background: boolean): Promise<() => void>;
  /** Lets in who may enter now: to be called when the number of places grew. */
  refresh(): void;
}

/** `places` is read at each entry, so that the number may change; call `refresh` when it has grown. */
export function createSlots(places: () => number): Slots {
  let taken = 0;
  const people = new Set<() => void>();
  const later = new Set<() => void>();

  function refresh(): void {
    for (const waiting of [people, later]) {
      for (const enter of waiting) {
        if (taken >= places()) return;
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
      const isNext = people.size === 0 && (!background || later.size === 0);
      if (taken < places() && isNext) return leaveOnce();
      const waiting = background ? later : people;
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
