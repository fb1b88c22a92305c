import type { ClientCall, Wish } from './callers.js';
import type { Stage } from './stage.js';

/** Asks for a few things when nothing is wrong any more, and for the same again when everything is. */
export interface Probe {
  /** Must be answered, and soon. */
  startCall(): void;
  /** Must be answered from what was kept. */
  callAgain(): void;
  /** The service is gone, and what is kept is no longer fresh but may stand in. */
  callInOutage(): void;
  /** It may not even stand in any more. */
  callTooLate(): void;
}

/** He has asked before, so his quota is known. */
const PROBER = 'key 1';
/** Once all is well an answer takes two trips and a slow moment. */
const SOON_MS = 6_000;
/** Beyond what asks go out for by themselves. */
const FIRST_ITEM = 1_000_000;

export function createProbe({ wish, alive, referee }: Stage): Probe {
  /** What was answered and may be kept, and whom it was asked of. */
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
          // The first one leaves; the others, who share his call, must not notice.
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
      repeat((call) => must('what is kept is used', call.end?.row?.cache === 'HIT', call));
    },
    callInOutage() {
      repeat((call) => {
        const cache = call.kind === 'reference' ? 'HIT' : 'STALE';
        must('what is kept stands in', call.end?.code === undefined && call.end?.row?.cache === cache, call);
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
