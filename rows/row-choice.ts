import { CodedError } from '../kernel/errors.js';
import { oneValue } from '../kernel/text.js';

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
