import { createHash } from 'node:crypto';

/** Separates what is stored for different addresses of a service, without naming the addresses: 12 hex digits. */
export function addressHash(baseUrl: string): string {
  return createHash('sha256').update(baseUrl).digest('hex').slice(0, 12);
}
