const PARTS = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Paris',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A day in Paris: month 1 to 12. */
export interface ParisDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The day on which a moment falls in Paris. */
export function parisDay(ms: number): ParisDay {
  const parts = partsOf(ms);
  return { year: parts.year, month: parts.month, day: parts.day };
}

/** The moment of an hour of a day in Paris, in milliseconds since 1970; days and months may overflow. */
export function parisTime({ year, month, day }: ParisDay, hour: number): number {
  const asUtc = Date.UTC(year, month - 1, day, hour);
  // The offset at most two hours away is that of the day, except in the hour of the change itself.
  return asUtc - offsetMs(asUtc - offsetMs(asUtc));
}

function offsetMs(ms: number): number {
  const { year, month, day, hour, minute, second } = partsOf(ms);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

function partsOf(ms: number) {
  const parts = new Map(PARTS.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  };
}
