/** Larger whole responses are not cached: few clients send the same query again. */
export const MAX_CACHED_BYTES = 256 * 1024;

/** Node writes a short string in one piece with its head, but a buffer in two. */
const SHORT_BYTES = 4096;

/** Room for the bytes of a string that may be short: a character takes three at most. */
const SCRATCH = Buffer.allocUnsafeSlow(3 * SHORT_BYTES);

/** The body of a response. A short one is a string with one character per byte, any other a buffer. */
export class ResponseBody {
  /** In bytes. */
  readonly length: number;
  /** A short body with one character per byte; null for any other. */
  readonly latin1: string | null;
  readonly #bytes: Buffer | null;

  /** Takes the body as JSON text. */
  constructor(json: string) {
    this.latin1 = json.length > SHORT_BYTES ? null : latin1Of(json);
    this.#bytes = this.latin1 === null ? Buffer.from(json) : null;
    this.length = this.latin1?.length ?? this.#bytes?.length ?? 0;
  }

  bytes(): Buffer {
    return this.#bytes ?? Buffer.from(this.latin1 ?? '', 'latin1');
  }
}

/** Null if the text is not short in bytes. */
function latin1Of(text: string): string | null {
  const length = SCRATCH.write(text);
  if (length === text.length) return text;
  return length > SHORT_BYTES ? null : SCRATCH.toString('latin1', 0, length);
}
