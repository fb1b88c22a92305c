/**
 * Words of texts, folded, and the rows that have them. The postings of a word are its rows ascending,
 * as differences in bytes of seven bits: on disk, one word after the other in the order of words, so that the words with
 * a common beginning are one range.
 */
import { wordsToFind } from '../../../kernel/fold.js';
import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';
import type { SealedFile } from '../../../runtime/stores/sealed-file.js';
import { firstNotBefore } from '../communes/commune-index.js';
import type { WordTable } from './columns.js';
import { readingSpaces } from './spares.js';

/** Longer words are cut: nobody types one, and links would fill the index. */
const MAX_WORD = 32;

const cut = (word: string) => word.slice(0, MAX_WORD);

/** More different words than this are not indexed; half a million rows have a few hundred thousand. */
const MAX_WORDS = 2_000_000;
/** Pairs of word and row that are collected before they are encoded. */
const PAIRS = 2 * 1024 * 1024;

/** Encoded postings of some rows, word by word in the order of their numbers. */
interface Segment {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** Takes bytes, and keeps none of them. */
export type Append = (bytes: Uint8Array) => void;

/** Collects the words of rows, which are added in ascending order. */
export class WordsBuilder {
  /** Words by number, in the order in which they appeared. */
  readonly #numbers = new Map<string, number>();
  /** By word: the last row added, and the last one encoded. */
  #added = new Int32Array(1024).fill(-1);
  #encoded = new Uint32Array(1024);
  readonly #pairWords = new Uint32Array(PAIRS);
  readonly #pairRows = new Uint32Array(PAIRS);
  #pairs = 0;
  readonly #segments: Segment[] = [];

