/** Node writes a short text with its head in one piece; of a buffer it makes two. */
const SHORT_BYTES = 4096;

/** The body of a response. A short one is a text with one character for each byte, any other a buffer. */
export class ResponseBody {
  /** In bytes. */
  readonly length: number;
  /** A short body with one character for each byte; null for any other. */
  readonly latin1: string | null;
  readonly #bytes: Buffer | null;

  /** Of JSON text. */
  constructor(json: string) {
    const bytes = json.length > SHORT_BYTES || !isAscii(json) ? Buffer.from(json) : null;
    this.length = bytes?.length ?? json.length;
    const isLong = bytes !== null && bytes.length > SHORT_BYTES;
    this.#bytes = isLong ? bytes : null;
    this.latin1 = isLong ? null : (bytes?.toString('latin1') ?? json);
  }

  bytes(): Buffer {
    return this.#bytes ?? Buffer.from(this.latin1 ?? '', 'latin1');
  }
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
