/** A whole response that is larger is not cached: few clients send the same query again. */
export const MAX_CACHED_BYTES = 256 * 1024;

/** Node writes a short text with its head in one piece; of a buffer it makes two. */
const SHORT_BYTES = 4096;

/** Room for the bytes of a text that may be short: a character takes three at most. */
const SCRATCH = Buffer.allocUnsafeSlow(3 * SHORT_BYTES);

/** The body of a response. A short one is a text with one character for each byte, any other a buffer. */
export class ResponseBody {
  /** In bytes. */
  readonly length: number;
  /** A short body with one character for each byte; null for any other. */
  readonly latin1: string | null;
  readonly #bytes: Buffer | null;

  /** Of JSON text. */
  constructor(json: string) {
    this.latin1 = json.length > SHORT_BYTES ? null : latin1Of(json);
    this.#bytes = this.latin1 === null ? Buffer.from(json) : null;
    this.length = this.latin1?.length ?? this.#bytes?.length ?? 0;
  }

  bytes(): Buffer {
    return this.#bytes ?? Buffer.from(this.latin1 ?? '', 'latin1');
  }
}

/** Null for a text that is not short as bytes. */
function latin1Of(text: string): string | null {
  const length = SCRATCH.write(text);
  if (length === text.length) return text;
  return length > SHORT_BYTES ? null : SCRATCH.toString('latin1', 0, length);
}
