import type { Figure } from '../../../rows/row-counts.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { departmentOf } from '../map/departments.js';

/** The columns to count by and the figure to show if the user chose none. */
export interface UsualCounting {
  readonly by: readonly string[];
  readonly of: string;
  readonly show: Figure;
}

/** Rows whose cells are looked at. */
const SAMPLE = 200;
/** A column with more distinct values than this is not worth counting by. */
const MOST_VALUES = 120;

/**
 * What is worth counting in a list: by département if a column holds départements, else by the first text that repeats.
 * Rows that are counts themselves, such as those of `missionCounts`, are summed.
 */
export function usualCounting({ layout, rows, profiles }: LoadedList): UsualCounting {
  const sample = rows.slice(0, SAMPLE);
  const names = layout.columns.map(({ name }) => name);
  const of = names.find((name) => /^(count|docCount)$/.test(name)) ?? '';
  const texts = layout.columns.filter(({ name }) => profiles.get(name)?.kind === 'text');
  const repeating = texts.find((column) => {
    const values = new Set(sample.map((row) => row.cell(column)));
    return values.size > 1 && values.size <= Math.min(MOST_VALUES, sample.length / 2);
  });
  // Names are read more easily than codes.
  const department = texts
    .toSorted((one, other) => Number(isName(other.name)) - Number(isName(one.name)))
    .find((column) => {
      const cells = sample.map((row) => row.cell(column)).filter((cell) => cell !== null);
      return (
        cells.length > 0 && cells.filter((cell) => departmentOf(cell, column.name) !== null).length > cells.length / 2
      );
    });
  const label = of === '' ? undefined : names.find((name) => name === 'label');
  const by = department?.name ?? label ?? repeating?.name ?? names[0];
  return { by: by === undefined ? [] : [by], of, show: of === '' ? 'rows' : 'sum' };
}

function isName(column: string): boolean {
  return /(?:^|[./])(?:label|nom|name)$|Name$/.test(column);
}
