import { createHash } from 'node:crypto';

/**
 * The cache key of an operation, from its text with its variables. A digest, so that long operations take no more room,
 * and because V8 hashes strings of 16,384 characters or more by their length alone: a caller could otherwise make each
 * lookup compare all keys of the same length.
 */
export function operationKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
