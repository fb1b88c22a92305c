import type { Asked, Wish } from './callers.js';
import type { Stage } from './stage.js';

/** Asks for a few things when nothing is wrong any more, and for the same again when everything is. */
export interface Probe {
  /** Must be answered, and soon. */
  ask(): void;
  /** Must be answered from what was kept. */
  askAgain(): void;
  /** The service is gone, and what is kept is no longer fresh but may stand in. */
  askInOutage(): void;
  /** It may not even stand in any more. */
  askTooLate(): void;
}

/** He has asked before, so his quota is known. */
const PROBER = 'key 1';
/** Once all is well an answer takes two trips and a slow moment. */
const SOON_MS = 6_000;
/** Beyond what asks go out for by themselves. */
const FIRST_ITEM = 1_000_000;

export function createProbe({ wish, alive, referee }: Stage): Probe {
  /** What was answered and may be kept, and whom it was asked of. */
  let kept: Asked[] = [];

  function mustAnswer(asked: Asked): void {
    const { code, atMs } = asked.end!;
    const ms = Math.round(atMs - asked.startMs);
    if (code !== undefined) referee.broken('all is well again', `${nameOf(asked)} ${code}`);
    else if (ms > SOON_MS) referee.broken('all is well again', `${nameOf(asked)} took ${ms} ms`);
  }

  function repeat(check: (asked: Asked, before: Asked) => void): void {
    for (const before of kept) {
      if (before.replica.process.alive)
        wish({ ...before, leavesAfterMs: null }, before.replica, (asked) => check(asked, before));
    }
  }

  const must = (rule: string, isRight: boolean, asked: Asked) => {
    if (!isRight) referee.broken(rule, `${nameOf(asked)} ${asked.end?.code ?? asked.end?.row?.cache}`);
  };

  return {
    ask() {
      alive().forEach((replica, number) => {
        for (const kind of ['reference', 'search'] as const) {
          const probe = wishFor(kind, FIRST_ITEM + number);
          // The first one leaves; the others, who share his call, must not notice.
          wish({ ...probe, leavesAfterMs: 1 }, replica);
          wish(probe, replica, (asked) => {
            mustAnswer(asked);
            const read = asked.end?.value as { noStore?: boolean } | undefined;
            if (asked.end?.code === undefined && read?.noStore !== true) kept.push(asked);
          });
        }
      });
    },
    askAgain() {
      repeat((asked) => must('what is kept is used', asked.end?.row?.cache === 'HIT', asked));
    },
    askInOutage() {
      repeat((asked) => {
        const cache = asked.kind === 'reference' ? 'HIT' : 'STALE';
        must('what is kept stands in', asked.end?.code === undefined && asked.end?.row?.cache === cache, asked);
      });
    },
    askTooLate() {
      kept = kept.filter(({ kind }) => kind === 'search');
      repeat((asked) => must('stale has an end', asked.end?.code !== undefined, asked));
    },
  };
}

function wishFor(kind: 'reference' | 'search', item: number): Wish {
  return { kind, group: 0, item, key: PROBER, deadlineMs: 25_000, leavesAfterMs: null, request: {}, alone: false };
}

function nameOf({ replica, path }: Asked): string {
  return `${replica.process.name} ${path}`;
}
