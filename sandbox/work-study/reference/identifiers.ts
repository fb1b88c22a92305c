/** SIREN of La Poste, whose establishments have a check of their own instead of Luhn's (work-study 7.4). */
const LA_POSTE = '356000000';

/**
 * Whether a text is a valid SIRET: fourteen digits with a Luhn check, or for La Poste a digit sum divisible by five.
 */
export function hasLuhnSiret(siret: string): boolean {
  if (!/^\d{14}$/.test(siret) || /^0+$/.test(siret)) return false;
  const digits = [...siret].map(Number);
  if (siret.startsWith(LA_POSTE) && digits.reduce((sum, digit) => sum + digit, 0) % 5 === 0) return true;
  const doubled = digits.map((digit, i) => (i % 2 === 0 ? digit * 2 : digit));
  return doubled.reduce((sum, digit) => sum + (digit > 9 ? digit - 9 : digit), 0) % 10 === 0;
}

/** The alphabet of a UAI's check letter, without I, O and Q. */
const UAI_LETTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ';

/** Whether the letter of an eight-character UAI matches its seven digits. */
export function hasUaiLetter(uai: string): boolean {
  return UAI_LETTERS[Number(uai.slice(0, 7)) % UAI_LETTERS.length] === uai[7];
}
