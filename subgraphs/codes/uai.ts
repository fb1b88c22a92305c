/** Check letters by remainder; I, O and Q are left out because they look like digits. */
const LETTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ';

/**
 * Whether the text is a UAI, the code of an establishment: up to seven digits, which the service pads with zeros, and
 * their check letter in upper or lower case (work-study 7.12).
 */
export function isUai(text: string): boolean {
  if (!/^\d{1,7}[a-z]$/i.test(text)) return false;
  return LETTERS[Number(text.slice(0, -1)) % LETTERS.length] === text.slice(-1).toUpperCase();
}
