import { dayAgo, readDate } from '../kernel/dates.js';
import { CodedError } from '../kernel/errors.js';
import { isIn, searched } from '../kernel/fold.js';
import { oneValue } from '../kernel/text.js';
import {
  type Cell,
  compareCells,
  compareDates,
  compareInOrder,
  isEmptyCell,
  type SortKey,
  sortKeyOf,
} from './cells.js';
import type { Layout, LayoutRow, LonLat, PlacedColumn, Position } from './layout.js';
import type { WritableRow } from './row-file.js';

/** Operators of conditions. */
export const OPERATORS = ['eq', 'ne', 'in', 'lt', 'le', 'gt', 'ge', 'has', 'empty'] as const;

/** In a condition with `has`, stands for any column of the list. */
export const ANY_COLUMN = '*';

/** A condition on one column. */
export interface Condition {
  /** Name of the column, or `*` for any. */
  readonly column: string;
  readonly operator: (typeof OPERATORS)[number];
  /** As written; `true` or `false` for `empty`, a JSON list of texts for `in`. */
  readonly value: string;
}

/** A column with its title in the table or file. */
export interface ChosenColumn {
  readonly name: string;
  /** The name, unless the column was renamed. */
  readonly title: string;
}

/** Which rows and columns of a list to return, and in which order: the same for table, map, file and link. */
export interface RowChoice {
  /** Null for all. */
  readonly columns: readonly ChosenColumn[] | null;
  /** Rows must meet all of them. */
  readonly where: readonly Condition[];
  /** Null for the order of the response. */
  readonly order: { readonly column: string; readonly descending: boolean } | null;
  /** Whether to leave out rows that equal an earlier one in all chosen columns. */
  readonly distinct: boolean;
}

/** All rows and columns, as in the response. */
export const EVERYTHING: RowChoice = { columns: null, where: [], order: null, distinct: false };

/** Whether a choice names columns, which the list must then have. */
export function namesColumns({ columns, where, order }: RowChoice): boolean {
  return columns !== null || where.length > 0 || order !== null;
}

/** Limits on columns and conditions of one request: more than any list needs, and little work per row. */
const MAX_COLUMNS = 200;
const MAX_CONDITIONS = 20;
/** Limit on the texts of one `in`. */
const MAX_VALUES = 200;

/**
 * Parses `columns=a,b.c:Title`, `where=path:op:value` (if repeated, all must be met), `order=path` or `order=-path`,
 * and `distinct=true`. Throws `BAD_USER_INPUT` if one is malformed.
 */
export function readRowChoice(search: URLSearchParams): RowChoice {
  const names = oneValue(search, 'columns');
  const conditions = search.getAll('where');
  // Counted before they are split: a link has room for thousands of commas.
  const columnCount = names === undefined ? 0 : names.length - names.replaceAll(',', '').length + 1;
  refuseMoreThan(MAX_COLUMNS, columnCount, `\`columns\` names ${columnCount} columns`);
  refuseMoreThan(MAX_CONDITIONS, conditions.length, `\`where\` is given ${conditions.length} times`);
  const columns = names?.split(',').map(readColumn) ?? null;
  const where = conditions.map(readCondition);
  refuseRepeated(columns ?? []);
  const order = oneValue(search, 'order') ?? null;
  if (order === '' || order === '-') throw badInput('`order` is the name of a column, or `-` and its name.');
  const distinct = oneValue(search, 'distinct') ?? 'false';
  if (distinct !== 'true' && distinct !== 'false') throw badInput('`distinct` is true or false.');
  return {
    columns,
    where,
    order: order === null ? null : { column: order.replace(/^-/, ''), descending: order.startsWith('-') },
    distinct: distinct === 'true',
  };
}

/** The parameters from which `readRowChoice` reads this choice. */
export function writeRowChoice({ columns, where, order, distinct }: RowChoice): [name: string, value: string][] {
  const names = columns?.map(({ name, title }) => (title === name ? name : `${name}:${title}`));
  return [
    ...(names === undefined ? [] : [['columns', names.join(',')] as [string, string]]),
    ...where.map(({ column, operator, value }): [string, string] => ['where', `${column}:${operator}:${value}`]),
    ...(order === null ? [] : [['order', `${order.descending ? '-' : ''}${order.column}`] as [string, string]]),
    ...(distinct ? [['distinct', 'true'] as [string, string]] : []),
  ];
}

/** A text for a title, without the characters that separate columns. */
export function asTitle(text: string): string {
  return text.replaceAll(',', ' ');
}

function readColumn(text: string): ChosenColumn {
  const [, name = '', title] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  if (name === '') throw badInput('`columns` is a comma-separated list of names.');
  if (title?.trim() === '') throw badInput('`columns=name:Title` needs a title after the colon.');
  return { name, title: title ?? name };
}

function refuseRepeated(columns: readonly ChosenColumn[]): void {
  const [names, titles] = [new Set<string>(), new Set<string>()];
  for (const { name, title } of columns) {
    if (names.has(name)) throw badInput(`\`columns\` names "${name.slice(0, 100)}" twice.`);
    if (titles.has(title)) throw badInput(`\`columns\` has two columns with the title "${title.slice(0, 100)}".`);
    names.add(name);
    titles.add(title);
  }
}

