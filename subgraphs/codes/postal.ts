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
