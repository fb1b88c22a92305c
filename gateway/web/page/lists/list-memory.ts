import { EVERYTHING, type RowChoice } from '../../rows/row-choice.js';

/** What the user chose for one list of a tab: it survives other tabs, other views and a reload. */
export interface ListMemory {
  readonly choice: RowChoice;
  /** Whether columns that are empty or equal in all rows are hidden. */
  readonly hidesUniform: boolean;
  /** The column that colours the map; empty for none. */
  readonly colour: string;
  /** The position that the map uses; empty for the first. */
  readonly position: string;
}

/** A list as it came. */
export const UNTOUCHED: ListMemory = { choice: EVERYTHING, hidesUniform: false, colour: '', position: '' };
