import { layoutOf, shapesOf } from './layout.js';
import { type JsonObject, readPath } from './path.js';
import type { Column, Position, Row } from './row.js';

/** A list in a response as a table. */
export interface Table {
  readonly path: string;
  readonly columns: readonly Column[];
  /** Own positions first, then those of the nearest parent. */
  readonly positions: readonly Position[];
  /** Reads the response again each time. */
  rows(): Iterable<Row>;
}

/**
 * Reads one list as a table: the rows of all parents, with the row's own values first. The columns are the union over
 * all rows, in first-seen order.
 */
export function readTable(data: JsonObject, path: string): Table {
  const steps = readPath(path);
  const { columns, positions, rowsOf } = layoutOf(steps, shapesOf(data, steps));
  return { path, columns, positions, rows: () => rowsOf(data) };
}
