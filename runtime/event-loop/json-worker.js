import { randomInt } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { exceededBound } from '../../kernel/json-bounds.js';

/*
 * Runs in a thread of its own: parses large bodies, one after another. Copying a value between threads takes as long as
 * parsing it, so the items of its longest list are fetched piece by piece (`json.ts`). A body that cannot be parsed, nests
 * too deep, or has too many values, has no value.
 */

/** More values than this must have so many bytes each: an empty object has three in the text and 56 in the heap. */
const [MANY_VALUES, BYTES_OF_MANY] = [1_000_000, 8];
/** Bytes of the items of one piece. */
const PIECE_BYTES = 64 * 1024;

const NO_LIST = { list: [], path: [] };
const NOTHING = { value: undefined, path: [], isLast: true };

/** Items that are still to be fetched, by the number of their body, which no body of a thread before this one has. */
const open = new Map();
let bodies = randomInt(2 ** 47);

parentPort.on('message', (task) => parentPort.postMessage('bytes' in task ? parse(task) : nextPiece(task.body)));
parentPort.postMessage('ready');

function parse({ bytes, charset }) {
  try {
    const text = new TextDecoder(charset, { fatal: charset !== 'utf-8' }).decode(bytes);
    const values = Math.max(MANY_VALUES, bytes.length / BYTES_OF_MANY);
    if (exceededBound(text, { values, ofKey: 0 }) !== null) return NOTHING;
    const value = JSON.parse(text);
    const { list, path } = longestList(value);
    const count = Math.max(1, Math.floor((list.length * PIECE_BYTES) / bytes.length));
    const items = list.splice(0);
    if (items.length > 0) open.set(++bodies, { items, count });
    return { body: bodies, value, path, isLast: items.length === 0 };
  } catch {
    return NOTHING;
  }
}

function nextPiece(body) {
  if (!open.has(body)) return null;
  const { items, count } = open.get(body);
  const piece = items.splice(0, count);
  if (items.length === 0) open.delete(body);
  return { piece, isLast: items.length === 0 };
}

/** The longest list of a value, and the keys that lead to it. */
function longestList(value) {
  if (typeof value !== 'object' || value === null) return NO_LIST;
  let longest = Array.isArray(value) ? { list: value, path: [] } : NO_LIST;
  for (const key in value) {
    const { list, path } = longestList(value[key]);
    if (list.length > longest.list.length) longest = { list, path: [key, ...path] };
  }
  return longest;
}
