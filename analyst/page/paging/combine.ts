import type { QueryResult } from '../responses/query-result.js';
import { servicesOf } from '../responses/services-of.js';

/**
 * Combines two results: the sums of times, bytes and calls, and the services of both, with the data and plan of the
 * second.
 */
export function combine(before: QueryResult, next: QueryResult): QueryResult {
  const ms = before.ms + next.ms;
  const bytes = before.bytes + next.bytes;
  if (before.trace === null || next.trace === null) return { ...next, ms, bytes };
  const [one, other] = [before.trace.totals, next.trace.totals];
  const totals = {
    callsMade: one.callsMade + other.callsMade,
    savedByCache: one.savedByCache + other.savedByCache,
    savedBySharing: one.savedBySharing + other.savedBySharing,
  };
  const services = [...new Set([before, next].flatMap((result) => servicesOf(result) ?? []))];
  return { ...next, ms, bytes, trace: { ...next.trace, totals }, services };
}
