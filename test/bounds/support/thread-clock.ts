/** Milliseconds on the clock that all processes of a machine share. */
export const sharedNowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * Milliseconds that a thread worked between two moments of the shared clock, whatever else the machine did. `notes` are
 * pairs of the time and how long the thread had worked by then; work is interpolated linearly between them.
 */
export function workedBetween(notes: readonly number[]): (fromMs: number, toMs: number) => number {
  const count = notes.length / 2;
  const workedAt = (ms: number): number => {
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((notes[2 * middle] ?? 0) < ms) low = middle + 1;
      else high = middle;
    }
    const [toMs = 0, toWorked = 0] = notes.slice(2 * low, 2 * low + 2);
    const [fromMs = toMs, fromWorked = toWorked] = notes.slice(2 * low - 2, 2 * low);
    const share = toMs > fromMs ? Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs))) : 1;
    return fromWorked + share * (toWorked - fromWorked);
  };
  return (fromMs, toMs) => workedAt(toMs) - workedAt(fromMs);
}
