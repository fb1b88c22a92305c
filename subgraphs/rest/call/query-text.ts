import type { UpstreamRequest } from './upstream.js';

/** The query as it is sent, including the question mark; empty without parameters. */
export function queryText(query: UpstreamRequest<unknown>['query'] = []): string {
  if (query.length === 0) return '';
  return `?${query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;
}
