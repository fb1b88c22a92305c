import { EVERYTHING, type RowChoice } from '../../../rows/row-choice.js';
import type { Figure } from '../../../rows/row-counts.js';

/** What the user counts. */
export interface CountingMemory {
  /** Names of one or two columns. */
  readonly by: readonly string[];
  /** Name of the column of numbers; empty for none. */
  readonly of: string;
  /** The figure that bars and map show. */
  readonly show: Figure;
}

/** The part of the map that is in view: its centre and its width, in units of the drawing. */
export interface MapFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** What the user chose for one list of a tab. It survives switching tabs and views, and a reload. */
export interface ListMemory {
  readonly choice: RowChoice;
  /** Whether columns that are empty or equal in all rows are hidden. */
  readonly hidesUniform: boolean;
  /** The column that colours the map; empty for none. */
  readonly colour: string;
  /** The position that the map uses; empty for the first. */
  readonly position: string;
  /** Where the user moved the map; null to show where the rows are. */
  readonly frame: MapFrame | null;
  /** Null for the usual counting. */
  readonly counting: CountingMemory | null;
}

/** A list as received. */
export const UNTOUCHED: ListMemory = {
  choice: EVERYTHING,
  hidesUniform: false,
  colour: '',
  position: '',
  frame: null,
  counting: null,
};
