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

/** Generates SIREN and SIRET numbers that pass the checksum, each SIREN once. */
export interface SiretMaker {
  /** Nine digits with a Luhn check. */
  siren(): string;
  /** Fourteen digits: the SIREN, an establishment number, and a check over all of them. */
  siretOf(siren: string): string;
}

/** La Poste's SIREN. Its SIRETs have a rule of their own: the sum of the digits is a multiple of five (INSEE). */
export const laPosteSiren = '356000000';

/** Creates a generator of SIREN and SIRET numbers, each used once. */
export function createSiretMaker(random: Random): SiretMaker {
  const used = new Set<string>();
  const unused = (make: () => string) => {
    let number = make();
    while (used.has(number)) number = make();
    used.add(number);
    return number;
  };
  return {
    siren: () => unused(() => withLuhnDigit(`${3 + random.int(6)}${random.digits(7)}`)),
    siretOf: (siren) =>
      unused(() => {
        const establishment = `${siren}00${random.digits(2)}`;
        return siren === laPosteSiren ? withMultipleOfFive(establishment) : withLuhnDigit(establishment);
      }),
  };
}

/** The digits followed by one that makes the Luhn sum of all a multiple of ten. */
function withLuhnDigit(digits: string): string {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    // Counted from the right, the check digit comes first, so digits at even indexes here are doubled.
    const doubled = i % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits + ((10 - (sum % 10)) % 10);
}

function withMultipleOfFive(digits: string): string {
  const sum = [...digits].reduce((total, digit) => total + Number(digit), 0);
  return digits + ((5 - (sum % 5)) % 5);
}

/** A SIRET that follows from a number below ten million; SIRENs that begin with 1, 2 and 9 are drawn nowhere else. */
export function numberedSiret(first: string, number: number, establishment = 1): string {
  const siren = withLuhnDigit(`${first}${String(number).padStart(7, '0')}`);
  return withLuhnDigit(`${siren}${String(establishment).padStart(4, '0')}`);
}

/** The number from which such a SIRET or SIREN was made. */
export function numberOfSiret(code: string): number {
  return Number(code.slice(1, 8));
}
