/** The condition of a `createdAt` or `startAt` parameter: strictly after or strictly before a moment. */
export interface DateBound {
  readonly side: 'after' | 'before';
  /** Milliseconds since 1970. */
  readonly time: number;
}

/**
 * The bound that today's service reads (volunteering 3.4): the first three characters are the operator, the rest is
 * the date. Only `gt:` means after; any other three characters mean before. If the rest is no date, the filter is
 * dropped: null.
 */
export function dateBoundToday(text: string | undefined): DateBound | null {
  if (text === undefined || text === '') return null;
  const time = timeInParis(text.slice(3));
  return time === null ? null : { side: text.startsWith('gt:') ? 'after' : 'before', time };
}

/**
 * The bound of the seed's service: `gt:` is documented, `lt:` is its obvious counterpart, and anything else has no
 * effect (volunteering 12.4.2).
 */
export function dateBoundOfSeed(text: string | undefined): DateBound | null {
  if (text === undefined || !/^[gl]t:/.test(text)) return null;
  return dateBoundToday(text);
}

/** Whether a time in milliseconds is on the requested side; a missing time is on neither. */
export function isWithin(bound: DateBound | null, time: number | null): boolean {
  if (bound === null) return true;
  if (time === null) return false;
  return bound.side === 'after' ? time > bound.time : time < bound.time;
}

/**
 * Reads a date as `new Date` does in a process whose zone is Europe/Paris, as the service's is (volunteering 3.4):
 * a bare date is UTC, a date-time without an offset is Paris time, and anything the lenient parser accepts is accepted.
 */
function timeInParis(text: string): number | null {
  const parsed = new Date(text);
  if (Number.isNaN(parsed.getTime())) return null;
  if (/^\d{4}(-\d\d){0,2}$/.test(text) || /(Z|GMT|UTC|[+-]\d\d:?\d\d)$/i.test(text)) return parsed.getTime();
  // The parser read the text as local time of this process: keep the wall clock, change the zone.
  const wall = Date.UTC(
    parsed.getFullYear(),
    parsed.getMonth(),
    parsed.getDate(),
    parsed.getHours(),
    parsed.getMinutes(),
    parsed.getSeconds(),
    parsed.getMilliseconds(),
  );
  return wall - parisOffset(wall - parisOffset(wall));
}

/** Milliseconds that Paris is ahead of UTC: two hours from March's last Sunday to October's, at 01:00 UTC, else one. */
function parisOffset(time: number): number {
  const year = new Date(time).getUTCFullYear();
  const isSummer = time >= lastSunday(year, 2) && time < lastSunday(year, 9);
  return (isSummer ? 2 : 1) * 3_600_000;
}

function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0, 1));
  return last.getTime() - last.getUTCDay() * 86_400_000;
}
