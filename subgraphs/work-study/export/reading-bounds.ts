import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { createSlots, type Slots } from '../../rest/quota/fair-queue.js';
import { MAX_ROW_BYTES } from './raw-row.js';

/** Whose request needs rows. */
export type Reader = Pick<OperationContext, 'request' | 'caller' | 'signal' | 'dryRun'>;

const MB = 1024 * 1024;
/** Bytes of rows that one request may read: fifteen times its 10,000 items, as real rows have 2 kB. */
const MAX_REQUEST_BYTES = 32 * MB;
/** Bytes of rows that are being read at any time; parsed, they take about three times as much. */
const MAX_READING_BYTES = 64 * MB;
/** What a row counts as at least: however short, objects are made of it. */
const LEAST_ROW_BYTES = 3 * 1024;

/** Of this process, however many exports it has open. */
const reading = createSlots(() => MAX_READING_BYTES);
const ofRequest = new WeakMap<object, number>();

/** Counts rows of these lengths for the request. Throws `COST_EXCEEDED` if they are too many; they then do not count. */
export function charge({ request }: Reader, lengths: readonly number[]): void {
  const bytes = (ofRequest.get(request) ?? 0) + sizeOf(lengths);
  if (bytes > MAX_REQUEST_BYTES) {
    const message = `This request reads more than ${MAX_REQUEST_BYTES / MB} MB of the daily export. Select fewer rows with \`first\`, or fewer SIRETs.`;
    throw new CodedError('COST_EXCEEDED', message, { service: 'work-study' });
  }
  ofRequest.set(request, bytes);
}

/** Reads rows of these lengths once there is room for them, callers in turns. Rejects with the reason of the signal. */
export function readInTurn<T>(reader: Reader, lengths: readonly number[], read: () => Promise<T>): Promise<T> {
  return inTurn(reading, reader, read, sizeOf(lengths));
}

/** Does work once so many slots are free, callers in turns. Rejects with the reason of the signal if it aborts before. */
export async function inTurn<T>(
  slots: Slots,
  { request, caller, signal }: Reader,
  work: () => Promise<T>,
  needed = 1,
): Promise<T> {
  const leave = await slots.enter({ request, caller: caller ?? request, signal }, false, needed).catch((error) => {
    throw signal.aborted ? signal.reason : error;
  });
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    leave();
  }
}

/** What rows of these lengths count. */
function sizeOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, bytes) => sum + (bytes > MAX_ROW_BYTES ? 0 : Math.max(bytes, LEAST_ROW_BYTES)), 0);
}
