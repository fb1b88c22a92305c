import { inspect } from 'node:util';
import type { Log } from '../../kernel/log.js';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** A log that tests can read, and can wait on without polling. */
export interface MemoryLog extends Log {
  readonly lines: readonly LogLine[];
  /** Resolves with the line, at once if it has already been logged. */
  seen(match: (line: LogLine) => boolean): Promise<LogLine>;
  /** Everything that was written, fields included, for the scan for secrets. */
  text(): string;
}

export function createMemoryLog(): MemoryLog {
  const lines: LogLine[] = [];
  const waiting = new Set<{ match: (line: LogLine) => boolean; resolve: (line: LogLine) => void }>();
  const write = (level: LogLine['level']) => (fields: object, message: string) => {
    const line = { level, fields, message };
    lines.push(line);
    for (const waiter of waiting) {
      if (!waiter.match(line)) continue;
      waiting.delete(waiter);
      waiter.resolve(line);
    }
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    lines,
    seen: (match) =>
      new Promise((resolve) => {
        const found = lines.find(match);
        if (found === undefined) waiting.add({ match, resolve });
        else resolve(found);
      }),
    text: () => inspect(lines, { depth: null, maxArrayLength: null, maxStringLength: null }),
  };
}
