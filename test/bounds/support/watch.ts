import type { MeteredServer } from './metered-server.js';
import { type Neighbourhood, type SmallOperation, startNeighbour } from './neighbour.js';

/** What a piece of work did to the server. */
export interface Watched<T> {
  readonly result: T;
  /** The longest stall of the event loop, in pieces of the calibrating work: ten are a tenth of a second here. */
  readonly stall: number;
  /** Megabytes by which heap and buffers grew at most, garbage included. */
  readonly peakMb: number;
  /** Megabytes that are still held once garbage is gone. */
  readonly heldMb: number;
  readonly neighbour: Neighbourhood;
}

/** Between two queries of the neighbour: often enough to be in the way, and little work of its own. */
const PAUSE_MS = 10;

/** Runs work against the server while a neighbour asks small queries, and tells what it did. */
export type Watch = <T>(work: () => Promise<T>) => Promise<Watched<T>>;

/**
 * Watches one piece of work after the other. What the server held and how quick it was after one is what the next is
 * compared with: collecting all garbage takes it longer than most of what is watched.
 */
export async function openWatch(server: MeteredServer, operations: readonly SmallOperation[]): Promise<Watch> {
  let before = await lookAt(server);
  return async (work) => {
    await server.reset();
    const stop = startNeighbour(server.url, operations, { pauseMs: PAUSE_MS });
    const result = await work().finally(stop);
    const neighbour = await stop();
    const peaks = await server.read();
    const after = await lookAt(server);
    // A machine that became slower meanwhile made both slower.
    const unit = Math.max(before.unit, after.unit);
    const base = before.bytes;
    before = after;
    return {
      result,
      stall: peaks.stallMs / unit,
      peakMb: (peaks.heapBytes + peaks.outsideBytes - base) / 1e6,
      heldMb: (after.bytes - base) / 1e6,
      neighbour,
    };
  };
}

/** The bytes that the server holds once garbage is gone, and the milliseconds of the calibrating work. */
async function lookAt(server: MeteredServer): Promise<{ readonly bytes: number; readonly unit: number }> {
  const { heapBytes, outsideBytes } = await server.collect();
  return { bytes: heapBytes + outsideBytes, unit: await server.calibrate() };
}
