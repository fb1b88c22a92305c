import { CodedError } from '../../../schema/errors.js';
import { type Cell, isEmptyCell } from './columns.js';
import { compareCells } from './compare-cells.js';
import { compareDates, readDate } from './dates.js';
import { fold } from './fold.js';
import { type Condition, readValues } from './row-choice.js';

/**
 * The predicate of a condition. A null meets only `empty` and `ne`; an empty text also equals an empty value. Dates are
 * compared as such with a value that is one.
 */
export function testOf({ operator, value }: Pick<Condition, 'operator' | 'value'>): (cell: Cell) => boolean {
  if (operator === 'empty') return (cell) => isEmptyCell(cell) === (value === 'true');
  if (operator === 'ne') {
    const equals = equalTo(value);
    return (cell) => !equals(cell);
  }
  if (operator === 'eq') return equalTo(value);
  if (operator === 'in') {
    const tests = readValues(value).map(equalTo);
    return (cell) => tests.some((equals) => equals(cell));
  }
  if (operator === 'has') {
    const part = fold(value);
    return (cell) => cell !== null && fold(String(cell)).includes(part);
  }
  const asNumber = numberOf(value);
  const compareDate = dateComparison(value);
  return (cell) => {
    if (isEmptyCell(cell)) return false;
    if (typeof cell === 'number') return holds(operator, cell - checked(asNumber, value));
    return holds(operator, compareDate(cell) ?? compareCells(cell, value));
  };
}

function equalTo(value: string): (cell: Cell) => boolean {
  const asNumber = numberOf(value);
  const compareDate = dateComparison(value);
  return (cell) => {
    if (typeof cell === 'number') return cell === asNumber;
    return cell !== null && (String(cell) === value || compareDate(cell) === 0);
  };
}

/** Compares a cell with a date; null unless both are dates. */
function dateComparison(value: string): (cell: Cell) => number | null {
  const date = readDate(value);
  if (date === null) return () => null;
  return (cell) => {
    const own = typeof cell === 'string' ? readDate(cell) : null;
    return own === null ? null : compareDates(own, date);
  };
}

/** Throws `BAD_USER_INPUT` for a condition that compares dates with what is none: it would compare them as text. */
export function refuseNoDate({ operator, value }: Pick<Condition, 'operator' | 'value'>): void {
  if (operator === 'has' || operator === 'empty') return;
  const isForEmpty = operator === 'eq' || operator === 'ne' || operator === 'in';
  const wrong = (operator === 'in' ? readValues(value) : [value]).find(
    (one) => readDate(one) === null && !(isForEmpty && one === ''),
  );
  if (wrong === undefined) return;
  throw new CodedError(
    'BAD_USER_INPUT',
    `\`where\` compares dates with "${wrong.slice(0, 100)}", which is no ISO date such as 2026-09-01 or 2026-09-01T08:00:00Z.`,
  );
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** Throws `BAD_USER_INPUT` for a value that is not a number: otherwise no row would match, without an explanation. */
function checked(value: number, text: string): number {
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
