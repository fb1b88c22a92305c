import { DEEPEST_JSON, parseShallowJson } from '../../kernel/text.js';
import { freshTurn, isTurnSpent } from './turns.js';

/** Bytes parsed in one go, which takes a millisecond or two. */
const PIECE_BYTES = 32 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON, LETTER_U] = [0x22, 0x5c, 0x2c, 0x3a, 0x75];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * More values than this must have so many bytes each. An empty object has three bytes in the text and 56 in the heap, so
 * 35 MB of them would take more than half a gigabyte; ten thousand missions have 1.1 million values of 30 bytes.
 */
const MANY_VALUES = 1_000_000;
const BYTES_OF_MANY = 8;

/**
 * The value of a JSON text of any length, parsed in pieces between which the event loop turns; undefined for a text
 * that is not JSON, nests too deep or has too many values.
 */
export async function readJson(text: Buffer, pieceBytes = PIECE_BYTES): Promise<unknown> {
  const json = text.subarray(0, 3).equals(BYTE_ORDER_MARK) ? text.subarray(3) : text;
  if (json.length <= pieceBytes) return parseShallowJson(json.toString('utf8'));
  try {
    const maxValues = Math.max(MANY_VALUES, json.length / BYTES_OF_MANY);
    return await readValue({ text: json, pieceBytes, maxValues, values: 0 }, { from: 0, to: json.length }, 1);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** One item of a list or one member of an object, from its first byte to the comma or bracket after it. */
interface Entry {
  readonly from: number;
  readonly to: number;
}

/** A list or object while its entries are read. */
type Container = unknown[] | Record<string, unknown>;

interface Reading {
  readonly text: Buffer;
  readonly pieceBytes: number;
  readonly maxValues: number;
  /** Commas and opening brackets so far, each of which stands for a value. */
  values: number;
}

/** Parses a value whole, or part by part if it is long. */
async function readValue(reading: Reading, { from, to }: Entry, depth: number): Promise<unknown> {
  if (to - from <= reading.pieceBytes) return parse(reading.text, from, to);
  const first = await skipSpace(reading, from);
  const [value, end] = await readLong(reading, { from: first, to }, depth);
  if ((await skipSpace(reading, end)) < to) throw new SyntaxError('Something stands behind a value.');
  return value;
}

/** The value that starts here, and the position after it. */
function readLong(reading: Reading, { from, to }: Entry, depth: number): Promise<[unknown, number]> {
  switch (reading.text[from]) {
    case OPEN_LIST:
    case OPEN_OBJECT:
      return readContainer(reading, from, depth);
    case QUOTE:
      return readString(reading, from);
    default:
      return Promise.resolve(readWord(reading.text, { from, to }));
  }
}

/** A number, true, false or null. */
function readWord(text: Buffer, { from, to }: Entry): [unknown, number] {
  const stop = Math.min(to, from + PIECE_BYTES);
  let end = from;
  while (end < stop && !isSpace(text[end])) end += 1;
  return [parse(text, from, end), end];
}

/** The string that opens here, and the position after it. Its pieces are joined where somebody reads its characters. */
async function readString({ text, pieceBytes }: Reading, opens: number): Promise<[string, number]> {
  let value = '';
  for (let from = opens + 1; from < text.length; ) {
    const end = endOfPiece(text, from, pieceBytes);
    value += JSON.parse(`"${text.toString('utf8', from, end)}"`);
    if (text[end] === QUOTE) return [value, end + 1];
    from = end;
    if (isTurnSpent()) await freshTurn();
  }
  throw new SyntaxError('A string does not end.');
}

/** Where a piece of a string ends: at its quote, or between two characters. */
function endOfPiece(text: Buffer, from: number, pieceBytes: number): number {
  const stop = Math.min(text.length, from + pieceBytes);
  let at = from;
  while (at < stop && text[at] !== QUOTE) at += text[at] !== BACKSLASH ? 1 : text[at + 1] === LETTER_U ? 6 : 2;
  // A character has at most three bytes after its first.
  for (let more = 0; more < 3 && isInsideCharacter(text[at]); more += 1) at += 1;
  return Math.min(at, text.length);
}

function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The list or object that opens here, and the position after it. */
async function readContainer(reading: Reading, opens: number, depth: number): Promise<[unknown, number]> {
  const { text, pieceBytes } = reading;
  const isList = text[opens] === OPEN_LIST;
  const container: Container = isList ? [] : {};
  const close = isList ? CLOSE_LIST : CLOSE_OBJECT;
  let group: Entry[] = [];
  for (let from = opens + 1; ; ) {
    const entry = { from, to: await endOfEntry(reading, from, depth) };
    const isLong = entry.to - entry.from > pieceBytes;
    const isLast = text[entry.to] !== COMMA;
    if (!isLong) group.push(entry);
    if (isLong || isLast || entry.to - (group[0]?.from ?? entry.to) > pieceBytes) {
      addGroup(text, container, group);
      group = [];
      if (isTurnSpent()) await freshTurn();
    }
    if (isLong) await addLong(reading, container, entry, depth);
    if (isLast && text[entry.to] !== close) throw new SyntaxError('A list or object does not end.');
    if (isLast) return [container, entry.to + 1];
    from = entry.to + 1;
  }
}

/**
 * Position of the comma or bracket that ends the entry starting here; looks at brackets, commas and strings only. Counts
 * the values of entries of the outermost container, before anything of them is parsed.
 */
async function endOfEntry(reading: Reading, from: number, depth: number): Promise<number> {
  const { text, pieceBytes } = reading;
  let level = depth;
  let isInString = false;
  for (let at = from; at < text.length; ) {
    const stop = Math.min(text.length, at + pieceBytes);
    let values = 0;
    let hasEnded = false;
    for (; at < stop && !hasEnded; at += 1) {
      const code = text[at];
      if (isInString || code === QUOTE) {
        at = endOfString(text, isInString ? at : at + 1, stop);
        isInString = at >= stop;
        if (isInString) break;
        continue;
      }
      if (code === COMMA) {
        values += 1;
        hasEnded = level === depth;
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        values += 1;
        level += 1;
        if (level > DEEPEST_JSON) throw new SyntaxError('Nested too deep.');
      } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        level -= 1;
        hasEnded = level < depth;
      }
    }
    if (depth === 1) reading.values += values;
    if (reading.values > reading.maxValues) throw new SyntaxError('Too many values.');
    if (hasEnded) return at - 1;
    if (isTurnSpent()) await freshTurn();
  }
  throw new SyntaxError('A list or object does not end.');
}

async function addLong(reading: Reading, container: Container, entry: Entry, depth: number): Promise<void> {
  const { text } = reading;
  if (Array.isArray(container)) {
    container.push(await readValue(reading, entry, depth + 1));
    return;
  }
  const quote = await skipSpace(reading, entry.from);
  if (text[quote] !== QUOTE) throw new SyntaxError('A member has no name.');
  const [key, keyEnd] = await readString(reading, quote);
  const colon = await skipSpace(reading, keyEnd);
  if (text[colon] !== COLON) throw new SyntaxError('A member has no value.');
  set(container, key, await readValue(reading, { from: colon + 1, to: entry.to }, depth + 1));
}

function addGroup(text: Buffer, container: Container, group: readonly Entry[]): void {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return;
  // An entry of blanks alone is legal only in an empty list or object.
  const isMissing = group.length === 1 && text.subarray(first.from, first.to).every(isSpace);
  if (isMissing && (hasEntries(container) || text[first.to] === COMMA)) throw new SyntaxError('An entry is missing.');
  const inner = text.toString('utf8', first.from, last.to);
  if (Array.isArray(container)) for (const item of JSON.parse(`[${inner}]`) as unknown[]) container.push(item);
  else for (const [key, value] of Object.entries(JSON.parse(`{${inner}}`) as object)) set(container, key, value);
}

function parse(text: Buffer, from: number, to: number): unknown {
  return JSON.parse(text.toString('utf8', from, to));
}

function hasEntries(container: Container): boolean {
  for (const _ in container) return true;
  return false;
}

/** Sets a member as `JSON.parse` does: `__proto__` is a name like any other. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** Position of the quote that ends a string from here on, if it is before `stop`; else `stop` or the byte after it. */
function endOfString(text: Buffer, from: number, stop: number): number {
  let at = from;
  for (; at < stop && text[at] !== QUOTE; at += 1) if (text[at] === BACKSLASH) at += 1;
  return at;
}

async function skipSpace({ text, pieceBytes }: Reading, from: number): Promise<number> {
  let at = from;
  for (; at < text.length && isSpace(text[at]); at += 1)
    if ((at - from) % pieceBytes === 0 && isTurnSpent()) await freshTurn();
  return at;
}

function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Characters of a piece: more than a socket takes at once, and too few to delay anyone. */
const PIECE_LENGTH = 32 * 1024;

/**
 * The JSON text of a value in pieces, as `JSON.stringify` writes it. It may be longer than the longest string, and the
 * event loop turns between pieces. It is written at once, even if nobody reads it: the objects are several times larger
 * and would stay in the heap until then. For plain data: `toJSON` is not called.
 */
export async function jsonPieces(value: unknown): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let piece = '';
  for (const text of jsonTexts(value)) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    pieces.push(Buffer.from(piece));
    piece = '';
    await freshTurn();
  }
  if (piece.length > 0) pieces.push(Buffer.from(piece));
  return pieces;
}

