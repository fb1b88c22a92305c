import type { CountGroup, Counting, Figure } from '../../../rows/row-counts.js';
import { departmentOf, isDrawn } from '../map/departments.js';

/** The figures of a map of départements. */
export interface PlacedGroups {
  /** By the official code. */
  readonly values: ReadonlyMap<string, number>;
  /** Groups that are not on the map. */
  readonly elsewhere: number;
}

/** Groups that show whether a column is the département. */
const SAMPLE = 200;

/** The figures by département, and how many groups the map does not draw; null if no column is the département. */
export function placedGroups(groups: readonly CountGroup[], by: Counting['by'], show: Figure): PlacedGroups | null {
  for (const [place, { name }] of by.entries()) {
    const values = new Map<string, number>();
    let elsewhere = 0;
    let undrawn = 0;
    for (const [index, group] of groups.entries()) {
      if (index === SAMPLE && elsewhere > SAMPLE / 2) {
        elsewhere = groups.length;
        break;
      }
      const code = departmentOf(group.key[place] ?? null, name);
      if (code === null) elsewhere += 1;
      else if (!isDrawn(code)) undrawn += 1;
      // Of pairs, a département has several groups: their rows and sums add up, other figures do not.
      else if (show === 'rows' || show === 'sum' || !values.has(code)) {
        values.set(code, (values.get(code) ?? 0) + (group[show] ?? 0));
      }
    }
    if (values.size > 0 && elsewhere <= groups.length / 2) return { values, elsewhere: elsewhere + undrawn };
  }
  return null;
}
