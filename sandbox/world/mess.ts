import type { Gazetteer } from './gazetteer.js';
import { isInside } from './geography.js';
import { foldName } from './place-names.js';
import { createEvenChance, type Random, weighted } from './random.js';
import { createSiteDrawer, type Site, siteAround } from './sites.js';
import type { Town } from './towns.js';

/** What may be wrong with a mission's address, as in real data; the weights below say how often. */
export type Mess =
  | 'no-postal-code'
  | 'no-point'
  | 'neighbour-point'
  | 'swapped-axes'
  | 'former-name'
  | 'cedex'
  | 'upper-case'
  | 'arrondissement'
  /** No address at all, or one with only a country. */
  | 'no-address'
  | 'no-city'
  | 'foreign'
  /** The two sources of geography disagree: the town's centre lies outside its commune's box. */
  | 'stray-town';

/** Where a mission is, and what will be wrong with its address; without a site, it has no place in France. */
export interface MessyPlace {
  readonly site: Site | null;
  readonly mess: ReadonlySet<Mess>;
}

/**
 * Draws places for missions with their mess. A neighbour's point always comes with an ordinary postal code and name:
 * otherwise nothing in the record would show that it is wrong.
 */
export function createMessDrawer(gazetteer: Gazetteer, random: Random): () => MessyPlace {
  const drawSite = createSiteDrawer(gazetteer, random);
  const sites = createSpecialSites(gazetteer, random);
  const chances = [2, 3, 5, 7].map((prime) => createEvenChance(Math.sqrt(prime)));
  return () => {
    const [forKind = 0, forEvidence = 0, forName = 0, forCase = 0] = chances.map((next) => next());
    const kind = weighted(kinds, forKind);
    if (kind !== null) return { site: null, mess: new Set([kind]) };
    const evidence = weighted(evidenceMess, forEvidence);
    const mess = new Set<Mess>(evidence);
    const name = mess.has('no-city') ? null : weighted(nameMess, forName);
    if (name !== null) mess.add(name);
    if (!mess.has('no-city') && forCase < 0.1 / 0.965) mess.add('upper-case');
    const site = name === null ? drawSite() : sites[name]();
    if (!isInside(site.place.box, site.point)) {
      // Such a point is as wrong as a neighbour's.
      mess.add('stray-town');
      for (const missing of ['no-postal-code', 'no-city'] as const) mess.delete(missing);
    }
    return { site, mess };
  };
}

/** In hundredths of all missions. */
const kinds: readonly (readonly [number, Mess | null])[] = [
  [2, 'no-address'],
  [0.5, 'foreign'],
  [97.5, null],
];

/** What is missing or wrong apart from the name; the two most frequent gaps also occur together. */
const evidenceMess: readonly (readonly [number, readonly Mess[]])[] = [
  [7.6, ['no-postal-code']],
  [4.6, ['no-point']],
  [0.4, ['no-postal-code', 'no-point']],
  [3, ['neighbour-point']],
  [1, ['swapped-axes']],
  [1, ['no-city']],
  [79.9, []],
];

type NameMess = 'former-name' | 'cedex' | 'arrondissement';

const nameMess: readonly (readonly [number, NameMess | null])[] = [
  [4, 'former-name'],
  [3, 'cedex'],
  [2, 'arrondissement'],
  [87.5, null],
];

/** Sites in towns to which each kind of spelling applies. */
function createSpecialSites(gazetteer: Gazetteer, random: Random): Record<NameMess, () => Site> {
  const { towns } = gazetteer;
  const around = (choices: readonly Town[]) => () => siteAround(random.pick(choices), random);
  return {
    'former-name': around(towns.filter(({ place }) => usableFormerNames(place, gazetteer).length > 0)),
    cedex: around(towns.filter(({ population }) => population >= 10_000)),
    arrondissement: around(towns.filter(({ place }) => place.arrondissements.length > 0)),
  };
}

/**
 * Former names that people still use for the commune, except those that another commune of the département has today:
 * they would simply mean that commune.
 */
export function usableFormerNames(place: Site['place'], gazetteer: Gazetteer): readonly string[] {
  return place.formerNames.filter((name) => {
    const folded = foldName(name);
    return !gazetteer
      .named(name)
      .some((other) => other.departement === place.departement && foldName(other.nom) === folded);
  });
}
