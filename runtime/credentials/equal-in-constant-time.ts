import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares a text from outside with a secret, in a time that reveals nothing about either. */
export function equalInConstantTime(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
