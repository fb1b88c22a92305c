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
