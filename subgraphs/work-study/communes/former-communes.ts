import type { OfficialRow } from './official-files.js';

/**
 * From each code that is no longer a commune's to the current commune: merged communes, delegated and associated
 * communes, municipal arrondissements. `current` holds today's codes; none of them is a key of the result.
 */
export function successorsOf(rows: readonly OfficialRow[], current: ReadonlySet<string>): Map<string, string> {
  const successors = new Map<string, string>();
  for (const row of rows) {
    for (const former of row.anciensCodes ?? []) {
      if (!current.has(former)) successors.set(former, row.code);
    }
  }
  // After the lists: where a commune's own row says otherwise, as for 55273 and 60455, it is the later statement.
  for (const row of rows) {
    const successor = row.chefLieu ?? row.commune;
    if (successor !== undefined && !current.has(row.code)) successors.set(row.code, successor);
  }
  return successors;
}
