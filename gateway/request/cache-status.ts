import type { Staleness, StaleReason } from '../../schema/trace.js';

/** The more serious first: what is only being renewed is nearly fresh. */
const BY_WEIGHT: readonly StaleReason[] = ['OUTAGE', 'QUOTA', 'SLOW', 'REVALIDATING'];

/**
 * What every answer says that was made from something no longer fresh, whether or not its caller may see the trace
 * (RFC 9211): `ttl` is how long it is past its time, in seconds below zero, `detail` why it was served nevertheless.
 */
export function cacheStatus({ reason, staleSeconds }: Staleness): string {
  return `passerelle; hit; ttl=${-staleSeconds}; detail=${reason}`;
}

/** The more serious of two, of equals the older: one answer has one `Cache-Status`. */
export function worseStaleness(one: Staleness | null, other: Staleness): Staleness {
  if (one === null) return other;
  const byWeight = BY_WEIGHT.indexOf(one.reason) - BY_WEIGHT.indexOf(other.reason);
  if (byWeight !== 0) return byWeight < 0 ? one : other;
  return one.staleSeconds >= other.staleSeconds ? one : other;
}
