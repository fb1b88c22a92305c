import { CodedError } from '../../../schema/errors.js';
import type { Cell } from './columns.js';
import { compareCells, compareInOrder, FRENCH } from './compare-cells.js';
import type { Layout, LayoutRow, PlacedColumn } from './layout.js';
import type { Condition, RowChoice } from './row-choice.js';
import type { WritableRow } from './row-file.js';

/** A `RowChoice` for one layout. */
export interface RowPicker {
  readonly columns: readonly PlacedColumn[];
  /** The rows that meet all conditions, with the chosen cells, in their original order. */
  pick(rows: Iterable<LayoutRow>): Iterable<PickedRow>;
  /** Comparator for the chosen order; null if none was chosen, so that rows need not be held in memory. */
  readonly order: ((one: PickedRow, other: PickedRow) => number) | null;
}

/** A row to be written, with its sort key. */
export interface PickedRow extends WritableRow {
  sortKey(): Cell;
}

/** Applies a choice to a layout. Throws `BAD_USER_INPUT` for an unknown column. */
export function pickRows(layout: Layout, { columns: names, where, order }: RowChoice): RowPicker {
  const columns = names?.map((name) => columnOf(layout, name)) ?? layout.columns;
  const tests = where.map((condition) => {
    const column = columnOf(layout, condition.column);
    const meets = testOf(condition);
    return (row: LayoutRow) => meets(row.cell(column));
  });
  const orderedBy = order === null ? null : columnOf(layout, order.column);
  return {
    columns,
    *pick(rows) {
      for (const row of rows) {
        if (!tests.every((meets) => meets(row))) continue;
        yield {
          cells: () => columns.map((column) => row.cell(column)),
          at: row.at,
          sortKey: () => (orderedBy === null ? null : row.cell(orderedBy)),
        };
      }
    },
    order: order === null ? null : (one, other) => compareInOrder(one.sortKey(), other.sortKey(), order.descending),
  };
}

function columnOf(layout: Layout, name: string): PlacedColumn {
  const column = layout.column(name);
  if (column !== null) return column;
  const known = layout.columns.map((one) => one.name);
  const listed =
    known.length === 0 ? 'It has none.' : `It has ${known.slice(0, 30).join(', ')}${known.length > 30 ? ' …' : ''}.`;
  throw new CodedError('BAD_USER_INPUT', `This list has no column "${name.slice(0, 100)}". ${listed}`);
}

/** The predicate of a condition. Empty cells meet only `empty` and `ne`. */
function testOf({ operator, value }: Condition): (cell: Cell) => boolean {
  if (operator === 'empty') return (cell) => (cell === null || cell === '') === (value === 'true');
  if (operator === 'ne') {
    const equals = testOf({ operator: 'eq', value, column: '' });
    return (cell) => !equals(cell);
  }
  if (operator === 'has') return (cell) => cell !== null && folded(String(cell)).includes(folded(value));
  const asNumber = value.trim() === '' ? Number.NaN : Number(value);
  return (cell) => {
    if (cell === null) return false;
    if (operator === 'eq') return typeof cell === 'number' ? cell === asNumber : String(cell) === value;
    if (typeof cell === 'number') return holds(operator, cell - number(asNumber, value));
    return holds(operator, compareCells(cell, value));
  };
}

/** Throws `BAD_USER_INPUT` for a value that is not a number: otherwise no row would match, without an explanation. */
function number(value: number, text: string): number {
  if (!Number.isNaN(value)) return value;
  throw new CodedError(
    'BAD_USER_INPUT',
    `\`where\` compares numbers with "${text.slice(0, 100)}", which is not a number.`,
  );
}

function holds(operator: Condition['operator'], difference: number): boolean {
  switch (operator) {
    case 'lt':
      return difference < 0;
    case 'le':
      return difference <= 0;
    case 'gt':
      return difference > 0;
    default:
      return difference >= 0;
  }
}

/** Without case and accents, for searching. */
function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLocaleLowerCase(FRENCH.resolvedOptions().locale);
}
