import type { Asked } from './callers.js';
import type { Sending } from './wire.js';
import type { World } from './world.js';

/**
 * Whether a request of one call waits for the whole of a large one: behind a request of 200 calls it must be sent
 * within two free slots.
 */
export interface TurnWatch {
  started(asked: Asked): void;
  finished(asked: Asked): void;
  /**
   * A call goes out that `by` asked for. `usual`: no breaker holds anything back. What is wrong with it; null when
   * nothing is.
   */
  sent(sending: Sending, by: Asked, usual: boolean): string | null;
}

/** One request of one call, and how many calls of each other request went before it. */
interface Single {
  readonly asked: Asked;
  readonly before: Map<object, number>;
}

/** At each gate that a call passes: its key's, and the proxy's where there is one. */
const MOST_BEFORE = 2;
/** What is kept is looked for first: soon, unless the store is slow or lost. */
const JOINS_WITHIN_MS = 20;
const JOINS_LATE_MS = 300;

export function watchTurns({ service: { proxy }, storeFaults }: World): TurnWatch {
  const joinsMs = storeFaults.length === 0 ? JOINS_WITHIN_MS : JOINS_LATE_MS;
  const singles = new Map<Asked, Single>();
  const most = MOST_BEFORE * (proxy ? 2 : 1);

  return {
    started(asked) {
      if (asked.kind === 'search' && asked.alone) singles.set(asked, { asked, before: new Map() });
    },
    finished: (asked) => void singles.delete(asked),
    sent(sending, by, usual) {
      for (const { asked, before } of singles.values()) {
        if (asked.replica.process !== sending.process || asked.key !== sending.key) continue;
        const excused = !usual || asked.replica.lastPauseEndsMs > asked.startMs;
        if (excused || asked.sentMs !== null) singles.delete(asked);
        else if (by.request !== asked.request && asked.startMs + joinsMs < sending.sentMs) {
          const calls = (before.get(by.request) ?? 0) + 1;
          before.set(by.request, calls);
          if (calls > most) return `${calls} calls of one request before ${asked.path}`;
        }
      }
      return null;
    },
  };
}
