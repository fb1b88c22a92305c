import type { Log } from '../../kernel/log.js';

/** Lines of one kind per minute: enough to see what is going on, and few compared with what an attacker can send. */
const LINES_PER_MINUTE = 100;
const MINUTE_MS = 60_000;

/** Writes lines of a few kinds, each at a bounded rate. */
export interface BoundedLines {
  info(kind: string, fields: object, message: string): void;
}

/** Lines over the bound are counted; the first line after that minute reports how many. `now` is in milliseconds. */
export function createBoundedLines(log: Log, now: () => number = () => performance.now()): BoundedLines {
  const minutes = new Map<string, { startedMs: number; lines: number }>();
  return {
    info(kind, fields, message) {
      const nowMs = now();
      const minute = minutes.get(kind);
      if (minute === undefined || nowMs - minute.startedMs >= MINUTE_MS) {
        const omitted = Math.max(0, (minute?.lines ?? 0) - LINES_PER_MINUTE);
        minutes.set(kind, { startedMs: nowMs, lines: 1 });
        log.info(omitted > 0 ? { ...fields, linesOmitted: omitted } : fields, message);
        return;
      }
      minute.lines += 1;
      if (minute.lines <= LINES_PER_MINUTE) log.info(fields, message);
    },
  };
}
