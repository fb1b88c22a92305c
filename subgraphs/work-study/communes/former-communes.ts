import type { OfficialRow } from './official-files.js';

/**
 * Maps each code that is not a current commune's (merged, delegated and associated communes, municipal arrondissements)
 * to the code of the current commune. `current` holds today's codes, none of which is a key of the result.
 */
export function successorsOf(rows: readonly OfficialRow[], current: ReadonlySet<string>): Map<string, string> {
  const successors = new Map<string, string>();
  for (const row of rows) {
    for (const former of row.anciensCodes ?? []) {
      if (!current.has(former)) successors.set(former, row.code);
    }
  }
  // After the lists, because a commune's own row is the later statement where they differ, as for 55273 and 60455.
  for (const row of rows) {
    const successor = row.chefLieu ?? row.commune;
    if (successor !== undefined && !current.has(row.code)) successors.set(row.code, successor);
  }
  return successors;
}
