import { CodedError } from '../../../schema/errors.js';

/** Operators of conditions. */
const OPERATORS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'has', 'empty'] as const;

/** A condition on one column. */
export interface Condition {
  /** Name of the column. */
  readonly column: string;
  readonly operator: (typeof OPERATORS)[number];
  /** As written; `true` or `false` for `empty`. */
  readonly value: string;
}

/** Which rows and columns of a list to return, and in which order. */
export interface RowChoice {
  /** Null for all. */
  readonly columns: readonly string[] | null;
  /** Rows must meet all of them. */
  readonly where: readonly Condition[];
  /** Null for the order of the response. */
  readonly order: { readonly column: string; readonly descending: boolean } | null;
}

/** Columns and conditions of one request: more than any list has, and little work for each row. */
const MAX_COLUMNS = 200;
const MAX_CONDITIONS = 20;

/**
 * Parses `columns=a,b.c`, `where=path:op:value` (if repeated, all must be met) and `order=path` or `order=-path`. Throws
 * `BAD_USER_INPUT` if one is malformed.
 */
export function readRowChoice(search: URLSearchParams): RowChoice {
  const columns = once(search, 'columns')?.split(',') ?? null;
  if (columns?.includes('')) throw new CodedError('BAD_USER_INPUT', '`columns` is a comma-separated list of names.');
  const where = search.getAll('where').map(readCondition);
  refuseMoreThan(MAX_COLUMNS, columns ?? [], '`columns` names');
  refuseMoreThan(MAX_CONDITIONS, where, '`where` is given');
  const order = once(search, 'order') ?? null;
  if (order === '' || order === '-')
    throw new CodedError('BAD_USER_INPUT', '`order` is the name of a column, or `-` and its name.');
  return {
    columns,
    where,
    order: order === null ? null : { column: order.replace(/^-/, ''), descending: order.startsWith('-') },
  };
}

function readCondition(text: string): Condition {
  const [, column, operator, value] = /^([^:]+):([a-z]+)(?::(.*))?$/s.exec(text) ?? [];
  const known = OPERATORS.find((candidate) => candidate === operator);
  if (column === undefined || known === undefined) {
    throw new CodedError('BAD_USER_INPUT', `\`where\` is path:op:value, op one of ${OPERATORS.join(' ')}.`);
  }
  if (known === 'empty') {
    if (value !== undefined && value !== 'true' && value !== 'false') {
      throw new CodedError('BAD_USER_INPUT', '`where=path:empty` takes no value but true or false.');
    }
    return { column, operator: known, value: value ?? 'true' };
  }
  if (value === undefined) throw new CodedError('BAD_USER_INPUT', `\`where=path:${known}:value\` needs a value.`);
  return { column, operator: known, value };
}

function once(search: URLSearchParams, name: string): string | undefined {
  const values = search.getAll(name);
  if (values.length > 1) throw new CodedError('BAD_USER_INPUT', `\`${name}\` may be given only once.`);
  return values[0];
}

function refuseMoreThan(most: number, { length }: readonly unknown[], what: string): void {
  if (length > most) throw new CodedError('BAD_USER_INPUT', `${what} ${length} times; at most ${most} are allowed.`);
}
