import type { OfficialGeography } from './official-geography.js';

/** The volunteering service's internal table of départements: its labels are not quite the official ones. */
export interface AreaLabels {
  /** Undefined for a code that the table doesn't know, such as Corsica's `20`. */
  departement(code: string): string | undefined;
  /** Name of the region that a département lies in. */
  regionOf(departement: string): string | undefined;
}

export function createAreaLabels({ departements, regions }: OfficialGeography): AreaLabels {
  const regionNames = new Map(regions.map(({ code, nom }) => [code, nom]));
  const labels = new Map(departements.map(({ code, nom }) => [code, oddLabels[code] ?? nom]));
  const regionOf = new Map(departements.map(({ code, region = code }) => [code, regionNames.get(region)]));
  return { departement: (code) => labels.get(code), regionOf: (code) => regionOf.get(code) };
}

/** Volunteering 8, row "Department labels ≠ official". */
const oddLabels: Readonly<Record<string, string>> = {
  '22': "Côtes d'Armor",
  '93': 'Seine-St-Denis',
  '95': "Val-D'Oise",
};
