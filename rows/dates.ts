const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** An ISO 8601 date, or a date with a time. */
export interface IsoDate {
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
