import { freshTurn, isTurnSpent } from '../../runtime/event-loop/turns.js';
import { invalidResponse } from './failures.js';
import type { WireResponse, WireStream } from './ports/transport.js';
import type { Sender } from './shape.js';
import type { Gathered, UpstreamRequest } from './upstream.js';

/**
 * A list that is too large to be read whole: its items are taken out of the body as it arrives, and what the request
 * makes of them (`UpstreamRequest.gather`) is kept in place of the body.
 */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** White space, and the bytes of a byte-order mark. */
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Splits the JSON of a list into that of its items, piece by piece. Only brackets and strings are looked at. Of an item with
 * more than `maxItemBytes`, so many are given and one more.
 */
export class ListScanner {
  /** Null before the first byte that is not blank; false also if something follows the list. */
  isList: boolean | null = null;
  /** Whether the closing bracket of the list has been seen. */
  isEnded = false;
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  #isInItem = false;
  #begun: Uint8Array[] = [];
  #begunBytes = 0;
  readonly #maxItemBytes: number;

  constructor(maxItemBytes = Number.POSITIVE_INFINITY) {
    this.#maxItemBytes = maxItemBytes;
  }

  /** Bytes of the item that has begun and is not whole. */
  get begunBytes(): number {
    return this.#begunBytes;
  }

  /** The items that the next piece completes, in order. The piece may change once all are taken. */
  *push(piece: Uint8Array): Generator<Buffer> {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      if (this.#inText) {
        at = this.#readText(piece, at);
        continue;
      }
      const byte = piece[at] ?? 0;
      if (BLANK.has(byte) || this.isList === false) continue;
      if (this.isList === null || this.isEnded) {
        this.isList = !this.isEnded && byte === OPEN_LIST;
        continue;
      }
      const isBetween = this.#depth === 0 && (byte === COMMA || byte === CLOSE_LIST);
      if (!isBetween && !this.#isInItem) {
        this.#isInItem = true;
        start = at;
      }
      this.#readByte(byte);
      // A bracket ends an item with itself; a word or a number ends before what separates it from the next.
      const isWhole = this.#depth === 0 && (isBetween || byte === CLOSE_OBJECT || byte === CLOSE_LIST);
      if (isWhole && this.#isInItem) yield this.#whole(piece.subarray(start, isBetween ? at : at + 1));
      if (isBetween) this.isEnded = byte === CLOSE_LIST;
    }
    // Copied, as the piece may be written over.
    if (this.#isInItem) this.#keep(new Uint8Array(piece.subarray(start)));
  }

  /** Reads on in a text. Returns where it ends, or the piece does: nearly all bytes are in texts. */
  #readText(piece: Uint8Array, from: number): number {
    let at = from;
    let isEscaped = this.#isEscaped;
    for (; at < piece.length; at += 1) {
      const byte = piece[at];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) break;
    }
    this.#isEscaped = isEscaped;
    this.#inText = at === piece.length;
    return at;
  }

  #readByte(byte: number): void {
    if (byte === QUOTE) this.#inText = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth += 1;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && this.#depth > 0) this.#depth -= 1;
  }

  #keep(part: Uint8Array): void {
    if (this.#begunBytes <= this.#maxItemBytes) this.#begun.push(part);
    this.#begunBytes += part.length;
  }

  #whole(last: Uint8Array): Buffer {
    this.#keep(last);
    const item = Buffer.concat(this.#begun).subarray(0, this.#maxItemBytes + 1);
    this.#begun = [];
    this.#begunBytes = 0;
    this.#isInItem = false;
    return item;
  }
}

/** Bytes of a body with another status that are read. */
const MAX_OTHER_BYTES = 256 * 1024;
/** Bytes of one item; more are not a record of any service. */
const MAX_ITEM_BYTES = 1024 * 1024;

/** What a response has beside its status and headers once its list has been gathered. */
export interface ListResponse {
  /** Absent for a response with another status. */
  readonly gathered?: Gathered;
  /** Bytes of the body, after decompression. */
  readonly received: number;
}

/**
 * The response that is left once its list has been gathered: without a body, and `isCut` unless the list was read to its
 * end. A response with another status has the beginning of its body.
 */
export async function gatherList(
  { status, headers, body }: WireStream,
  gather: NonNullable<UpstreamRequest<unknown>['gather']>,
  { signal, sender }: { readonly signal: AbortSignal; readonly sender: Sender },
): Promise<WireResponse & ListResponse> {
  if (status !== 200) {
    const start = await startOf(body);
    return { status, headers, body: start, received: start.length };
  }
  const scanner = new ListScanner();
  let received = 0;
  async function* items(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of body) {
        received += piece.length;
        for (const item of scanner.push(piece)) {
          if (isTurnSpent()) await freshTurn();
          yield item;
        }
        if (scanner.isList === false || scanner.begunBytes > MAX_ITEM_BYTES) return;
      }
    } catch (error) {
      // Whatever else ends the connection breaks the list off.
      if (signal.aborted) throw error;
    }
  }
  const gathered = await gather(items());
  if (signal.aborted) throw signal.reason;
  if (scanner.isList !== true) throw invalidResponse(sender.service, 'a body that is not a list');
  return { status, headers, body: Buffer.alloc(0), isCut: !scanner.isEnded, gathered, received };
}

async function startOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_OTHER_BYTES) break;
  }
  return Buffer.concat(chunks);
}
