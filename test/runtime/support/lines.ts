import type { Log } from '../../../kernel/log.js';
import { createLog } from '../../../runtime/process/logging.js';

/** The real log, whose lines a test can read. */
export function createLines(level: 'debug' | 'info' = 'debug'): {
  log: Log;
  read(): Record<string, unknown>[];
  text(): string;
} {
  const written: string[] = [];
  return {
    log: createLog({ level, pretty: false, into: { write: (line) => void written.push(line) } }),
    read: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
    text: () => written.join(''),
  };
}
