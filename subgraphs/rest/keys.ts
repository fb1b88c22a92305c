import { createHash } from 'node:crypto';
import { oncePerObject } from '../../kernel/caches.js';
import type { Credential } from '../../kernel/operation.js';
import { noAddress } from './failures.js';
import { type KeyOf, queryText, type UpstreamRequest } from './upstream.js';

/** The key that a call carries, the operator's or the caller's own as the request says; null for none. */
export function keyFor(key: KeyOf, own: Credential | null, operators: Credential | null): Credential | null {
  if (key === 'none') return null;
  if (key === 'operator') return operators;
  return key === 'caller' ? own : (own ?? operators);
}

/** Whose responses a call may share: everybody's, those of its key, or those of calls without a key. */
export function partitionOf(key: KeyOf, credential: Credential | null): string {
  return key === 'operator' ? 'shared' : (credential?.fingerprint ?? 'none');
}

/** Longest identity that is used verbatim. Longer ones are hashed, because every map of responses is keyed by them. */
const MAX_IDENTITY_LENGTH = 256;

/**
 * Longest query string in bytes, including the question mark: servers on the way refuse URLs much longer than this.
 */
const MAX_QUERY_BYTES = 8192;

/**
 * Equal for calls that may share one response: the order of parameters does not count, except among values of the same
 * name. Throws a CodedError for a request that has no address.
 */
export function identityIn(partition: string, request: UpstreamRequest<unknown>): string {
  return `${partition} ${identityOf(request)}`;
}

/** The same for all partitions. */
const identityOf = oncePerObject((request: UpstreamRequest<unknown>): string => {
  const query = [...(request.query ?? [])].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const digest = request.digest === undefined ? '' : ` ${request.digest.name}`;
  const identity = `${request.method} ${request.path}${sendable(query)}${digest}`;
  const isLong = identity.length > MAX_IDENTITY_LENGTH;
  return isLong ? createHash('sha256').update(identity).digest('base64url') : identity;
});

/**
 * The query as text. Half a surrogate pair cannot be encoded, and a NUL is an error in every database behind a route.
 */
function sendable(query: readonly (readonly [name: string, value: string])[]): string {
  let text: string;
  try {
    text = queryText(query);
  } catch {
    throw noAddress('hold text that is not Unicode');
  }
  if (text.length > MAX_QUERY_BYTES) throw noAddress(`make a URL of more than ${MAX_QUERY_BYTES} bytes: request less`);
  if (text.includes('%00')) throw noAddress('hold a NUL character');
  return text;
}
