import { academieOf } from './academies.js';
import type { Place } from './geography.js';
import type { OfficialArea, OfficialGeography } from './official-geography.js';
import type { Json } from './types.js';

/** The Departement records (work-study 9.10), the overseas collectivities among them (work-study 7.15). */
export function createDepartements({ departements, regions }: OfficialGeography): Json[] {
  const regionNames = new Map(regions.map((region) => [region.code, region.nom]));
  return departements.map(({ code, nom, region = code }: OfficialArea) => ({
    nom,
    codeInsee: code,
    region: { codeInsee: region, nom: regionNames.get(region) },
    academie: academieOf(code),
  }));
}

/** The Commune records (work-study 9.9), each with its mission locale or null. */
export function createCommunes(
  places: readonly Place[],
  departements: readonly Json[],
  missionLocaleOf: ReadonlyMap<string, Json>,
): Json[] {
  const areas = new Map(
    departements.map(({ nom, codeInsee, region, academie }) => [
      codeInsee,
      { departement: { nom, codeInsee }, region, academie },
    ]),
  );
  return places.map((place) => ({
    nom: place.nom,
    code: { insee: place.insee, postaux: place.postaux },
    anciennes: place.anciennes,
    arrondissements: place.arrondissements,
    ...areas.get(place.departement),
    localisation: { centre: { type: 'Point', coordinates: place.centre }, bbox: polygonOf(place) },
    mission_locale: missionLocaleOf.get(place.insee) ?? null,
  }));
}

/** One closed ring of five positions, from the south-west against the clock (work-study 8.1). */
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
