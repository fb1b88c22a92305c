import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { FairQueue } from '../../rest/quota/fair-queue.js';
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

/** Bounds the bytes of rows that are read, by their lengths, before they are. */
export class ReadingBounds {
  #reading = 0;
  readonly #waiting = new FairQueue<{ readonly bytes: number; enter(): void }>();
  readonly #ofRequest = new WeakMap<object, number>();
  readonly #ofDryRun = new WeakMap<object, number>();

  /** Counts rows of these lengths for the request. Throws `COST_EXCEEDED` if they are too many; they then do not count. */
  charge({ request, dryRun }: Reader, lengths: Iterable<number>): void {
    const counts = dryRun === true ? this.#ofDryRun : this.#ofRequest;
    const bytes = (counts.get(request) ?? 0) + sizeOf(lengths);
    if (bytes > MAX_REQUEST_BYTES) {
      const message = `This request reads more than ${MAX_REQUEST_BYTES / MB} MB of the daily export. Select fewer rows with \`first\`, or fewer SIRETs.`;
      throw new CodedError('COST_EXCEEDED', message, { service: 'work-study' });
    }
    counts.set(request, bytes);
  }

  /** Reads rows of these lengths once there is room for them, callers in turns. Rejects with the reason of the signal. */
  async read<T>({ request, caller, signal }: Reader, lengths: readonly number[], read: () => Promise<T>): Promise<T> {
    const bytes = sizeOf(lengths);
    if (this.#waiting.size > 0 || this.#reading + bytes > MAX_READING_BYTES) {
      await new Promise<void>((enter, reject) => {
        const waiting = { bytes, enter };
        const leave = () => {
          this.#waiting.remove(waiting);
          reject(signal.reason);
          this.#admit();
        };
        signal.addEventListener('abort', leave, { once: true });
        this.#waiting.push(waiting, { caller: caller ?? request, request });
      });
    } else this.#reading += bytes;
    try {
      signal.throwIfAborted();
      return await read();
    } finally {
      this.#reading -= bytes;
      this.#admit();
    }
  }

  #admit(): void {
    for (const waiting of this.#waiting.items()) {
      if (this.#reading + waiting.bytes > MAX_READING_BYTES) return;
      this.#waiting.serve(waiting);
      this.#reading += waiting.bytes;
      waiting.enter();
    }
  }
}

/** What rows of these lengths count; of more than a request may read, no more than that says. */
function sizeOf(lengths: Iterable<number>): number {
  let bytes = 0;
  for (const length of lengths) {
    bytes += length > MAX_ROW_BYTES ? 0 : Math.max(length, LEAST_ROW_BYTES);
    if (bytes > MAX_REQUEST_BYTES) break;
  }
  return bytes;
}
