import { instantOf } from '../../../kernel/dates.js';
import { ANY_COLUMN, type Condition, readValues } from '../../../rows/row-choice.js';
import { startOfDay } from '../../questions/days.js';
import { dayOfDate } from '../elements/format.js';
import type { CellKind } from '../lists/loaded-list.js';

/** The conditions on one column, as the filter panel shows them; an empty text means no condition. */
export interface ColumnFilter {
  /** Cells that equal one of these. */
  readonly values: readonly string[];
  readonly part: string;
  /** Least number, or first day. */
  readonly from: string;
  /** Greatest number, or last day. */
  readonly to: string;
  readonly empty: '' | 'true' | 'false';
}

/** The text that is searched in all columns. */
export function searchOf(where: readonly Condition[]): string {
  return where.find(({ column }) => column === ANY_COLUMN)?.value ?? '';
}

/** The conditions with another text to search in all columns. */
export function withSearch(where: readonly Condition[], text: string): Condition[] {
  const others = where.filter(({ column }) => column !== ANY_COLUMN);
  return text.trim() === '' ? others : [{ column: ANY_COLUMN, operator: 'has', value: text }, ...others];
}

/** Reads the conditions on a column. */
export function filterOf(where: readonly Condition[], column: string, kind: CellKind): ColumnFilter {
  const own = where.filter((condition) => condition.column === column);
  const textOf = (operator: Condition['operator']): string | undefined =>
    own.find((condition) => condition.operator === operator)?.value;
  const dayIn = (text: string): string => (kind === 'date' ? (dayOfDate(text) ?? text) : text);
  const [several, one, before, empty] = [textOf('in'), textOf('eq'), textOf('lt'), textOf('empty')];
  return {
    values: several === undefined ? (one === undefined ? [] : [one]) : readValues(several),
    part: textOf('has') ?? '',
    from: dayIn(textOf('ge') ?? ''),
    to: dayIn(textOf('le') ?? '') || (kind === 'date' && before !== undefined ? dayBeside(dayIn(before), -1) : ''),
    empty: empty === 'true' || empty === 'false' ? empty : '',
  };
}

/** The conditions with another filter of a column. */
export function withFilter(
  where: readonly Condition[],
  column: string,
  kind: CellKind,
  { values, part, from, to, empty }: ColumnFilter,
): Condition[] {
  const [single] = values;
  const own: [operator: Condition['operator'], value: string][] = [];
  if (values.length === 1 && single !== undefined) own.push(['eq', single]);
  if (values.length > 1) own.push(['in', JSON.stringify(values)]);
  if (part.trim() !== '') own.push(['has', part]);
  if (from !== '') own.push(['ge', kind === 'date' ? startOfDay(from) : from]);
  // A date may have a time: a day is what lies between its beginning and that of the next, in Paris.
  if (to !== '') own.push(kind === 'date' ? ['lt', startOfDay(dayBeside(to, 1))] : ['le', to]);
  if (empty !== '') own.push(['empty', empty]);
  const others = where.filter((condition) => condition.column !== column);
  return [...others, ...own.map(([operator, value]) => ({ column, operator, value }))];
}

/** A day before or after another, such as `2026-02-01`. */
export function dayBeside(day: string, step: number): string {
  const time = instantOf(day.slice(0, 10));
  return Number.isNaN(time) ? day : new Date(time + step * DAY_MS).toISOString().slice(0, 10);
}

const DAY_MS = 24 * 60 * 60 * 1000;
