import type { Staleness, StaleReason } from '../../kernel/trace.js';

/** Most serious first: a value that is merely being revalidated is nearly fresh. */
const BY_SEVERITY: readonly StaleReason[] = ['OUTAGE', 'QUOTA', 'SLOW', 'REVALIDATING'];

/**
 * The `Cache-Status` header (RFC 9211) of a response made from stale data: `ttl` is its age beyond freshness in
 * negative seconds, `detail` the reason why it was served.
 */
export function cacheStatus({ reason, staleSeconds }: Staleness): string {
  return `passerelle; hit; ttl=${-staleSeconds}; detail=${reason}`;
}

/** The more serious of two, or the older if equally serious: a response has one `Cache-Status`. */
export function worseStaleness(one: Staleness | null, other: Staleness): Staleness {
  if (one === null) return other;
  const bySeverity = BY_SEVERITY.indexOf(one.reason) - BY_SEVERITY.indexOf(other.reason);
  if (bySeverity !== 0) return bySeverity < 0 ? one : other;
  return one.staleSeconds >= other.staleSeconds ? one : other;
}