  /** Adds the words of one of a row's texts. */
  add(row: number, text: string): void {
    for (const word of wordsToFind(text)) {
      const number = this.#numberOf(cut(word));
      if (number === null || this.#added[number] === row) continue;
      this.#added[number] = row;
      if (this.#pairs === PAIRS) this.#encode();
      this.#pairWords[this.#pairs] = number;
      this.#pairRows[this.#pairs++] = row;
    }
  }

  #numberOf(word: string): number | null {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (number > MAX_WORDS) return null;
    if (number === this.#added.length) {
      const [added, encoded] = [new Int32Array(2 * number).fill(-1), new Uint32Array(2 * number)];
      added.set(this.#added);
      encoded.set(this.#encoded);
      [this.#added, this.#encoded] = [added, encoded];
    }
    // A copy of its own: the word may be a slice that keeps a whole text in memory.
    this.#numbers.set(Buffer.from(word).toString(), number);
    return number;
  }

  /** Sorts the pairs by word, keeps their rows ascending, and encodes them. */
  #encode(): void {
    const ends = new Uint32Array(this.#numbers.size);
    const places = new Uint32Array(ends.length + 1);
    for (let pair = 0; pair < this.#pairs; pair++) raise(places, (this.#pairWords[pair] ?? 0) + 1, 1);
    for (let word = 1; word < places.length; word++) raise(places, word, places[word - 1] ?? 0);
    const rows = new Uint32Array(this.#pairs);
    for (let pair = 0; pair < this.#pairs; pair++) {
      rows[raise(places, this.#pairWords[pair] ?? 0, 1)] = this.#pairRows[pair] ?? 0;
    }
    // Now each place is the end of its word's rows.
    const bytes = new Uint8Array(5 * this.#pairs);
    let [at, length] = [0, 0];
    for (let word = 0; word < ends.length; word++) {
      for (; at < (places[word] ?? 0); at++) {
        let difference = (rows[at] ?? 0) - (this.#encoded[word] ?? 0);
        this.#encoded[word] = rows[at] ?? 0;
        for (; difference > 127; difference >>>= 7) bytes[length++] = (difference & 127) | 128;
        bytes[length++] = difference;
      }
      ends[word] = length;
    }
    this.#segments.push({ bytes: bytes.slice(0, length), ends });
    this.#pairs = 0;
  }

  /** The words, ascending; null if they are too many. `write` gives their postings, which come after the table. */
  finish(): { readonly table: WordTable; readonly write: (append: Append) => void } | null {
    if (this.#numbers.size > MAX_WORDS) return null;
    this.#encode();
    const words = [...this.#numbers.keys()].sort();
    const numbers = Uint32Array.from(words, (word) => this.#numbers.get(word) ?? 0);
    this.#numbers.clear();
    const ends = new Uint32Array(words.length);
    const postingEnds = new Float64Array(words.length);
    let [end, postingEnd] = [0, 0];
    for (const [place, word] of words.entries()) {
      end += Buffer.byteLength(word);
      ends[place] = end;
      for (const segment of this.#segments) {
        const [from, to] = rangeIn(segment, numbers[place] ?? 0);
        postingEnd += to - from;
      }
      postingEnds[place] = postingEnd;
    }
    const table = { bytes: Buffer.from(words.join('')), ends, postingEnds };
    return { table, write: (append) => this.#write(append, numbers) };
  }

  #write(append: Append, numbers: Uint32Array): void {
    const out = Buffer.allocUnsafe(1024 * 1024);
    let filled = 0;
    const flush = () => {
      append(out.subarray(0, filled));
      filled = 0;
    };
    for (const number of numbers) {
      for (const segment of this.#segments) {
        const [start, end] = rangeIn(segment, number);
        for (let from = start; from < end; ) {
          if (filled === out.length) flush();
          const to = Math.min(end, from + out.length - filled);
          out.set(segment.bytes.subarray(from, to), filled);
          filled += to - from;
          from = to;
        }
      }
    }
    flush();
  }
}

/** Adds to an item, and returns what it was. */
function raise(numbers: Uint32Array, place: number, by: number): number {
  const before = numbers[place] ?? 0;
  numbers[place] = before + by;
  return before;
}

function rangeIn({ ends }: Segment, word: number): [from: number, to: number] {
  // A segment knows no word that appeared after it.
  return word < ends.length ? [ends[word - 1] ?? 0, ends[word] ?? 0] : [0, 0];
}

/** Where words and their postings are read. */
export interface WordIndex {
  readonly table: WordTable;
  readonly file: SealedFile;
  /** Offset of the postings in the file. */
  readonly postingsAt: number;
}

/** Bytes of postings that are read and decoded at once: a tenth of a millisecond. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Marks the rows that have all of some words, each in one of its forms, the last of which may be the beginning of a longer
 * one unless it ends with a sign, as C++ does: their items become the number of words. `marks` has an item of 0 for each
 * row. False if one of the words is in no row.
 */
export async function markRows(
  index: WordIndex,
  words: readonly (readonly string[])[],
  marks: Uint8Array,
): Promise<boolean> {
  for (const [place, forms] of words.entries()) {
    let isAnywhere = false;
    for (const word of forms.map(cut)) {
      const isBeginning = place === words.length - 1 && /[^+#]$/.test(word);
      const first = placeOf(index.table, word);
      const afterWord = first + (wordAt(index.table, first) === word ? 1 : 0);
      const end = isBeginning ? placeOf(index.table, `${word}\uffff`) : afterWord;
      if (first === end) continue;
      isAnywhere = true;
      const marker = new Marker(index.table.postingEnds, first, { marks, nth: place + 1 });
      await readingSpaces.lend((space) => readPostings(index, marker, { end, space }));
    }
    if (!isAnywhere) return false;
  }
  return true;
}

/** Gives a marker the postings of its words up to the one at `end`. */
async function readPostings(
  { table: { postingEnds }, file, postingsAt }: WordIndex,
  marker: Marker,
  { end, space }: { readonly end: number; readonly space: Buffer },
): Promise<void> {
  const to = postingEnds[end - 1] ?? 0;
  while (marker.at < to) {
    const chunk = await file.read(postingsAt + marker.at, Math.min(CHUNK_BYTES, to - marker.at), space);
    if (isTurnSpent()) await freshTurn();
    marker.push(chunk);
  }
}

/** Decodes the postings of one word after another, and raises the mark of each row that has one from `nth - 1` to `nth`. */
class Marker {
  /** Offset in the postings. */
  at: number;
  readonly #postingEnds: Float64Array;
  readonly #marks: Uint8Array;
  readonly #nth: number;
  #word: number;
  #row = 0;
  #difference = 0;
  #shift = 0;

  constructor(
    postingEnds: Float64Array,
    first: number,
    { marks, nth }: { readonly marks: Uint8Array; readonly nth: number },
  ) {
    this.#postingEnds = postingEnds;
    this.#marks = marks;
    this.#nth = nth;
    this.#word = first;
    this.at = postingEnds[first - 1] ?? 0;
  }

  push(chunk: Uint8Array): void {
    for (let done = 0; done < chunk.length; ) {
      const left = (this.#postingEnds[this.#word] ?? 0) - this.at;
      const end = Math.min(chunk.length, done + left);
      this.#decode(chunk, done, end);
      this.at += end - done;
      if (end - done === left) {
        this.#word++;
        this.#row = 0;
      }
      done = end;
    }
  }

  /** Decodes postings of one word. */
  #decode(chunk: Uint8Array, from: number, end: number): void {
    const marks = this.#marks;
    const before = this.#nth - 1;
    let [row, difference, shift] = [this.#row, this.#difference, this.#shift];
    for (let at = from; at < end; at++) {
      const byte = chunk[at] ?? 0;
      if (byte > 127) {
        difference |= (byte & 127) << shift;
        shift += 7;
        continue;
      }
      row += difference | (byte << shift);
      // No branch: whether a row has the words before cannot be foreseen.
      const mark = marks[row] ?? 0;
      marks[row] = mark + Number(mark === before);
      difference = 0;
      shift = 0;
    }
    [this.#row, this.#difference, this.#shift] = [row, difference, shift];
  }
}

/** Place of the first word that does not sort before a text. */
function placeOf(table: WordTable, text: string): number {
  return firstNotBefore(table.ends.length, (place) => wordAt(table, place) < text);
}

function wordAt({ bytes, ends }: WordTable, place: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', ends[place - 1] ?? 0, ends[place]);
}
