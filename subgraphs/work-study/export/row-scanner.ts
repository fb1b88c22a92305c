/** The bytes cannot be an export. The message is for the log and for whoever asks the export. */
export class BrokenExportError extends Error {
  override readonly name = 'BrokenExportError';
}

/** Bytes of a row that is read; real ones have 2 kB, and reading longer ones would hold up everybody else. */
export const MAX_ROW_BYTES = 64 * 1024;

/** One row of the export, and where its bytes are in the file. */
export interface ScannedRow {
  /** Offset of its first byte. */
  readonly start: number;
  /** Offset just after its last byte. */
  readonly end: number;
  /** The 14 digits at `workplace.siret`; null for anything else there. */
  readonly siret: string | null;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What may surround the document: white space and the bytes of a byte-order mark. */
const AROUND = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** `workplace` and 14 digits fit even when each character is a six-byte escape. */
const MAX_TEXT_BYTES = 84;

/**
 * Finds the rows of a JSON export piece by piece, without parsing them and without buffering more than a short text.
 * The export is a flat array (work-study 7.6); lists inside one object, as in the search's response, are read too.
 * Nesting, strings and escapes are respected, so that text which looks like a SIRET is never taken for one; of equal
 * keys the last counts, as in `JSON.parse`. Only brackets and strings are checked: other errors inside a row show when
 * the row is read.
 */
export class RowScanner {
  readonly #onRow: (row: ScannedRow) => void;
  /** Total bytes of the earlier pieces. */
  #offset = 0;
  #depth = 0;
  /** Depth inside the lists that contain the rows: 1, or 2 if an object surrounds them. */
  #listDepth = 0;
  #inList = false;
  #sawList = false;
  #closed = false;

  #inString = false;
  /** Whether the part of the string seen so far ends in an odd number of backslashes. */
  #escaping = false;
  /** Whether the next value belongs to a key. */
  #afterColon = false;
  readonly #text = Buffer.alloc(MAX_TEXT_BYTES);
  #textLength = 0;

  #start = 0;
  /** Offset of a row that is no object, such as null, until it ends; else null. */
  #scalarAt: number | null = null;
  #siret: string | null = null;
  #inWorkplace = false;
  #atSiret = false;

  constructor(onRow: (row: ScannedRow) => void) {
    this.#onRow = onRow;
  }

  /** Offset of the first byte that a row yet to be found may have. */
  get neededFrom(): number {
    if (!this.#inList) return this.#offset;
    return this.#scalarAt ?? (this.#depth > this.#listDepth ? this.#start : this.#offset);
  }

  /** Reads the next piece. Throws when the bytes cannot be an export. */
  push(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#inString) at = this.#readString(piece, at);
      else this.#readByte(piece[at] ?? 0, this.#offset + at++);
    }
    this.#offset += piece.length;
  }

