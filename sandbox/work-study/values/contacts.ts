import type { Era } from '../../server/types.js';

/** Calling codes of Europe's zones 3 and 4, the only ones of the seed's service (work-study 12.2.6, 12.2.11). */
const EUROPEAN = /^\+[34]/;

/**
 * Whether a phone number is taken: French with a leading 0 or international, and not premium, pager, voicemail or
 * shared-cost (work-study 7.4). The country is not checked today, against the service's prose.
 */
function isTakenPhone(text: string, era: Era): boolean {
  const digits = text.replace(/[\s.\-()]/g, '').replace(/^00/, '+');
  const international = /^0\d{9}$/.test(digits) ? `+33${digits.slice(1)}` : digits;
  if (!/^\+[1-9]\d{6,14}$/.test(international)) return false;
  if (era === 'seed' && !EUROPEAN.test(international)) return false;
  // Of the French numbers in 8 only 80x are free of charge; the others cost the caller something.
  return !/^\+33(?:0|8[1-9])/.test(international) && (!international.startsWith('+33') || international.length === 12);
}

/** A complaint about an e-mail address; undefined for a good one. */
export function notEmail(text: string): string | undefined {
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text) ? undefined : 'Invalid email address';
}

/** A complaint about a phone number; undefined for a good one. */
export function notPhone(text: string, era: Era): string | undefined {
  return isTakenPhone(text, era) ? undefined : 'Invalid phone number';
}