interface Open {
  readonly entries: Iterator<readonly [key: string | null, value: unknown]>;
  readonly end: string;
  isEmpty: boolean;
}

/** Without recursion: the walk resumes where it stopped. */
function* jsonTexts(root: unknown): Generator<string> {
  const open: Open[] = [];
  const start = (value: unknown): string => {
    if (Array.isArray(value)) {
      open.push({ entries: itemsOf(value), end: ']', isEmpty: true });
      return '[';
    }
    if (typeof value === 'object' && value !== null) {
      open.push({ entries: fieldsOf(value), end: '}', isEmpty: true });
      return '{';
    }
    return JSON.stringify(value) ?? 'null';
  };

  if (isLongText(root)) yield* textOfLong(root);
  else yield start(root);
  for (let container = open.at(-1); container !== undefined; container = open.at(-1)) {
    const { done, value: entry } = container.entries.next();
    if (done === true) {
      open.pop();
      yield container.end;
      continue;
    }
    const [key, value] = entry;
    const comma = container.isEmpty ? '' : ',';
    container.isEmpty = false;
    const before = `${comma}${key === null ? '' : `${JSON.stringify(key)}:`}`;
    if (isLongText(value)) {
      yield before;
      yield* textOfLong(value);
    } else yield `${before}${start(value)}`;
  }
}

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.length > PIECE_LENGTH;
}

