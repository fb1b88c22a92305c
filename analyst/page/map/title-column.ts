import type { LayoutRow, PlacedColumn } from '../../../rows/layout.js';
import { textsNow } from '../language/texts.js';
import { MAP_TEXTS } from './texts.js';

/** The column that names a row: its title or name, or else the first column. */
export function titleColumn(columns: readonly PlacedColumn[]): PlacedColumn | undefined {
  return (
    columns.find(({ name, isInherited }) => !isInherited && /^(title|nom|name|label)$/.test(name)) ??
    columns.find(({ name }) => /[./](title|nom|name|label)$/.test(name)) ??
    columns[0]
  );
}

/** The title of a row. */
export function titleOf(row: LayoutRow, columns: readonly PlacedColumn[]): string {
  const column = titleColumn(columns);
  return String((column && row.cell(column)) ?? textsNow(MAP_TEXTS).row);
}
