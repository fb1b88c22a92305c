import type { QueryResult } from './query-result.js';

/** The services that a response comes from, called now or earlier; null if it was not traced. */
export function servicesOf({ services, trace }: QueryResult): readonly string[] | null {
  return services ?? (trace === null ? null : [...new Set(trace.calls.map(({ service }) => service))]);
}
