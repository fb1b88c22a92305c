import type { Cell } from './columns.js';

export interface Column {
  /** Such as `title`, `organization.title`, or with the parent's label `communes/nom`. */
  readonly name: string;
  /** Whether it repeats a value of a parent, so that each row stands alone. */
  readonly isInherited: boolean;
}

/** Longitude and latitude in degrees. */
export type LonLat = readonly [longitude: number, latitude: number];

/** A place where rows have a position. */
export interface Position {
  readonly name: string;
  readonly isInherited: boolean;
}

/** One row: its cells in the order of the columns. Reading it does no more work than needed. */
export interface Row {
  cells(): Cell[];
  /** Where the row is; null when it has no position there, or (0, 0), which sources write for "unknown". */
  at(position: Position): LonLat | null;
}
