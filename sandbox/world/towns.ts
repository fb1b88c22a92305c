import { isInside } from './box-grid.js';
import type { Place } from './geography.js';
import type { GeoNamesCity } from './geonames-file.js';
import type { OfficialGeography } from './official-geography.js';
import { foldName } from './place-names.js';

/** The centre of a town, from a source that does not know the boxes of the communes. */
export interface Town {
  /** The current commune that it lies in. */
  readonly place: Place;
  /** Longitude, latitude. */
  readonly point: readonly [lon: number, lat: number];
  readonly population: number;
  /** Name of the former commune whose centre this is; null for the centre of the commune itself. */
  readonly formerName: string | null;
  /** Whether the commune's box does not contain it: about one in two hundred, the two sources disagree. */
  readonly isStray: boolean;
}

/** All towns of 1,000 inhabitants and more whose commune is known, the largest first. */
export function createTowns(places: readonly Place[], { cities }: OfficialGeography): Town[] {
  const byCode = new Map(places.map((place) => [place.insee, { place, formerName: null as string | null }]));
  for (const place of places) {
    for (const { codeInsee, nom } of place.anciennes) byCode.set(codeInsee, { place, formerName: nom });
  }
  const overseas = new Map<string, Place>();
  for (const place of places) {
    if (overseasCountries.has(place.departement)) overseas.set(`${place.departement} ${foldName(place.nom)}`, place);
  }
  const towns: Town[] = [];
  for (const city of cities) {
    const found = city.inseeCode === '' ? placeWithoutCode(city, byCode, overseas) : byCode.get(city.inseeCode);
    if (found === undefined) continue;
    const { place, formerName } = found;
    const { point, population } = city;
    towns.push({ place, formerName, point, population, isStray: !isInside(place.box, point) });
  }
  return towns.sort((a, b) => b.population - a.population || (a.place.insee < b.place.insee ? -1 : 1));
}

/** Departments whose GeoNames rows carry no INSEE code, by the country that GeoNames puts them in. */
const departementOfCountry: Readonly<Record<string, string>> = {
  PM: '975',
  YT: '976',
  BL: '977',
  MF: '978',
  WF: '986',
  PF: '987',
  NC: '988',
};

const overseasCountries: ReadonlySet<string> = new Set(Object.values(departementOfCountry));

function placeWithoutCode<T>(city: GeoNamesCity, byCode: ReadonlyMap<string, T>, overseas: ReadonlyMap<string, Place>) {
  // Paris is the one metropolitan row without a code.
  if (city.country === 'FR') return city.name === 'Paris' ? byCode.get('75056') : undefined;
  const departement = departementOfCountry[city.country];
  if (departement === undefined) return undefined;
  const place = overseas.get(`${departement} ${foldName(city.name)}`);
  return place === undefined ? undefined : { place, formerName: null };
}
