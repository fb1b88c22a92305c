import type { Random } from './random.js';

/** The date on which the sandbox's data was "exported": the data does not depend on the real date. */
const today = Date.UTC(2026, 8, 1);

const dayMs = 86_400_000;

/** The instant this many days, which may be fractional, before or after `today`, in UTC with milliseconds. */
export function daysFromToday(days: number): string {
  const known = written.get(days);
  if (known !== undefined) return known;
  const text = new Date(today + Math.round(days * dayMs)).toISOString();
  if (Number.isInteger(days * 96)) written.set(days, text);
  return text;
}

/** Instants on a quarter of an hour, like most of the world's: formatting them took a tenth of its creation. */
const written = new Map<number, string>();

/**
 * An import of the partners' feeds: at 00:15, 06:15, 12:15 or 18:15 (volunteering 6, row Freshness), this many days
 * from `today`.
 */
export function importOn(day: number, random: Random): string {
  return daysFromToday(day + random.int(4) / 4 + 1 / 96);
}

/** Midnight UTC of a day between these two distances from `today`; whole days, so that equal values are common. */
export function dayFromToday(random: Random, [from, to]: readonly [from: number, to: number]): string {
  return daysFromToday(from + random.int(to - from + 1));
}

/**
 * A day in the form of work-study's reference data, with the offset of Paris: 00:00:00 for openings and creations,
 * 23:59:59 for closings (work-study 12.2, conventions).
 */
export function parisDay(year: number, month: number, day: number, end: 'opening' | 'closing' = 'opening'): string {
  const date = `${year}-${twoDigits(month)}-${twoDigits(day)}`;
  const hour = end === 'opening' ? 0 : 24;
  return `${date}T${end === 'opening' ? '00:00:00' : '23:59:59'}.000${parisOffset(year, month, day + hour / 24)}`;
}

const twoDigits = (value: number) => String(value).padStart(2, '0');

/**
 * Summer time runs from the last Sunday of March to the last of October, changing early in the morning. It began in
 * 1976; in its first twenty years it differed by some weeks in spring and autumn, when the world has no dates.
 */
function parisOffset(year: number, month: number, dayAndHour: number): '+01:00' | '+02:00' {
  if (year < 1976 || month < 3 || month > 10) return '+01:00';
  if (month > 3 && month < 10) return '+02:00';
  const last = new Date(Date.UTC(year, month, 0));
  const hasChanged = dayAndHour > last.getUTCDate() - last.getUTCDay() + 0.1;
  return hasChanged === (month === 3) ? '+02:00' : '+01:00';
}