/** The JSON of a long text, piece by piece. Both halves of a character are in one piece: alone, each would be escaped. */
function* textOfLong(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    const end = from + PIECE_LENGTH;
    const isInside = isSurrogate(text, end - 1, 0xd800) && isSurrogate(text, end, 0xdc00);
    const to = isInside ? end + 1 : end;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

/** Whether the half of a character stands here: its first from 0xd800 on, its second from 0xdc00. */
function isSurrogate(text: string, at: number, from: 0xd800 | 0xdc00): boolean {
  return (text.charCodeAt(at) & 0xfc00) === from;
}

function* itemsOf(list: readonly unknown[]): Generator<readonly [null, unknown]> {
  for (const item of list) yield [null, item];
}

function* fieldsOf(object: object): Generator<readonly [string, unknown]> {
  for (const entry of Object.entries(object)) if (entry[1] !== undefined) yield entry;
}

/**
 * A lower bound of the bytes of a value's JSON text: it leaves out what escapes add. Stops above `most`, with a number
 * that is larger. Lets the event loop turn.
 */
export async function measureJson(root: unknown, most: number): Promise<number> {
  const left: unknown[] = [root];
  let bytes = 0;
  let seen = 0;
  while (left.length > 0 && bytes <= most) {
    bytes += measureOne(left.pop(), left);
    seen += 1;
    if (seen % CHECKED_EVERY === 0 && isTurnSpent()) await freshTurn();
  }
  return bytes;
}

/** Values between two checks of the clock. */
const CHECKED_EVERY = 64;

/** The size of a value without its inner values, which are added to `left`. */
function measureOne(value: unknown, left: unknown[]): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  if (Array.isArray(value)) {
    for (const item of value) left.push(item);
    return 2 + value.length;
  }
  let bytes = 1;
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined) continue;
    bytes += key.length + 4;
    left.push(inner);
  }
  return bytes;
}
