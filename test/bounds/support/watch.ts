import type { Held, MeteredServer } from './metered-server.js';
import { type Neighbourhood, type SmallOperation, startNeighbour } from './neighbour.js';

/** What a piece of work did to the server. */
export interface Watched<T> {
  readonly result: T;
  /** The longest stall of the event loop, in pieces of the calibrating work: ten are a tenth of a second here. */
  readonly stall: number;
  /** Megabytes by which heap and buffers grew at most, garbage included. */
  readonly peakMb: number;
  /** Megabytes that are held since garbage was collected last: at most, while they are few. */
  readonly heldMb: number;
  readonly neighbour: Neighbourhood;
}

/** Between two queries of the neighbour: often enough to be in the way, and little work of its own. */
const PAUSE_MS = 10;

/** Runs work against the server while a neighbour asks small queries, and tells what it did. */
export type Watch = <T>(work: () => Promise<T>) => Promise<Watched<T>>;

/** What stalled for less by the last calibration is within any limit: only what stalled for longer is worth another. */
const FEW_PIECES = 5;

/** Less than any work may hold. What is seen to be held is collected before it counts as more than this. */
const FEW_MB = 7;

/**
 * Watches one piece of work after the other. What the server held and how quick it was after one is what the next is
 * compared with: collecting all garbage takes it longer than most of what is watched.
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
    const stop = startNeighbour(server.url, operations, { pauseMs });
    const result = await work().finally(stop);
    const neighbour = await stop();
    const peaks = await server.read();
    let bytes = bytesOf(await server.sweep());
    const held = () => (bytes - collected) / 1e6;
    const isMuch = held() > FEW_MB;
    // One collection shows for most of what seems to be held that it is garbage, at half the price.
    if (isMuch) bytes = bytesOf(await server.collectOnce());
    if (held() > FEW_MB) bytes = bytesOf(await server.collect());
    const heldMb = held();
    if (isMuch) collected = bytes;
    const isShort = peaks.stallMs < FEW_PIECES * before.unit;
    const after = { bytes, unit: isShort ? before.unit : await server.calibrate() };
    // A machine that became slower meanwhile made both slower.
    const unit = Math.max(before.unit, after.unit);
    const peakMb = (bytesOf(peaks) - before.bytes) / 1e6;
    before = after;
    return { result, stall: peaks.stallMs / unit, peakMb, heldMb, neighbour };
  };
}

function bytesOf({ heapBytes, outsideBytes }: Held): number {
  return heapBytes + outsideBytes;
}
