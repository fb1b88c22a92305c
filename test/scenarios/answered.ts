import type { MemoryLog } from './memory-log.js';

/** What the log says of a response. */
export interface Answered {
  /** How it was answered; undefined for a request that was refused. */
  readonly way: string | undefined;
  /** Why it was not answered from memory; undefined if it was. */
  readonly reason: string | undefined;
  readonly callsMade: number | undefined;
  readonly savedByCache: number | undefined;
  readonly savedBySharing: number | undefined;
}

/** How the last request was answered. */
export function lastAnswered({ log }: { readonly log: MemoryLog }): Answered {
  const line = log.lines.findLast(({ message }) => /^request (answered|refused)$/.test(message));
  const { way, reason, callsMade, savedByCache, savedBySharing } = { ...line?.fields } as Partial<Answered>;
  return { way, reason, callsMade, savedByCache, savedBySharing };
}
