import type { Held, MeteredServer } from './metered-server.js';
import { type Neighbourhood, type SmallOperation, startNeighbour } from './neighbour.js';

/** The effects of a piece of work on the server. */
export interface Watched<T> {
  readonly result: T;
  /** Longest stall of the event loop, in units of the calibrating work, ten of which are a tenth of a second here. */
  readonly stall: number;
  /** Most megabytes by which heap and buffers grew, including garbage. */
  readonly peakMb: number;
  /** Megabytes retained since the last garbage collection; an upper bound while they are few. */
  readonly heldMb: number;
  readonly neighbour: Neighbourhood;
}

/** Milliseconds between two queries of the neighbour: often enough to be affected, with little work of its own. */
const PAUSE_MS = 10;

/** Runs work against the server while a neighbour sends small queries, and returns its effects. */
export type Watch = <T>(work: () => Promise<T>) => Promise<Watched<T>>;

/** Shorter stalls, by the last calibration, are within any limit: only longer ones need a new calibration. */
const FEW_PIECES = 5;

/** Less than any work may retain. Before more than this is reported, garbage is collected. */
const FEW_MB = 7;

/**
 * Watches one piece of work after another. Memory and calibration after one are the baseline of the next: collecting
 * all garbage takes longer than most of the work.
 */
export async function openWatch(
  server: MeteredServer,
  operations: readonly SmallOperation[],
  pauseMs = PAUSE_MS,
): Promise<Watch> {
  let before = { bytes: bytesOf(await server.collect()), unit: await server.calibrate() };
  let collected = before.bytes;
  return async (work) => {
    await server.reset();
    const stop = startNeighbour(server.url, operations, pauseMs);
    const result = await work().finally(stop);
    const neighbour = await stop();
    const peaks = await server.read();
    let bytes = bytesOf(await server.sweep());
    const held = () => (bytes - collected) / 1e6;
    const isMuch = held() > FEW_MB;
    // One collection usually shows that what seemed to be retained is garbage, at half the price of two.
    if (isMuch) bytes = bytesOf(await server.collectOnce());
    if (held() > FEW_MB) bytes = bytesOf(await server.collect());
    const heldMb = held();
    if (isMuch) collected = bytes;
    const isShort = peaks.stallMs < FEW_PIECES * before.unit;
    const after = { bytes, unit: isShort ? before.unit : await server.calibrate() };
    // A machine that has become slower has slowed down the work as well.
    const unit = Math.max(before.unit, after.unit);
    const peakMb = (bytesOf(peaks) - before.bytes) / 1e6;
    before = after;
    return { result, stall: peaks.stallMs / unit, peakMb, heldMb, neighbour };
  };
}

function bytesOf({ heapBytes, outsideBytes }: Held): number {
  return heapBytes + outsideBytes;
}
