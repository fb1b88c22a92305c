/** The three communes with arrondissements of their own, which have INSEE codes but are no communes. */
const CITIES_WITH_ARRONDISSEMENTS = [
  { commune: '75056', first: 75101, last: 75120 },
  { commune: '69123', first: 69381, last: 69389 },
  { commune: '13055', first: 13201, last: 13216 },
] as const;

/** Whether the text has the form of an INSEE code: five characters, in Corsica with `2A` or `2B` in front. */
export function isInseeCode(text: string): boolean {
  return /^(?:\d\d|2A|2B)\d{3}$/.test(text);
}

/** The department of an INSEE code: two characters, three overseas (`971`, `988`). */
export function departmentOfInsee(insee: string): string {
  return /^9[78]/.test(insee) ? insee.slice(0, 3) : insee.slice(0, 2);
}

/**
 * The commune that a municipal arrondissement is part of: 75056 Paris, 69123 Lyon or 13055 Marseille.
 * Null for every other code.
 */
export function communeOfArrondissement(insee: string): string | null {
  if (!/^\d{5}$/.test(insee)) return null;
  const code = Number(insee);
  return CITIES_WITH_ARRONDISSEMENTS.find(({ first, last }) => first <= code && code <= last)?.commune ?? null;
}
