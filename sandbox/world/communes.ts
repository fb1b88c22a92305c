import type { Area } from './areas.js';
import type { Place } from './geography.js';
import type { Json } from './types.js';

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
