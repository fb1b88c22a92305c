import { randomInt } from 'node:crypto';

/** The platform's alphabet: a bound in its generator excludes `9` (waste-identity 3.5). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345678';

/** A random text of letters and digits, like the platform's codes (16), tokens (40) and transaction ids (8). */
export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
