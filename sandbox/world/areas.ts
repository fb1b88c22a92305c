import type { Place } from './geography.js';
import type { OfficialGeography } from './official-geography.js';
import type { Json } from './types.js';

/** A département or overseas collectivity, which counts as one (work-study 7.15). */
export interface Area {
  readonly code: string;
  readonly nom: string;
  readonly region: { readonly codeInsee: string; readonly nom: string };
  readonly academie: Academie;
}

/** All areas by code, in the order of the package: metropolitan first, then overseas. */
export function createAreas({ departements, regions }: OfficialGeography): ReadonlyMap<string, Area> {
  const regionNames = new Map(regions.map(({ code, nom }) => [code, nom]));
  return new Map(
    departements.map(({ code, nom, region = code }) => [
      code,
      { code, nom, region: { codeInsee: region, nom: regionNames.get(region) ?? nom }, academie: academieOf(code) },
    ]),
  );
}

/** An académie as the work-study service writes it (work-study 9.9, 9.10). */
export interface Academie {
  readonly id: string;
  readonly code: string;
  readonly nom: string;
}

/**
 * The académie of a département or overseas collectivity. The codes are those of the ministry's nomenclature, except
 * where the example of work-study 9.10 gives a collectivity its own code (975) or another's (989).
 */
function academieOf(departement: string): Academie {
  const academie = byDepartement.get(departement);
  if (academie === undefined) throw new Error(`No académie is known for the département ${departement}`);
  return academie;
}

const table: readonly (readonly [code: string, nom: string, departements: string])[] = [
  ['01', 'Paris', '75'],
  ['02', 'Aix-Marseille', '04 05 13 84'],
  ['03', 'Besançon', '25 39 70 90'],
  ['04', 'Bordeaux', '24 33 40 47 64'],
  ['06', 'Clermont-Ferrand', '03 15 43 63'],
  ['07', 'Dijon', '21 58 71 89'],
  ['08', 'Grenoble', '07 26 38 73 74'],
  ['09', 'Lille', '59 62'],
  ['10', 'Lyon', '01 42 69'],
  ['11', 'Montpellier', '11 30 34 48 66'],
  ['12', 'Nancy-Metz', '54 55 57 88'],
  ['13', 'Poitiers', '16 17 79 86'],
  ['14', 'Rennes', '22 29 35 56'],
  ['15', 'Strasbourg', '67 68'],
  ['16', 'Toulouse', '09 12 31 32 46 65 81 82'],
  ['17', 'Nantes', '44 49 53 72 85'],
  ['18', 'Orléans-Tours', '18 28 36 37 41 45'],
  ['19', 'Reims', '08 10 51 52'],
  ['20', 'Amiens', '02 60 80'],
  ['22', 'Limoges', '19 23 87'],
  ['23', 'Nice', '06 83'],
  ['24', 'Créteil', '77 93 94'],
  ['25', 'Versailles', '78 91 92 95'],
  ['27', 'Corse', '2A 2B'],
  ['28', 'La Réunion', '974 984'],
  ['31', 'Martinique', '972'],
  ['32', 'Guadeloupe', '971 977 978'],
  ['33', 'Guyane', '973'],
  ['40', 'Nouvelle-Calédonie', '988'],
  ['41', 'Polynésie Française', '987 989'],
  ['42', 'Wallis et Futuna', '986'],
  ['43', 'Mayotte', '976'],
  ['44', 'Saint-Pierre-et-Miquelon', '975'],
  ['70', 'Normandie', '14 27 50 61 76'],
];

const byDepartement: ReadonlyMap<string, Academie> = new Map(
  table.flatMap(([code, nom, departements]) => {
    const academie: Academie = { id: `A${code}`, code, nom };
    return departements.split(' ').map((departement) => [departement, academie] as const);
  }),
);

/** The Departement records (work-study 9.10). */
export function createDepartements(areas: ReadonlyMap<string, Area>): Json[] {
  return [...areas.values()].map(({ code, nom, region, academie }) => ({ nom, codeInsee: code, region, academie }));
}

/** The Commune records (work-study 9.9), each with its mission locale or null. */
export function createCommunes(
  places: readonly Place[],
  areas: ReadonlyMap<string, Area>,
  missionLocaleOf: ReadonlyMap<string, Json>,
): Json[] {
  const shared = new Map(
    [...areas.values()].map(({ code, nom, region, academie }) => [
      code,
      { departement: { nom, codeInsee: code }, region, academie },
    ]),
  );
  return places.map((place) => ({
    nom: place.nom,
    code: { insee: place.insee, postaux: place.postaux },
    anciennes: place.anciennes,
    arrondissements: place.arrondissements,
    ...shared.get(place.departement),
    localisation: { centre: { type: 'Point', coordinates: place.centre }, bbox: polygonOf(place) },
    mission_locale: missionLocaleOf.get(place.insee) ?? null,
  }));
}

/** One closed ring of five positions, counterclockwise from the south-west (work-study 8.1). */
function polygonOf({ box: [west, south, east, north] }: Place) {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}

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
