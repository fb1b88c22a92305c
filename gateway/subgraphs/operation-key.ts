import { createHash } from 'node:crypto';

/**
 * The key of what is stored for an operation, by its text with its variables: a digest, which takes no more room the
 * longer they are. And V8 hashes a text of 16,384 characters or more by its length alone, so that a caller could make
 * each look-up compare all that have the same length.
 */
export function operationKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
