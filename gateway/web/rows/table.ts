import { layoutOf, shapesOf } from './layout.js';
import { type JsonObject, readPath } from './path.js';
import type { Column, Position, Row } from './row.js';

/** A list of an answer as a table. */
export interface Table {
  readonly path: string;
  readonly columns: readonly Column[];
  /** Own positions first, then those of the nearest parent. */
  readonly positions: readonly Position[];
  /** Walks the response each time; nothing is cached. */
  rows(): Iterable<Row>;
}

/**
 * The rows of one list, of all its parents together, with the parents' own values in front. The answer is walked
 * once for the columns, which are the union of all rows in first-seen order; `rows()` walks it again.
 */
export function readTable(data: JsonObject, path: string): Table {
  const steps = readPath(path);
  const { columns, positions, rowsOf } = layoutOf(steps, shapesOf(data, steps));
  return { path, columns, positions, rows: () => rowsOf(data) };
}
