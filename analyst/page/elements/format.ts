import { readDate } from '../../../kernel/dates.js';
import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import { dayInParis } from '../../questions/days.js';
import { defineTexts, language, textsNow } from '../state/language.js';

const TEXTS = defineTexts({
  en: { byte: 'B', kilobyte: 'kB', megabyte: 'MB', days: 'days' },
  fr: { byte: 'o', kilobyte: 'ko', megabyte: 'Mo', days: 'jours' },
});

/** A number as the page's language writes it, with at most this many digits after the decimal mark. */
export function formatNumber(value: number, digits = 0): string {
  return numberFormat({ maximumFractionDigits: digits }).format(value);
}

/** A distance in kilometres. */
export function formatKilometres(value: number, digits: number): string {
  const unit = { style: 'unit', unit: 'kilometer', useGrouping: false } as const;
  return numberFormat({ ...unit, maximumFractionDigits: digits }).format(value);
}

const formats = new Map<string, Intl.NumberFormat>();

/** The page language's number format with these options, made once, since making one takes longer than using it. */
export function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language.get()} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(language.get(), options);
  formats.set(key, format);
  return format;
}

/** Where the page shows, counts and filters days, whatever the zone of the computer. */
const timeZone = 'Europe/Paris';

/** A day and time in Paris, such as `28 November at 04:00`, with further parts where wanted. */
export function formatMoment(date: Date, further: Intl.DateTimeFormatOptions = {}): string {
  const form = { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit', timeZone, ...further } as const;
  return date.toLocaleString(language.get() === 'fr' ? 'fr' : 'en-GB', form);
}

/** The day of a date in Paris; one without a time is that day everywhere. Null for any other text. */
export function dayOfDate(text: string): string | null {
  const date = readDate(text);
  return date?.hasTime ? dayInParis(date.ms) : (date?.day ?? null);
}

/** A size in units of 1,024 bytes. */
export function formatBytes(bytes: number): string {
  const { byte, kilobyte, megabyte } = textsNow(TEXTS);
  if (bytes < 1024) return `${bytes} ${byte}`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${oneDigit(kilobytes)} ${kilobyte}` : `${oneDigit(kilobytes / 1024)} ${megabyte}`;
}

/** A time in milliseconds or seconds. */
export function formatMs(ms: number): string {
  return ms < 10_000 ? `${formatNumber(ms)} ms` : `${oneDigit(ms / 1000)} s`;
}

function oneDigit(value: number): string {
  return numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value);
}

/** A number of seconds in the largest suitable unit. */
export function formatDuration(seconds: number): string {
  const { days } = textsNow(TEXTS);
  for (const [unit, size] of UNITS) {
    if (seconds >= 2 * size) return `${Math.floor(seconds / size)} ${unit === 'days' ? days : unit}`;
  }
  return `${Math.ceil(seconds)} s`;
}

const UNITS = [
  ['days', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** What a service is called: in French by what it is for, in English by its name in the graph. */
export function labelOfService(name: string): string {
  const known = SERVICES.find((service) => service === name);
  return known === undefined || language.get() === 'en' ? name : SERVICE_ENTRIES[known].label;
}
