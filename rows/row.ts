import type { Cell } from './columns.js';

/** A column of a table. */
export interface Column {
  /** Such as `title`, `organization.title`, or `communes/nom` with the label of a parent. */
  readonly name: string;
  /** Whether it repeats a value of a parent. */
  readonly isInherited: boolean;
}

/** Longitude and latitude in degrees. */
export type LonLat = readonly [longitude: number, latitude: number];

/** A position that rows have. */
export interface Position {
  readonly name: string;
  readonly isInherited: boolean;
}

/** One row. Its cells are computed on demand. */
export interface Row {
  /** In the order of the columns. */
  cells(): Cell[];
  /** The coordinates of the row; null if it has none, or (0, 0), which sources send for "unknown". */
  at(position: Position): LonLat | null;
}
