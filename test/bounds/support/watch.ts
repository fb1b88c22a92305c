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

/** Runs the work against the server while a neighbour asks small queries, and tells what it did. */
export async function watch<T>(
  server: MeteredServer,
  operations: readonly SmallOperation[],
  work: () => Promise<T>,
): Promise<Watched<T>> {
  const before = await server.collect();
  const unitBefore = await server.calibrate();
  await server.reset();
  const stop = startNeighbour(server.url, operations);
  const result = await work().finally(stop);
  const neighbour = await stop();
  const peaks = await server.read();
  const after = await server.collect();
  // A machine that became slower meanwhile made both slower.
  const unit = Math.max(unitBefore, await server.calibrate());
  const base = before.heapBytes + before.outsideBytes;
  return {
    result,
    stall: peaks.stallMs / unit,
    peakMb: (peaks.heapBytes + peaks.outsideBytes - base) / 1e6,
    heldMb: (after.heapBytes + after.outsideBytes - base) / 1e6,
    neighbour,
  };
}
