import type { Area } from './areas.js';

/** The volunteering service's internal table of départements. */
export interface AreaLabels {
  /** Undefined for a code that the table doesn't know, such as Corsica's `20`. */
  departement(code: string): string | undefined;
  /** Name of the region of a département. */
  regionOf(departement: string): string | undefined;
}

/** Creates the table; some of its labels differ from the official ones. */
export function createAreaLabels(areas: ReadonlyMap<string, Area>): AreaLabels {
  return {
    departement: (code) => oddLabels[code] ?? areas.get(code)?.nom,
    regionOf: (code) => areas.get(code)?.region.nom,
  };
}

/** Volunteering 8, row "Department labels ≠ official". */
const oddLabels: Readonly<Record<string, string>> = {
  '22': "Côtes d'Armor",
  '93': 'Seine-St-Denis',
  '95': "Val-D'Oise",
  '986': 'Wallis-et-Futuna',
  '989': 'Clipperton',
};
