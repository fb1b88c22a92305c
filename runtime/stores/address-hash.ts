import { createHash } from 'node:crypto';

/** 12 hex digits that separate what is stored for different addresses of a service, without naming the addresses. */
export function addressHash(baseUrl: string): string {
  return createHash('sha256').update(baseUrl).digest('hex').slice(0, 12);
}
