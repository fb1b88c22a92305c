import type { AreaLabels } from './areas.js';
import { createBoxGrid, isInside, type Place, type Point } from './geography.js';
import { foldName } from './place-names.js';
import type { Random } from './random.js';
import type { Town } from './towns.js';

/** Lookups of places for the generators. */
export interface Gazetteer {
  readonly labels: AreaLabels;
  readonly places: readonly Place[];
  readonly towns: readonly Town[];
  /** Codes of the départements and collectivities, in order. */
  readonly departements: readonly string[];
  placesOf(departement: string): readonly Place[];
  townsOf(departement: string): readonly Town[];
  /** A random town; large ones are more likely, but less than in proportion to their population. */
  pickTown(random: Random): Town;
  /** Current communes that have or had this name, whatever its spelling. */
  named(name: string): readonly Place[];
  /** Whether any commune has this postal code. */
  isPostalCode(code: string): boolean;
  /** Whether any commune's box, other than invented ones, contains the point. */
  isInKnownBox(point: Point): boolean;
  /** The nearest commune whose centre lies outside this one's box, in the same département if possible. */
  neighbourOf(place: Place): Place;
}

/** Creates a gazetteer of places and towns. */
export function createGazetteer({ places, towns, labels }: Pick<Gazetteer, 'places' | 'towns' | 'labels'>): Gazetteer {
  const byDepartement = grouped(places, (place) => [place.departement]);
  const townsByDepartement = grouped(towns, (town) => [town.place.departement]);
  const byName = grouped(places, foldedNames);
  const postalCodes = new Set(places.flatMap((place) => place.postaux));
  const pickTown = createTownPicker(towns);
  return {
    labels,
    places,
    towns,
    departements: [...byDepartement.keys()],
    placesOf: (departement) => byDepartement.get(departement) ?? [],
    townsOf: (departement) => townsByDepartement.get(departement) ?? [],
    pickTown,
    named: (name) => byName.get(foldName(name)) ?? [],
    isPostalCode: (code) => postalCodes.has(code),
    isInKnownBox: createBoxGrid(places),
    neighbourOf: (place) =>
      nearest(place, byDepartement.get(place.departement) ?? []) ?? nearest(place, places) ?? place,
  };
}

function foldedNames({ nom, formerNames }: Place): Iterable<string> {
  return formerNames.length === 0 ? [foldName(nom)] : new Set([nom, ...formerNames].map(foldName));
}

function grouped<T>(items: readonly T[], keysOf: (item: T) => Iterable<string>): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
}

/** Weighted by the square root of the population, so that neither Paris nor the villages dominate. */
function createTownPicker(towns: readonly Town[]): (random: Random) => Town {
  const ends: number[] = [];
  let total = 0;
  for (const town of towns) {
    total += Math.sqrt(town.population);
    ends.push(total);
  }
  return (random) => {
    const target = random.between(0, total);
    let low = 0;
    let high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? total) <= target) low = middle + 1;
      else high = middle;
    }
    const town = towns[low];
    if (town === undefined) throw new Error('There are no towns');
    return town;
  };
}

function nearest({ box, centre: [lon, lat] }: Place, others: readonly Place[]): Place | undefined {
  const shrink = Math.cos((lat * Math.PI) / 180);
  let best: Place | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const other of others) {
    const distance = ((other.centre[0] - lon) * shrink) ** 2 + (other.centre[1] - lat) ** 2;
    if (distance < bestDistance && !isInside(box, other.centre)) {
      best = other;
      bestDistance = distance;
    }
  }
  return best;
}
