import { CodedError } from '../../../schema/errors.js';
import type { Cell } from './columns.js';
import { compareInOrder } from './compare-cells.js';
import { folded, testOf } from './conditions.js';
import type { Layout, LayoutRow, PlacedColumn } from './layout.js';
import type { LonLat, Position } from './row.js';
import { ANY_COLUMN, type Condition, type RowChoice } from './row-choice.js';
import type { WritableRow } from './row-file.js';

/** A `RowChoice` for one layout. */
export interface RowPicker {
  /** The chosen ones, with their titles as names. */
  readonly columns: readonly PlacedColumn[];
  /** The rows that meet all conditions, with the chosen cells, in their original order. */
  pick(rows: Iterable<LayoutRow>): Iterable<PickedRow>;
  /** Comparator for the chosen order; null if none was chosen, so that rows need not be held in memory. */
  readonly order: ((one: PickedRow, other: PickedRow) => number) | null;
  /** Characters that are held to recognize equal rows. */
  heldCharacters(): number;
}

/** A row to be written, with its sort key. */
export interface PickedRow extends WritableRow {
  /** The row that it was picked from. */
  readonly of: LayoutRow;
  readonly sortKey: Cell;
}

/** The folded text of all cells of a row, for a search in any column. */
export type TextOf = (row: LayoutRow) => string;

/** Computes the text of a row anew each time. */
export const textOf: TextOf = (row) => folded(row.cells().join('\n'));

/**
 * Applies a choice to a layout. Throws `BAD_USER_INPUT` for an unknown column. A caller that searches the same rows again
 * passes a `rowText` that remembers the texts.
 */
export function pickRows(layout: Layout, choice: RowChoice, rowText: TextOf = textOf): RowPicker {
  const { columns: chosen, where, order } = choice;
  const columns = chosen?.map(({ name, title }) => ({ ...columnOf(layout, name), name: title })) ?? layout.columns;
  const tests = where.map((condition) => rowTest(layout, condition, rowText));
  const orderedBy = order === null ? null : columnOf(layout, order.column);
  const seen = choice.distinct ? createSeen() : null;
  return {
    columns,
    *pick(rows) {
      for (const row of rows) {
        if (!tests.every((meets) => meets(row))) continue;
        const picked = new RowOfColumns(row, columns, orderedBy === null ? null : row.cell(orderedBy));
        if (seen?.has(picked.cells()) !== true) yield picked;
      }
    },
    order: order === null ? null : (one, other) => compareInOrder(one.sortKey, other.sortKey, order.descending),
    heldCharacters: () => seen?.characters() ?? 0,
  };
}

/** A class, since there are as many as rows. */
class RowOfColumns implements PickedRow {
  readonly of: LayoutRow;
  readonly sortKey: Cell;
  readonly #columns: readonly PlacedColumn[];

  constructor(of: LayoutRow, columns: readonly PlacedColumn[], sortKey: Cell) {
    this.of = of;
    this.sortKey = sortKey;
    this.#columns = columns;
  }

  cells(): Cell[] {
    return this.#columns.map((column) => this.of.cell(column));
  }

  at(position: Position): LonLat | null {
    return this.of.at(position);
  }
}

function rowTest(layout: Layout, condition: Condition, rowText: TextOf): (row: LayoutRow) => boolean {
  if (condition.column === ANY_COLUMN) {
    const part = folded(condition.value);
    return (row) => rowText(row).includes(part);
  }
  const column = columnOf(layout, condition.column);
  const meets = testOf(condition);
  return (row) => meets(row.cell(column));
}

/** The column of this name. Throws `BAD_USER_INPUT`, with the known names, if there is none. */
function columnOf(layout: Layout, name: string): PlacedColumn {
  const column = layout.column(name);
  if (column !== null) return column;
  const known = layout.columns.map((one) => one.name);
  const listed =
    known.length === 0 ? 'It has none.' : `It has ${known.slice(0, 30).join(', ')}${known.length > 30 ? ' …' : ''}.`;
  throw new CodedError('BAD_USER_INPUT', `This list has no column "${name.slice(0, 100)}". ${listed}`);
}

/** Recognizes rows that are equal to an earlier one, over all pages. */
function createSeen() {
  const keys = new Set<string>();
  let characters = 0;
  return {
    has(cells: readonly Cell[]): boolean {
      const key = JSON.stringify(cells);
      if (keys.has(key)) return true;
      keys.add(key);
      characters += key.length;
      return false;
    },
    characters: () => characters,
  };
}
