import { instantOf, readDate } from '../../kernel/dates.js';

/*
 * Periods of a question, as days in Paris, both ends included: `next-month`, `last-30-days`, `2026-12`, `2026`,
 * `2026-12-01..2026-12-15`, with either end left out.
 */

/** The first and last day of a period, as `YYYY-MM-DD`; null for an open end. */
export interface Days {
  readonly from: string | null;
  readonly to: string | null;
}

/** Periods that are offered, past ones first. */
export const PERIODS = [
  ...['last-30-days', 'last-week', 'last-month', 'this-week', 'this-month', 'this-year'],
  ...['next-week', 'next-month', 'next-30-days', 'next-90-days', 'next-year'],
] as const;

/** The days of a period, with today's in Paris; null for a text that is none. */
export function daysOf(period: string, today: string): Days | null {
  const [, from = '', to = ''] = /^([\d-]*)\.\.([\d-]*)$/.exec(period) ?? [];
  if (from !== '' || to !== '') {
    return [from, to].every((day) => day === '' || isDay(day)) ? { from: from || null, to: to || null } : null;
  }
  if (isDay(period)) return { from: period, to: period };
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(period)) return monthOf(period);
  if (/^\d{4}$/.test(period)) return { from: `${period}-01-01`, to: `${period}-12-31` };
  return relativeDays(period, today);
}

function relativeDays(period: string, today: string): Days | null {
  if (period === 'today') return { from: today, to: today };
  const [, which = '', count = '', unit = ''] =
    /^(last|this|next)-(?:(\d{1,4})-)?(days?|week|month|year)$/.exec(period) ?? [];
  const step = { last: -1, this: 0, next: 1 }[which];
  if (step === undefined) return null;
  if (count !== '') {
    const other = shifted(today, step * Number(count));
    return step < 0 ? { from: other, to: today } : { from: today, to: other };
  }
  if (unit === 'year') return daysOf(String(Number(today.slice(0, 4)) + step), today);
  if (unit === 'month') return monthOf(shifted(`${today.slice(0, 7)}-15`, 30 * step).slice(0, 7));
  // Weeks begin on Monday.
  const monday = shifted(today, 7 * step - ((new Date(instantOf(today)).getUTCDay() + 6) % 7));
  return { from: monday, to: shifted(monday, 6) };
}

function monthOf(month: string): Days {
  const next = new Date(instantOf(`${month}-01`));
  next.setUTCMonth(next.getUTCMonth() + 1);
  return { from: `${month}-01`, to: shifted(next.toISOString().slice(0, 10), -1) };
}

/** A day so many days later. */
export function shifted(day: string, days: number): string {
  return new Date(instantOf(day) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Whether a text is a day that exists. */
export function isDay(text: string): boolean {
  return readDate(text)?.hasTime === false;
}

/**
 * The instants between which a period lies, both exclusive, as the services compare: the last one before its first day
 * in Paris, and the first one after its last.
 */
export function instantsOf({ from, to }: Days): { readonly after: string | null; readonly before: string | null } {
  return {
    after: from && new Date(instantOf(startOfDay(from)) - 1).toISOString(),
    before: to && new Date(instantOf(startOfDay(shifted(to, 1)))).toISOString(),
  };
}

/** The instant at which a day begins in Paris, as `2026-07-18T00:00:00+02:00`. */
export function startOfDay(day: string): string {
  // Before, the hours of Paris were not whole ones ahead of UTC.
  if (day < '1912') return day;
  const summer = `${day}T00:00:00+02:00`;
  return dayInParis(instantOf(summer)) === day ? summer : `${day}T00:00:00+01:00`;
}

/** Swedes write days as ISO 8601 does. */
const PARIS = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone: 'Europe/Paris' });

/** The day of a moment in Paris. */
export function dayInParis(moment: number): string {
  return PARIS.format(moment);
}
