const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;

/** In milliseconds since 1970: the years that have four digits everywhere. PostgreSQL has no year 0. */
const YEAR_1_MS = Date.parse('0001-01-01');
const YEAR_10000_MS = Date.UTC(10_000, 0);

/** Whether the text is a calendar date `YYYY-MM-DD` that exists, which 30 February and the year 0 do not. */
export function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined || year === '0000') return false;
  // Day 0 of the next month is the last day of this one.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay;
}

/**
 * Whether the text is an ISO 8601 date and time with a zone (`Z` or an offset), on a date that exists, and in the years
 * 1 to 9999 of UTC too. Without a zone an instant is ambiguous: the services would read it as Paris time (volunteering
 * 3.4).
 */
export function isDateTime(text: string): boolean {
  return instantOf(text) !== null;
}

/**
 * The instant of a date-time in milliseconds since 1970, for comparison only; null for text that is not a date-time
 * with a zone. Always show the text itself: converted, `23:59:59+02:00` could fall on another day.
 */
export function instantOf(text: string): number | null {
  const [, date] = DATE_TIME.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return null;
  const milliseconds = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase());
  return milliseconds >= YEAR_1_MS && milliseconds < YEAR_10000_MS ? milliseconds : null;
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
    day.setUTCDate(1);
    day.setUTCMonth(day.getUTCMonth() - months);
    // A month ago of the 31st is the last day of a shorter month.
    const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
    day.setUTCDate(Math.min(date, last));
  }
  return day.getTime() < YEAR_1_MS ? null : day.toISOString().slice(0, 10);
}
