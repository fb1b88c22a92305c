import type { Random } from './random.js';

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