  /** To be called after the last piece. Throws when the file is truncated, so that not everything opened is closed. */
  end(): void {
    if (!this.#closed) throw new BrokenExportError('the daily export is truncated');
    if (!this.#sawList) throw new BrokenExportError('the daily export is not a list');
  }

  #readByte(byte: number, at: number): void {
    switch (byte) {
      case QUOTE:
        this.#beginScalar(at);
        this.#inString = true;
        this.#escaping = false;
        this.#textLength = 0;
        break;
      case COLON:
        this.#readKey();
        break;
      case COMMA:
        this.#endScalar(at);
        this.#afterColon = false;
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#open(byte, at);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#close(at);
        break;
      default:
        if (AROUND.has(byte)) break;
        if (this.#depth === 0) throw new BrokenExportError('the daily export is not JSON');
        this.#beginScalar(at);
    }
  }

  #beginScalar(at: number): void {
    if (this.#inList && this.#depth === this.#listDepth) this.#scalarAt ??= at;
  }

  #endScalar(at: number): void {
    if (this.#scalarAt !== null) this.#onRow({ start: this.#scalarAt, end: at, siret: null });
    this.#scalarAt = null;
  }

  #open(byte: number, at: number): void {
    if (this.#closed) throw new BrokenExportError('the daily export continues after its end');
    if (this.#depth === 0) this.#listDepth = byte === OPEN_ARRAY ? 1 : 2;
    if (this.#depth === this.#listDepth - 1) {
      this.#inList = byte === OPEN_ARRAY;
      this.#sawList ||= this.#inList;
    } else if (this.#depth === this.#listDepth) {
      this.#start = at;
      this.#siret = null;
      this.#inWorkplace = false;
    }
    this.#depth++;
    this.#afterColon = false;
  }

  #close(at: number): void {
    this.#endScalar(at);
    this.#depth--;
    if (this.#depth < 0) throw new BrokenExportError('the daily export closes more than it opens');
    if (this.#depth === this.#listDepth && this.#inList) {
      this.#onRow({ start: this.#start, end: at + 1, siret: this.#siret });
    }
    this.#closed = this.#depth === 0;
  }

  /** A colon makes the string before it a key. */
  #readKey(): void {
    this.#afterColon = true;
    if (this.#depth === this.#listDepth + 1) {
      this.#inWorkplace = this.#readText() === 'workplace';
      if (this.#inWorkplace) this.#siret = null;
    } else if (this.#inWorkplace && this.#depth === this.#listDepth + 2) {
      this.#atSiret = this.#readText() === 'siret';
      if (this.#atSiret) this.#siret = null;
    }
  }

  /** Continues reading a string. Returns where to go on: after its closing quote, or at the end of the piece. */
  #readString(piece: Uint8Array, from: number): number {
    let quote = indexOfQuote(piece, from);
    while (quote !== -1 && this.#isEscaped(piece, from, quote)) quote = indexOfQuote(piece, quote + 1);
    const to = quote === -1 ? piece.length : quote;
    this.#copyText(piece, from, to);
    if (quote === -1) {
      this.#escaping = this.#isEscaped(piece, from, to);
      return to;
    }
    this.#inString = false;
    if (this.#afterColon && this.#atSiret && this.#inWorkplace && this.#depth === this.#listDepth + 2) {
      const text = this.#readText();
      this.#siret = text !== null && /^\d{14}$/.test(text) ? text : null;
    }
    return quote + 1;
  }

  /** Whether an odd number of backslashes precedes a byte, including those at the end of the previous piece. */
  #isEscaped(piece: Uint8Array, from: number, at: number): boolean {
    let first = at;
    while (first > from && piece[first - 1] === BACKSLASH) first--;
    const odd = (at - first) % 2 === 1;
    return first === from ? odd !== this.#escaping : odd;
  }

  /** Copies the start of a string that may be a relevant key or SIRET. */
  #copyText(piece: Uint8Array, from: number, to: number): void {
    const level = this.#depth - this.#listDepth;
    if (level !== 1 && !(level === 2 && this.#inWorkplace)) return;
    const fits = Math.min(to, from + MAX_TEXT_BYTES - this.#textLength);
    for (let at = from; at < fits; at++) this.#text[this.#textLength + at - from] = piece[at] ?? 0;
    this.#textLength += to - from;
  }

  /** The string that was copied; null when it is too long to matter. */
  #readText(): string | null {
    if (this.#textLength > MAX_TEXT_BYTES) return null;
    const text = this.#text.toString('utf8', 0, this.#textLength);
    return text.includes('\\') ? unescaped(text) : text;
  }
}

/** Most strings are short, and checking their bytes one by one costs less than a call to `indexOf`. */
function indexOfQuote(piece: Uint8Array, from: number): number {
  const near = Math.min(piece.length, from + 48);
  for (let at = from; at < near; at++) if (piece[at] === QUOTE) return at;
  return near === piece.length ? -1 : piece.indexOf(QUOTE, near);
}

function unescaped(text: string): string | null {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return null;
  }
}
