import type { Era } from '../../server/types.js';

/**
 * Calling codes of Europe's zones 3 and 4, the only ones that the seed's service accepts (work-study 12.2.6, 12.2.11).
 */
const EUROPEAN = /^\+[34]/;

/**
 * Whether a phone number is accepted: French with a leading 0 or international, and not premium, pager, voicemail or
 * shared-cost (work-study 7.4). Contrary to the service's prose, the country is not checked today.
 */
function isTakenPhone(text: string, era: Era): boolean {
  const digits = text.replace(/[\s.\-()]/g, '').replace(/^00/, '+');
  const international = /^0\d{9}$/.test(digits) ? `+33${digits.slice(1)}` : digits;
  if (!/^\+[1-9]\d{6,14}$/.test(international)) return false;
  if (era === 'seed' && !EUROPEAN.test(international)) return false;
  // Of the French numbers starting with 8, only 80x are free; the others charge the caller.
  return !/^\+33(?:0|8[1-9])/.test(international) && (!international.startsWith('+33') || international.length === 12);
}

/** A message about an invalid e-mail address; undefined for a valid one. */
export function notEmail(text: string): string | undefined {
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text) ? undefined : 'Invalid email address';
}

/** A message about an invalid phone number; undefined for a valid one. */
export function notPhone(text: string, era: Era): string | undefined {
  return isTakenPhone(text, era) ? undefined : 'Invalid phone number';
}
