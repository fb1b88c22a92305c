import type { Log } from '../../kernel/log.js';

/** A log in the shape that Apollo's libraries expect; what they log as information is for debugging. */
export function libraryLog(log: Log, from: string) {
  return {
    debug: (message: unknown) => log.debug({ from }, String(message)),
    info: (message: unknown) => log.debug({ from }, String(message)),
    warn: (message: unknown) => log.warn({ from }, String(message)),
    error: (message: unknown) => log.error({ from }, String(message)),
  };
}
