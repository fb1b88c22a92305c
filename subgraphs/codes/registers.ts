/** Forms of the codes of registers: certifications, diplomas, occupations, companies, associations, establishments. */

/** Whether the text is a code of the certifications register: `RNCP` and three to five digits (work-study 12.2.1). */
export function isRncpCode(text: string): boolean {
  return /^RNCP\d{3,5}$/.test(text);
}

/** Whether the text is a diploma code (code formation diplôme): eight characters (work-study 12.2.1). */
export function isCfdCode(text: string): boolean {
  return /^[A-Z0-9]{3}\d{3}[A-Z0-9]{2}$/.test(text);
}

/** Whether the text is a ROME code as in offers: a capital letter and four digits (work-study 12.2.8). */
export function isRomeCode(text: string): boolean {
  return /^[A-Z]\d{4}$/.test(text);
}

/** A NAF code, or its beginning, as it is compared: `62.01z` is `6201Z`. */
export function readNaf(code: string): string {
  return code.replace(/[.\s]/g, '').toUpperCase();
}

/** SIREN of La Poste. Its establishments do not follow the checksum of all other SIRETs. */
const LA_POSTE = '356000000';

/**
 * Whether the text is a SIRET: 14 digits that pass the Luhn checksum. Establishments of La Poste pass when the sum
 * of their digits is a multiple of five (INSEE's exception); its head office follows the ordinary rule.
 */
export function isSiret(text: string): boolean {
  if (!/^\d{14}$/.test(text)) return false;
  return passesLuhn(text) || (text.startsWith(LA_POSTE) && digitSum(text) % 5 === 0);
}

/** Whether the text is a SIREN: 9 digits that pass the Luhn checksum. */
export function isSiren(text: string): boolean {
  return /^\d{9}$/.test(text) && passesLuhn(text);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function digitSum(digits: string): number {
  let sum = 0;
  for (const digit of digits) sum += Number(digit);
  return sum;
}

/**
 * Whether the text is a number of the Répertoire national des associations: `W`, the department and seven digits.
 * Corsican and overseas numbers have a letter in the department (`W2A…`, `W9R…`; volunteering 9, row `rna`).
 */
export function isRna(text: string): boolean {
  return /^W\d[\dA-Z]\d{7}$/.test(text);
}

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
