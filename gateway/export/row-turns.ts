import { freshTurn, isTurnSpent } from '../../runtime/event-loop/turns.js';
import type { ExportProgress } from './export-progress.js';

/** The request that a file is for. It owns the turns of the event loop in which the rows are read. */
export interface RowCaller {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  remainingMs(): number;
}

/** Milliseconds that rows may take in any case, so that what a service sent at the deadline is still written. */
const LEAST_MS = 2_000;

/** Yields to the event loop while rows are read, whether or not they get into the file. */
export interface RowTurns {
  /** Resolves in a fresh turn; undefined while this one is not used up, which is cheaper than a promise. */
  next(): Promise<void> | undefined;
  /** Call it when the headers are sent: from now on, the client's connection decides how long the file takes. */
  sent(): void;
}

/** Turns for one file. Cuts it in `soFar` when the client is gone, or at the deadline if nothing has been sent. */
export function createRowTurns(caller: RowCaller, soFar: ExportProgress): RowTurns {
  // The deadline may already have aborted upstream calls. After that, only a disconnecting client aborts.
  const wasOver = caller.signal.aborted;
  const endsAt = performance.now() + Math.max(LEAST_MS, caller.remainingMs());
  let isSent = false;
  async function turn(): Promise<void> {
    await freshTurn(caller);
    if (caller.signal.aborted && !wasOver) soFar.cutOff('the client disconnected');
    else if (!isSent && performance.now() > endsAt) soFar.cutOff('the deadline of the request was exceeded');
  }
  return {
    next: () => (isTurnSpent() ? turn() : undefined),
    sent() {
      isSent = true;
    },
  };
}
