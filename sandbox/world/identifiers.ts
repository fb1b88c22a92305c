import { at, type Random } from './random.js';

/** A random (version 4) UUID, the form of today's mission ids (volunteering 0). */
export function uuid(random: Random): string {
  const hex = random.hex(32);
  const variant = '89ab'[random.int(4)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/**
 * A number of the Répertoire national des associations: `W`, the département and seven digits, ten characters in all.
 * Corsica (`W2A…`) and overseas carry letters (volunteering 9, row `rna`).
 */
export function rna(departement: string, random: Random): string {
  const prefix = overseasPrefixes[departement] ?? departement.slice(0, 2);
  return `W${prefix}${1 + random.int(4)}${random.digits(6)}`;
}

const overseasPrefixes: Readonly<Record<string, string>> = {
  '971': '9G',
  '972': '9M',
  '973': '9C',
  '974': '9R',
  '975': '9S',
  '976': '9Y',
  '977': '9B',
  '978': '9F',
  '984': '9T',
  '986': '9W',
  '987': '9P',
  '988': '9N',
  '989': '9P',
};

/** The number of a school: seven digits, of which three for the département, and a check letter. */
export function uai(departement: string, random: Random): string {
  const digits = `${uaiDepartement(departement)}${random.digits(4)}`;
  return digits + at([...'ABCDEFGHJKLMNPRSTUVWXYZ'], Number(digits) % 23);
}

/** Three digits; Corsica counts as 620 and 720. */
function uaiDepartement(departement: string): string {
  if (departement === '2A') return '620';
  if (departement === '2B') return '720';
  return departement.padStart(3, '0');
}
