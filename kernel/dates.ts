/** A date that exists, perhaps with a time. */
export interface IsoDate {
  /** Milliseconds since 1970; in UTC if the text names no zone. For comparison only: show the text itself. */
  readonly ms: number;
  readonly hasTime: boolean;
  readonly hasZone: boolean;
  /** The day as written, in its own zone: converted, `23:59:59+02:00` could fall on another one. */
  readonly day: string;
}

const FORM = /^(\d{4}-\d{2}-(\d{2}))(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** In milliseconds since 1970: the years that have four digits everywhere. PostgreSQL has no year 0. */
const YEAR_1_MS = Date.parse('0001-01-01');
const YEAR_10000_MS = Date.UTC(10_000, 0);

/**
 * Reads what sources and callers write as a date, wherever dates are read: `YYYY-MM-DD`, with a time or without, in the
 * years 1 to 9999. Null for any other text, and for a date that does not exist, such as 30 February.
 */
export function readDate(text: string): IsoDate | null {
  const [, day, dayOfMonth = '', time, zone] = FORM.exec(text) ?? [];
  // Hour 24 is the next day.
  if (day === undefined || time?.startsWith('24')) return null;
  const written = time === undefined ? day : `${day}T${time}${spelled(zone ?? 'Z')}`;
  const ms = Date.parse(written);
  if (!(ms >= YEAR_1_MS && ms < YEAR_10000_MS)) return null;
  // `Date.parse` would turn a day that the month does not have into another one; all months have 28 days.
  if (dayOfMonth > '28' && new Date(day).getUTCDate() !== Number(dayOfMonth)) return null;
  return { ms, hasTime: time !== undefined, hasZone: zone !== undefined, day };
}

/** The spelling of a date-time that every parser reads; the usual spellings are unchanged. */
export function spelled(moment: string): string {
  return moment.toUpperCase().replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
}

/** The instant of a date in milliseconds since 1970, of one without a time at midnight in UTC; NaN for any other text. */
export function instantOf(text: string): number {
  return readDate(text)?.ms ?? Number.NaN;
}

/**
 * Whether the text is an ISO 8601 date and time with a zone (`Z` or an offset), on a date that exists, and in the years
 * 1 to 9999 of UTC too. Without a zone an instant is ambiguous: the services would read it as Paris time (volunteering
 * 3.4).
 */
export function isDateTime(text: string): boolean {
  return readDate(text)?.hasZone === true && !text.includes(' ');
}

/** A time before today as an ISO 8601 duration: days, weeks, months or years. Ten thousand days are before all data. */
const AGO = /^-P(\d{1,4})([DWMY])$/;

/** The day in UTC that a text such as `-P30D` means, 30 days ago, as `YYYY-MM-DD`; null for any other text. */
export function dayAgo(text: string, now: number): string | null {
  const [, count = '', unit = ''] = AGO.exec(text) ?? [];
  if (unit === '') return null;
  const day = new Date(now);
  if (unit === 'D' || unit === 'W') day.setUTCDate(day.getUTCDate() - Number(count) * (unit === 'W' ? 7 : 1));
  else {
    const months = Number(count) * (unit === 'Y' ? 12 : 1);
    const date = day.getUTCDate();
    day.setUTCMonth(day.getUTCMonth() - months);
    // A month ago of the 31st is the last day of a shorter month.
    if (day.getUTCDate() !== date) day.setUTCDate(0);
  }
  return day.getTime() < YEAR_1_MS ? null : day.toISOString().slice(0, 10);
}
