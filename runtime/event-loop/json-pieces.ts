import { freshTurn, isTurnSpent } from './turns.js';

/** Characters of a piece: more than a socket takes at once, and too few to delay anyone. */
const PIECE_LENGTH = 32 * 1024;

/**
 * The JSON text of a value in pieces, as `JSON.stringify` writes it. It may be longer than the longest string, and the
 * event loop turns between pieces. It is written at once, even if nobody reads it: the objects are several times larger
 * and would stay in the heap until then. For plain data: `toJSON` is not called. `owner` is the request it is for.
 */
export async function jsonPieces(owner: object, value: unknown): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let piece = '';
  for (const text of jsonTexts(value)) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    pieces.push(Buffer.from(piece));
    piece = '';
    await freshTurn(owner);
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

  yield start(root);
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
    yield `${comma}${key === null ? '' : `${JSON.stringify(key)}:`}${start(value)}`;
  }
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
export async function measureJson(owner: object, root: unknown, most: number): Promise<number> {
  const left: unknown[] = [root];
  let bytes = 0;
  let seen = 0;
  while (left.length > 0 && bytes <= most) {
    bytes += measureOne(left.pop(), left);
    seen += 1;
    if (seen % CHECKED_EVERY === 0 && isTurnSpent()) await freshTurn(owner);
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
