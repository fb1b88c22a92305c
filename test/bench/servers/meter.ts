/**
 * Loaded before each server of the bench: tells over the channel to the bench what its process has used, and moves its
 * wall clock, so that what it keeps grows old. Ends the process when the bench is gone.
 */

/** What a process has used so far. */
export interface Usage {
  /** Milliseconds of CPU of all its threads, in user code and in the system. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

/** What the bench asks. */
export type MeterRequest = { readonly meter: 'usage' } | { readonly meter: 'shift'; readonly ms: number };

const now = Date.now;
let shiftMs = 0;
Date.now = () => now() + shiftMs;

process.on('message', (message: Partial<MeterRequest>) => {
  if (message.meter === undefined) return;
  if (message.meter === 'shift') shiftMs += message.ms ?? 0;
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() };
  process.send?.({ meter: message.meter, usage });
});
process.on('disconnect', () => process.exit());
process.channel?.unref();
