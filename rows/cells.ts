/** The value of a table cell. */
export type Cell = string | number | boolean | null;

/** Whether a cell shows nothing. */
export function isEmptyCell(cell: Cell): cell is null | '' {
  return cell === null || cell === '';
}

/** French collation that ignores case and accents, and compares numbers in text by value. */
export const FRENCH = new Intl.Collator('fr', { numeric: true, sensitivity: 'base' });

/** What a row is sorted by: a cell, or the date in it. */
export type SortKey = Cell | IsoDate;

/** The sort key of a cell, computed once, since a comparator is called many times per row. */
export function sortKeyOf(cell: Cell): SortKey {
  return typeof cell === 'string' ? (readDate(cell) ?? cell) : cell;
}

/**
 * A comparator for sorting: numbers by value, text by French collation. Dates are sorted by their instants, a day by
 * its midnight in UTC, and come before anything else; empty cells, including empty texts, are always last.
 */
export function compareInOrder(one: SortKey, other: SortKey, descending: boolean): number {
  if (isDate(one) && isDate(other)) return descending ? other.ms - one.ms : one.ms - other.ms;
  if (isDate(one)) return -1;
  if (isDate(other)) return 1;
  if (isEmptyCell(one) || isEmptyCell(other)) return Number(isEmptyCell(one)) - Number(isEmptyCell(other));
  return descending ? -compareCells(one, other) : compareCells(one, other);
}

function isDate(key: SortKey): key is IsoDate {
  return typeof key === 'object' && key !== null;
}

/** Compares two cells: negative if the first is less. */
export function compareCells(one: NonNullable<Cell>, other: NonNullable<Cell>): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return FRENCH.compare(String(one), String(other));
}

const HAS_OTHER_LETTERS = /[^ -~\s]/;

/** A text without accents, case and ligatures, for comparing and searching: `Chœur` and `choeur` are the same word. */
export function fold(text: string): string {
  if (!HAS_OTHER_LETTERS.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('œ', 'oe').replaceAll('æ', 'ae');
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** An ISO 8601 date, or a date with a time. */
interface IsoDate {
  /** Milliseconds since the epoch; in UTC if the text names no zone. */
  readonly ms: number;
  readonly hasTime: boolean;
  /** The date as written, in its own zone. */
  readonly day: string;
}

/** Whether a text has the form of an ISO date; the day may not exist. */
export function isDateLike(text: string): boolean {
  return DAY.test(text) || TIME.test(text);
}

/** Reads an ISO date, with or without a time; null for any other text. */
export function readDate(text: string): IsoDate | null {
  const zone = TIME.exec(text);
  if (zone === null && !DAY.test(text)) return null;
  const ms = Date.parse(zone !== null && zone[1] === undefined ? `${text}Z` : text);
  const day = text.slice(0, 10);
  // `Date.parse` would turn a day that the month does not have into another one.
  if (Number.isNaN(ms) || Number.isNaN(Date.parse(day)) || !isDay(day)) return null;
  return { ms, hasTime: zone !== null, day };
}

function isDay(day: string): boolean {
  // Every month has 28 days.
  if (day.slice(8) <= '28') return true;
  return new Date(Date.parse(day)).toISOString().startsWith(day);
}

/** Reads an ISO date as `readDate` does. */
export type ReadDate = typeof readDate;

/** A `readDate` that remembers the latest text, for several conditions on one cell. */
export function latestDate(): ReadDate {
  let latest: string | null = null;
  let date: IsoDate | null = null;
  return (text) => {
    if (text !== latest) [latest, date] = [text, readDate(text)];
    return date;
  };
}

/** Compares two dates: negative if the first is earlier. If either has no time, the days as written decide. */
export function compareDates(one: IsoDate, other: IsoDate): number {
  if (one.hasTime && other.hasTime) return one.ms - other.ms;
  return Number(one.day > other.day) - Number(one.day < other.day);
}
