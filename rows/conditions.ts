import { CodedError } from '../kernel/errors.js';
import { type Cell, isEmptyCell } from './columns.js';
import { compareCells } from './compare-cells.js';
import { compareDates, isDateLike, type ReadDate, readDate } from './dates.js';
import { fold } from './fold.js';
import { type Condition, readValues } from './row-choice.js';

/**
 * The predicate of a condition. A null meets only `empty` and `ne`; an empty text also equals an empty value. If the
 * value is a date, texts are compared with it as dates, and other texts are neither before nor after it. A caller with
 * several conditions passes a `readCell` that remembers dates.
 */
export function testOf(
  { operator, value }: Pick<Condition, 'operator' | 'value'>,
  readCell: ReadDate = readDate,
): (cell: Cell) => boolean {
  if (operator === 'empty') return (cell) => isEmptyCell(cell) === (value === 'true');
  if (operator === 'ne') {
    const equals = equalToAny([value], readCell);
    return (cell) => !equals(cell);
  }
  if (operator === 'eq') return equalToAny([value], readCell);
  if (operator === 'in') return equalToAny(readValues(value), readCell);
  if (operator === 'has') {
    const part = fold(value);
    return (cell) => cell !== null && fold(String(cell)).includes(part);
  }
  const asNumber = numberOf(value);
  const date = readDate(value);
  return (cell) => {
    if (isEmptyCell(cell)) return false;
    if (typeof cell === 'number') return holds(operator, cell - checked(asNumber, value));
    if (date === null) return holds(operator, compareCells(cell, value));
    const own = typeof cell === 'string' ? readCell(cell) : null;
    return own !== null && holds(operator, compareDates(own, date));
  };
}

/** Tests a cell against all values at once. Its date is parsed once at most, and only if no value equals its text. */
function equalToAny(values: readonly string[], readCell: ReadDate): (cell: Cell) => boolean {
  const texts = new Set(values);
  const numbers = new Set(values.map(numberOf));
  const dates = values.map(readDate).filter((date) => date !== null);
  const [instants, days] = [new Set<number>(), new Set<string>()];
  for (const { hasTime, ms, day } of dates) {
    if (hasTime) instants.add(ms);
    else days.add(day);
  }
  // A cell without a time equals every time of its day.
  const allDays = new Set(dates.map(({ day }) => day));
  return (cell) => {
    if (typeof cell === 'number') return numbers.has(cell);
    if (cell === null) return false;
    if (typeof cell !== 'string' || dates.length === 0 || texts.has(cell)) return texts.has(String(cell));
    const own = readCell(cell);
    if (own === null) return false;
    return own.hasTime ? instants.has(own.ms) || days.has(own.day) : allDays.has(own.day);
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
  const isEqual = isEquality(operator);
  if (isEqual && areDates === 'by values') return;
  // A source may write the 30th of February, which is found as it is written.
  const wrong = comparedValues({ operator, value }).find((one) =>
    isEqual ? !isDateLike(one) : readDate(one) === null,
  );
  if (wrong === undefined) return;
  throw new CodedError(
    'BAD_USER_INPUT',
    `\`where\` compares dates with "${wrong.slice(0, 100)}", which is no ISO date such as 2026-09-01 or 2026-09-01T08:00:00Z.`,
  );
}

/** Throws `BAD_USER_INPUT` for a condition that compares numbers or booleans with anything else: no row equals it. */
export function refuseOther(condition: Pick<Condition, 'operator' | 'value'>, type: 'number' | 'boolean'): void {
  for (const value of comparedValues(condition)) {
    if (type === 'number') checked(numberOf(value), value);
    else if (value !== 'true' && value !== 'false') throw neither(value);
  }
}

function neither(value: string): CodedError {
  return new CodedError(
    'BAD_USER_INPUT',
    `\`where\` compares true and false with "${value.slice(0, 100)}", which is neither.`,
  );
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
