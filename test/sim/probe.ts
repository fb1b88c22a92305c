import type { ClientCall, Wish } from './callers.js';
import type { Stage } from './stage.js';

/** Makes a few calls once all is well again, and repeats them once the service is gone. */
export interface Probe {
  /** Calls that must succeed, and soon. */
  startCall(): void;
  /** The same calls, which must be answered from the cache. */
  callAgain(): void;
  /** The same calls when the service is gone, and entries are no longer fresh but may be served stale. */
  callInOutage(): void;
  /** The same calls when entries may no longer be served stale either. */
  callTooLate(): void;
}

/** A key that has made calls before, so that its quota is known. */
const PROBER = 'key 1';
/** When all is well, a response takes two network trips and a slow moment. */
const SOON_MS = 6_000;
/** Beyond the items that the load requests. */
const FIRST_ITEM = 1_000_000;

export function createProbe({ wish, alive, referee }: Stage): Probe {
  /** Calls that succeeded and may be cached, with the replica that made them. */
  let cached: ClientCall[] = [];

  function expectSuccess(call: ClientCall): void {
    const { code, atMs } = call.end!;
    const ms = Math.round(atMs - call.startMs);
    if (code !== undefined) referee.broken('all is well again', `${nameOf(call)} ${code}`);
    else if (ms > SOON_MS) referee.broken('all is well again', `${nameOf(call)} took ${ms} ms`);
  }

  function repeat(check: (call: ClientCall, before: ClientCall) => void): void {
    for (const before of cached) {
      if (before.replica.process.alive)
        wish({ ...before, leavesAfterMs: null }, before.replica, (call) => check(call, before));
    }
  }

  const must = (rule: string, isRight: boolean, call: ClientCall) => {
    if (!isRight) referee.broken(rule, `${nameOf(call)} ${call.end?.code ?? call.end?.row?.cache}`);
  };

  return {
    startCall() {
      alive().forEach((replica, number) => {
        for (const kind of ['reference', 'search'] as const) {
          const probe = wishFor(kind, FIRST_ITEM + number);
          // The first one leaves; the others, who share the call, must not notice.
          wish({ ...probe, leavesAfterMs: 1 }, replica);
          wish(probe, replica, (call) => {
            expectSuccess(call);
            const read = call.end?.value as { noStore?: boolean } | undefined;
            if (call.end?.code === undefined && read?.noStore !== true) cached.push(call);
          });
        }
      });
    },
    callAgain() {
      repeat((call) => must('fresh entries are used', call.end?.row?.cache === 'HIT', call));
    },
    callInOutage() {
      repeat((call) => {
        const cache = call.kind === 'reference' ? 'HIT' : 'STALE';
        must('stale entries are served', call.end?.code === undefined && call.end?.row?.cache === cache, call);
      });
    },
    callTooLate() {
      cached = cached.filter(({ kind }) => kind === 'search');
      repeat((call) => must('stale has an end', call.end?.code !== undefined, call));
    },
  };
}

function wishFor(kind: 'reference' | 'search', item: number): Wish {
  return { kind, group: 0, item, key: PROBER, deadlineMs: 25_000, leavesAfterMs: null, request: {}, alone: false };
}

function nameOf({ replica, path }: ClientCall): string {
  return `${replica.process.name} ${path}`;
}
