/**
 * Whether the text is a number of the Répertoire national des associations: `W`, the department and seven digits.
 * Corsican and overseas numbers have a letter in the department (`W2A…`, `W9R…`; volunteering 9, row `rna`).
 */
export function isRna(text: string): boolean {
  return /^W\d[\dA-Z]\d{7}$/.test(text);
}
