import type { Cell } from './columns.js';
import type { Column, LonLat, Position } from './row.js';

/** The columns and positions of a file. */
export interface RowHead {
  readonly columns: readonly Pick<Column, 'name'>[];
  /** A map uses the first. */
  readonly positions: readonly Position[];
  /** For the file's own words, such as the names of its sheets; English if omitted. */
  readonly language?: 'en' | 'fr';
}

/** A row to be written. */
export interface WritableRow {
  /** In the order of the head's columns. */
  cells(): readonly Cell[];
  at(position: Position): LonLat | null;
}

/** A chunk of a file, ready to be sent. */
export type FilePart = string | Uint8Array;

/** A line about a file: such as its query, or when it was written. */
export type AboutLine = readonly [name: string, value: string | number];

/** What goes at the end of a file, or beside its rows. */
export interface FileEnd {
  /** What the file lacks. That it is incomplete is added by the format, in a form that cannot be mistaken for a row. */
  readonly note?: string | null;
  /** Lists without columns. CSV, which has no room beside its rows, leaves this out: its rows are complete. */
  readonly omitted?: string | null;
  /** Where the rows come from, for formats that have room for it. */
  readonly about?: readonly AboutLine[];
}

/** The last line of a file whose format has no comments. */
export function lastLine(note: string, language: RowHead['language'] = 'en'): string {
  return `# ${language === 'fr' ? 'incomplet :' : 'incomplete:'} ${note}`;
}

/** A file being written: each call returns the chunks that are ready. */
export interface RowFile {
  add(rows: Iterable<WritableRow>): Iterable<FilePart>;
  /** Ends the file. */
  end(end: FileEnd): Iterable<FilePart>;
  /** Characters that the rows have taken so far, before any compression. */
  size(): number;
}

/** Characters of a chunk of text. */
const PART = 64 * 1024;

/** Collects text until there is enough for a chunk. */
export interface TextBuffer {
  write(text: string): void;
  /** The text so far, if it is long enough or `flush` is set. */
  take(flush?: boolean): Iterable<string>;
  /** Characters that were written in total. */
  size(): number;
}

/** Creates an empty buffer. */
export function createTextBuffer(): TextBuffer {
  let text = '';
  let size = 0;
  return {
    write(more) {
      text += more;
      size += more.length;
    },
    size: () => size,
    *take(flush = false) {
      if (text === '' || !(flush || text.length >= PART)) return;
      const ready = text;
      text = '';
      yield ready;
    },
  };
}