function readCondition(text: string): Condition {
  const [, column, operator, value] = /^([^:]+):([a-z]+)(?::(.*))?$/s.exec(text) ?? [];
  const known = OPERATORS.find((candidate) => candidate === operator);
  if (column === undefined || known === undefined) {
    throw badInput(`\`where\` is path:op:value, op one of ${OPERATORS.join(' ')}.`);
  }
  if (column === ANY_COLUMN && known !== 'has')
    throw badInput('`where=*:has:text` is the only operator for any column.');
  if (known === 'empty') {
    if (value !== undefined && value !== 'true' && value !== 'false') {
      throw badInput('`where=path:empty` takes no value but true or false.');
    }
    return { column, operator: known, value: value ?? 'true' };
  }
  if (value === undefined) throw badInput(`\`where=path:${known}:value\` needs a value.`);
  if (known === 'in') readValues(value);
  return { column, operator: known, value };
}

/** The texts of an `in`. Throws `BAD_USER_INPUT` if they are not a JSON list of texts. */
export function readValues(value: string): readonly string[] {
  let values: unknown;
  try {
    values = JSON.parse(value);
  } catch {
    values = null;
  }
  if (Array.isArray(values) && values.length <= MAX_VALUES && values.every((one) => typeof one === 'string')) {
    return values;
  }
  throw badInput(`\`where=path:in:value\` takes a JSON list of at most ${MAX_VALUES} texts, such as ["a","b"].`);
}

function refuseMoreThan(most: number, count: number, what: string): void {
  if (count > most) throw badInput(`${what}; at most ${most} are allowed.`);
}

function badInput(message: string): CodedError {
  return new CodedError('BAD_USER_INPUT', message);
}

/**
 * The predicate of a condition. A null meets only `empty` and `ne`; an empty text also equals an empty value. If the
 * value is a date, texts are compared with it as dates, and other texts are neither before nor after it.
 */
export function testOf({ operator, value }: Pick<Condition, 'operator' | 'value'>): (cell: Cell) => boolean {
  if (operator === 'empty') return (cell) => isEmptyCell(cell) === (value === 'true');
  if (operator === 'ne') {
    const equals = equalToAny([value]);
    return (cell) => !equals(cell);
  }
  if (operator === 'eq') return equalToAny([value]);
  if (operator === 'in') return equalToAny(readValues(value));
  if (operator === 'has') {
    const hasPart = isIn(value);
    return (cell) => cell !== null && hasPart(searched(String(cell)));
  }
  const asNumber = numberOf(value);
  const date = readDate(value);
  return (cell) => {
    if (isEmptyCell(cell)) return false;
    if (typeof cell === 'number') return holds(operator, cell - checked(asNumber, value));
    if (date === null) return holds(operator, compareCells(cell, value));
    const own = typeof cell === 'string' ? readDate(cell) : null;
    return own !== null && holds(operator, compareDates(own, date));
  };
}

/** Tests a cell against all values at once. Its date is parsed once at most, and only if no value equals its text. */
function equalToAny(values: readonly string[]): (cell: Cell) => boolean {
  const texts = new Set(values);
  const numbers = new Set(values.map(numberOf));
  const dates = values.map(readDate).filter((date) => date !== null);
  return (cell) => {
    if (typeof cell === 'number') return numbers.has(cell);
    if (cell === null) return false;
    if (typeof cell !== 'string' || dates.length === 0 || texts.has(cell)) return texts.has(String(cell));
    const own = readDate(cell);
    return own !== null && dates.some((date) => compareDates(own, date) === 0);
  };
}

/**
 * Throws `BAD_USER_INPUT` for a condition that compares dates with other text, as text. If only a response's values
 * show that they are dates, those of another may be any text, so only comparisons by order are refused.
 */
export function refuseNoDate(
  { operator, value }: Pick<Condition, 'operator' | 'value'>,
  areDates: 'by type' | 'by values',
): void {
  if (isEquality(operator) && areDates === 'by values') return;
  const wrong = comparedValues({ operator, value }).find((one) => readDate(one) === null);
  if (wrong === undefined) return;
  throw badInput(
    `\`where\` compares dates with "${wrong.slice(0, 100)}", which is no ISO date such as 2026-09-01 or 2026-09-01T08:00:00Z, nor a time ago such as -P30D.`,
  );
}

/** Throws `BAD_USER_INPUT` for a condition that compares numbers or booleans with anything else: no row equals it. */
function refuseOther(condition: Pick<Condition, 'operator' | 'value'>, type: 'number' | 'boolean'): void {
  for (const value of comparedValues(condition)) {
    if (type === 'number') checked(numberOf(value), value);
    else if (value !== 'true' && value !== 'false') {
      throw badInput(`\`where\` compares true and false with "${value.slice(0, 100)}", which is neither.`);
    }
  }
}

function isEquality(operator: Condition['operator']): boolean {
  return operator === 'eq' || operator === 'ne' || operator === 'in';
}

/** The values that cells are compared with; an empty text, which may be equal to one, left out. */
function comparedValues({ operator, value }: Pick<Condition, 'operator' | 'value'>): readonly string[] {
  if (operator === 'has' || operator === 'empty') return [];
  const values = operator === 'in' ? readValues(value) : [value];
  return isEquality(operator) ? values.filter((one) => one !== '') : values;
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** Throws `BAD_USER_INPUT` for a value that is not a number: otherwise no row would match, without an explanation. */
function checked(value: number, text: string): number {
  if (!Number.isNaN(value)) return value;
  throw badInput(`\`where\` compares numbers with "${text.slice(0, 100)}", which is not a number.`);
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
