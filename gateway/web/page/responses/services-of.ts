import type { QueryResult } from './query-result.js';

/** The services that a response is from, called now or before; null where nothing is traced. */
export function servicesOf({ services, trace }: QueryResult): readonly string[] | null {
  return services ?? (trace === null ? null : [...new Set(trace.calls.map(({ service }) => service))]);
}
