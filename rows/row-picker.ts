import { dayAgo } from '../kernel/dates.js';
import { CodedError } from '../kernel/errors.js';
import { isIn, searched } from '../kernel/fold.js';
import { type Cell, compareInOrder, type SortKey, sortKeyOf } from './cells.js';
import type { Layout, LayoutRow, LonLat, PlacedColumn, Position } from './layout.js';
import { ANY_COLUMN, type Condition, type RowChoice, refuseNoDate, refuseOther, testOf } from './row-choice.js';
import type { WritableRow } from './row-file.js';

/** A `RowChoice` for one layout. */
export interface RowPicker {
  /** The chosen columns, with their titles as names. */
  readonly columns: readonly PlacedColumn[];
  /** A row with the chosen cells; null if it does not meet all conditions, or equals an earlier one. */
  pick(row: LayoutRow): PickedRow | null;
  /** Comparator for the chosen order; null if none was chosen, so that rows need not be held in memory. */
  readonly order: ((one: Sortable, other: Sortable) => number) | null;
  /** Characters held in memory to recognize equal rows. */
  heldCharacters(): number;
}

/** What rows are sorted by. */
export interface Sortable {
  readonly sortKey: SortKey;
}

/** A row to be written, with its sort key. */
export interface PickedRow extends WritableRow, Sortable {
  /** The row that it was picked from. */
  readonly of: LayoutRow;
}

/** The folded text of all cells of a row, for a search in any column. */
export type TextOf = (row: LayoutRow) => string;

/** Computes the text of a row anew each time. */
export const textOf: TextOf = (row) => searched(row.cells().join('\n'));

/** Remembers the text of the latest row, for all conditions on it. */
function latestText(): TextOf {
  let latest: LayoutRow | null = null;
  let text = '';
  return (row) => {
    if (row !== latest) [latest, text] = [row, textOf(row)];
    return text;
  };
}

/**
 * Applies a choice to a layout. Throws `BAD_USER_INPUT` for an unknown column, for one of objects, and for one of
 * dates, numbers or booleans that is compared with something else. A caller that searches the same rows again passes a
 * `rowText` that remembers the texts.
 */
export function pickRows(layout: Layout, choice: RowChoice, rowText: TextOf = latestText()): RowPicker {
  const { columns: chosen, where, order } = choice;
  const columns = chosen?.map(({ name, title }) => ({ ...cellColumn(layout, name), name: title })) ?? layout.columns;
  const tests = where.map((condition) => rowTest(layout, condition, rowText));
  const orderedBy = order === null ? null : cellColumn(layout, order.column);
  const seen = choice.distinct ? createSeen() : null;
  return {
    columns,
    pick(row) {
      if (!tests.every((meets) => meets(row))) return null;
      const picked = new RowOfColumns(row, columns, orderedBy === null ? null : sortKeyOf(row.cell(orderedBy)));
      return seen?.has(picked.cells()) === true ? null : picked;
    },
    order: order === null ? null : (one, other) => compareInOrder(one.sortKey, other.sortKey, order.descending),
    heldCharacters: () => seen?.characters() ?? 0,
  };
}

/** A class, since there is one per row. */
class RowOfColumns implements PickedRow {
  readonly of: LayoutRow;
  readonly sortKey: SortKey;
  readonly #columns: readonly PlacedColumn[];

  constructor(of: LayoutRow, columns: readonly PlacedColumn[], sortKey: SortKey) {
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
    const hasPart = isIn(condition.value);
    return (row) => hasPart(rowText(row));
  }
  if (condition.operator === 'empty') {
    const column = columnOf(layout, condition.column);
    return (row) => row.isEmpty(column) === (condition.value === 'true');
  }
  const column = cellColumn(layout, condition.column);
  if (column.type === 'number' || column.type === 'boolean') refuseOther(condition, column.type);
  const hasDates = column.type === 'date' || column.isDate === true;
  const value = (hasDates && dayAgo(condition.value, Date.now())) || condition.value;
  if (hasDates) refuseNoDate({ ...condition, value }, column.type === 'date' ? 'by type' : 'by values');
  const meets = testOf({ ...condition, value });
  return (row) => meets(row.cell(column));
}

/** The column of this name, if its values are cells. Throws `BAD_USER_INPUT`, naming what is inside, for objects. */
function cellColumn(layout: Layout, name: string): PlacedColumn {
  const column = columnOf(layout, name);
  if (column.holdsObjects !== true) return column;
  const inside = layout.columns.map((one) => one.name).filter((one) => one.startsWith(`${name}.`));
  const said =
    inside.length === 0 ? 'It is a separate list: name it in `path`.' : `Name a column inside: ${listed(inside)}.`;
  throw new CodedError(
    'BAD_USER_INPUT',
    `"${name.slice(0, 100)}" holds objects, to which only \`empty\` applies. ${said}`,
  );
}

/** The column of this name. Throws `BAD_USER_INPUT`, with the known names, if there is none. */
function columnOf(layout: Layout, name: string): PlacedColumn {
  const column = layout.column(name);
  if (column !== null) return column;
  const known = layout.columns.map((one) => one.name);
  const said = known.length === 0 ? 'It has none.' : `It has ${listed(known)}.`;
  throw new CodedError('BAD_USER_INPUT', `This list has no column "${name.slice(0, 100)}". ${said}`);
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, 30).join(', ')}${names.length > 30 ? ' …' : ''}`;
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
