import type { Cell } from './columns.js';
import type { Column, LonLat, Position } from './row.js';

/** What a file of rows says of all of them. */
export interface RowHead {
  readonly columns: readonly Pick<Column, 'name'>[];
  /** The first is where a map puts the rows. */
  readonly positions: readonly Position[];
}

/** A row as a file takes it. */
export interface WritableRow {
  /** In the order of the head's columns. */
  cells(): readonly Cell[];
  at(position: Position): LonLat | null;
}

/** A piece of a file, ready to be sent. */
export type FilePart = string | Uint8Array;

/** A file that is being written: what is ready comes back with each call, and nothing else is held. */
export interface RowFile {
  add(rows: Iterable<WritableRow>): Iterable<FilePart>;
  /** Ends the file. A `note` says in its last place what it lacks, in a form that no program takes for one more row. */
  end(note: string | null): Iterable<FilePart>;
}

/** Pieces of text are sent when they are about this many characters. */
const PART = 64 * 1024;

/** Collects pieces of text until they are worth sending. */
export interface TextBuffer {
  write(text: string): void;
  /** The text so far, once it is long enough or is wanted anyhow. */
  take(anyhow?: boolean): Iterable<string>;
}

export function createTextBuffer(): TextBuffer {
  let text = '';
  return {
    write(more) {
      text += more;
    },
    *take(anyhow = false) {
      if (text === '' || !(anyhow || text.length >= PART)) return;
      const ready = text;
      text = '';
      yield ready;
    },
  };
}
