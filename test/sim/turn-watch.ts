import type { ClientCall } from './callers.js';
import type { Sending } from './wire.js';
import type { World } from './world.js';

/**
 * Watches whether a request of one call waits for all of a large one: behind a request of 200 calls, it must be sent
 * within two free slots.
 */
export interface TurnWatch {
  started(call: ClientCall): void;
  finished(call: ClientCall): void;
  /**
   * What is wrong with sending this call of `by` now; null if nothing is. `usual` says that no breaker holds anything
   * back.
   */
  sent(sending: Sending, by: ClientCall, usual: boolean): string | null;
}

/** A request of one call, and how many calls of each other request went before it. */
interface Single {
  readonly call: ClientCall;
  readonly before: Map<object, number>;
}

/** Calls of one other request that may go first, at each gate: the key's, and the proxy's if there is one. */
const MOST_BEFORE = 2;
/** The cache is read first, which is quick unless the store is slow or lost. */
const JOINS_WITHIN_MS = 20;
const JOINS_LATE_MS = 300;

export function watchTurns({ service: { proxy }, storeFaults }: World): TurnWatch {
  const joinsMs = storeFaults.length === 0 ? JOINS_WITHIN_MS : JOINS_LATE_MS;
  const singles = new Map<ClientCall, Single>();
  const most = MOST_BEFORE * (proxy ? 2 : 1);

  return {
    started(call) {
      if (call.kind === 'search' && call.alone) singles.set(call, { call, before: new Map() });
    },
    finished: (call) => void singles.delete(call),
    sent(sending, by, usual) {
      for (const { call, before } of singles.values()) {
        if (call.replica.process !== sending.process || call.key !== sending.key) continue;
        const excused = !usual || call.replica.lastPauseEndsMs > call.startMs;
        if (excused || call.sentMs !== null) singles.delete(call);
        else if (by.request !== call.request && call.startMs + joinsMs < sending.sentMs) {
          const calls = (before.get(by.request) ?? 0) + 1;
          before.set(by.request, calls);
          if (calls > most) return `${calls} calls of one request before ${call.path}`;
        }
      }
      return null;
    },
  };
}
