import type { ShownRows } from '../lists/shown-rows.js';

/** How a column is drawn. */
export interface DrawnColumn {
  /** Its title. */
  readonly name: string;
  /** Its name in the list, used for sorting. */
  readonly source: string;
  /** In characters. */
  readonly width: number;
  readonly isNumeric: boolean;
  readonly isInherited: boolean;
}

const MIN_WIDTH = 6;
const MAX_WIDTH = 36;
/** Characters of padding and of the order mark. */
const PADDING = 4;

/** Lays out the columns: widths are based on all rows, so that they do not change while scrolling. */
export function layOut({ columns, choice, list }: ShownRows): DrawnColumn[] {
  return columns.map(({ name, isInherited }, index) => {
    const source = choice.columns?.[index]?.name ?? name;
    const profile = list.profiles.get(source);
    const longest = Math.max(profile?.width ?? 0, name.length);
    return {
      name,
      source,
      width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, longest)) + PADDING,
      isNumeric: profile?.kind === 'number',
      isInherited,
    };
  });
}

/** The class names of a column's cells. */
export function classesOf({ isNumeric, isInherited }: DrawnColumn): string {
  return [isNumeric ? 'pa-number' : '', isInherited ? 'pa-inherited' : ''].filter(Boolean).join(' ');
}
