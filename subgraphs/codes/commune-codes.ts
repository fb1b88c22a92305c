/** INSEE and postal codes, and the départements that they say. */

import { MOVED_CODES } from './moved-codes.js';

/** Whether the text has the form of an INSEE code: five digits, the first two in Corsica being `2A` or `2B`. */
export function isInseeCode(text: string): boolean {
  return /^(?:\d\d|2A|2B)\d{3}$/.test(text);
}

const moved = new Map(
  MOVED_CODES.flatMap(([departement, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, departement] as const),
  ),
);

/**
 * Today's département of an INSEE code: its first two characters, three overseas. For a former code, that of the
 * current commune: `75051`, Neuilly-sur-Seine's until 1967, is in 92. Null for text that is not an INSEE code.
 */
export function departmentOfInsee(code: string): string | null {
  if (!isInseeCode(code)) return null;
  return moved.get(code) ?? code.slice(0, /^9[78]/.test(code) ? 3 : 2);
}

/** Whether the text has the form of a French postal code: five digits. */
export function isPostalCode(text: string): boolean {
  return /^\d{5}$/.test(text);
}

/**
 * The five-digit numbers in an address, the last one first, because the postal code of a French address comes after the
 * street. `12 rue de la Paix 75002 Paris` gives `75002`.
 */
export function postalCodesIn(address: string): string[] {
  return (address.match(/(?<!\d)\d{5}(?!\d)/g) ?? []).reverse();
}

/**
 * The department of a postal code as the services see it: its first two digits, three overseas; in Corsica 200 and 201
 * are `2A`, 202 and 206 are `2B` (work-study 7.1). Null for any other Corsican code.
 */
export function departmentOfPostalCode(postalCode: string): string | null {
  if (postalCode.startsWith('20')) return CORSICA[postalCode.slice(0, 3)] ?? null;
  return /^9[78]/.test(postalCode) ? postalCode.slice(0, 3) : postalCode.slice(0, 2);
}

const CORSICA: Readonly<Record<string, string>> = { '200': '2A', '201': '2A', '202': '2B', '206': '2B' };
