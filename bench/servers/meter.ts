/**
 * Loaded before each server of the bench: reports over the channel to the bench what its process has used, and moves
 * its clocks, so that cache entries age and the windows of its calls end. Ends the process when the bench is gone.
 */

/** Resources that a process has used so far. */
export interface Usage {
  /** Milliseconds of CPU of all its threads, in user code and in the system. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

/** How far clocks are moved. */
export interface ClockShift {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** Requests from the bench. */
export type MeterRequest = { readonly meter: 'usage' } | ({ readonly meter: 'shift' } & ClockShift);

let shifted: { wallMs: number; monotonicMs: number } | null = null;

/** Replaces the clocks at the first shift, so that a server reads them at their own cost until then. */
function shift({ wallMs = 0, monotonicMs = 0 }: Partial<ClockShift>): void {
  const by = shifted ?? replaceClocks();
  by.wallMs += wallMs;
  by.monotonicMs += monotonicMs;
  shifted = by;
}

function replaceClocks() {
  const [wall, monotonic] = [Date.now, performance.now.bind(performance)];
  const by = { wallMs: 0, monotonicMs: 0 };
  Date.now = () => wall() + by.wallMs;
  performance.now = () => monotonic() + by.monotonicMs;
  return by;
}

process.on('message', (message: Partial<MeterRequest>) => {
  if (message.meter === undefined) return;
  if (message.meter === 'shift') shift(message);
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() };
  process.send?.({ meter: message.meter, usage });
});
process.on('disconnect', () => process.exit());
process.channel?.unref();
