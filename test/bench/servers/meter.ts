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

const clocks = { wall: Date.now, monotonic: performance.now.bind(performance) };
let [wallShiftMs, monotonicShiftMs] = [0, 0];
Date.now = () => clocks.wall() + wallShiftMs;
performance.now = () => clocks.monotonic() + monotonicShiftMs;

process.on('message', (message: Partial<MeterRequest>) => {
  if (message.meter === undefined) return;
  if (message.meter === 'shift') {
    wallShiftMs += message.wallMs ?? 0;
    monotonicShiftMs += message.monotonicMs ?? 0;
  }
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() };
  process.send?.({ meter: message.meter, usage });
});
process.on('disconnect', () => process.exit());
process.channel?.unref();
