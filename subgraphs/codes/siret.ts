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
