import { isInside, type Place } from './geography.js';
import { type GeoNamesCity, overseasKey, overseasKeyOfCity } from './geonames-file.js';

/** The centre of a town, from a source that is independent of the communes' boxes. */
export interface Town {
  /** The current commune that it lies in. */
  readonly place: Place;
  /** Longitude, latitude. */
  readonly point: readonly [lon: number, lat: number];
  readonly population: number;
  /** Name of the former commune whose centre this is; null for the centre of the commune itself. */
  readonly formerName: string | null;
  /** Whether the point is outside the commune's box: the two sources disagree on about one in two hundred. */
  readonly isStray: boolean;
}

/** All towns of 1,000 inhabitants or more whose commune is known, largest first. */
export function createTowns(places: readonly Place[], cities: readonly GeoNamesCity[]): Town[] {
  const seats = indexSeats(places);
  const towns: Town[] = [];
  for (const city of cities) {
    const seat = seats.get(overseasKeyOfCity(city) ?? codeOf(city));
    if (seat === undefined) continue;
    const { point, population } = city;
    towns.push({ ...seat, point, population, isStray: !isInside(seat.place.box, point) });
  }
  return towns.sort((a, b) => b.population - a.population);
}

/** Paris is the one metropolitan row without a code. */
function codeOf({ inseeCode, country, name }: GeoNamesCity): string {
  return inseeCode === '' && country === 'FR' && name === 'Paris' ? '75056' : inseeCode;
}

/** Communes by their code, by the codes of communes merged into them, and by name where GeoNames has no codes. */
function indexSeats(places: readonly Place[]) {
  const seats = new Map<string, Pick<Town, 'place' | 'formerName'>>();
  for (const place of places) {
    seats.set(overseasKey(place.departement, place.nom) ?? place.insee, { place, formerName: null });
    for (const { codeInsee, nom } of place.anciennes) seats.set(codeInsee, { place, formerName: nom });
  }
  return seats;
}
