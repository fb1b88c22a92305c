import { DEPARTMENTS, departmentByCode, REGIONS } from '../../codes/departments.js';
import { EPCIS, epciByCode } from '../../codes/epcis.js';
import { foldPlaceName } from '../../codes/places.js';
import type { PlaceKind } from '../__generated__/resolvers.js';
import { communeIndex } from './commune-index.js';
import { type KnownName, rankCommunes, rankingBy, type WrittenName } from './commune-names.js';

/** A place of any kind. */
export interface Place {
  readonly kind: PlaceKind;
  /** INSEE code, or SIREN of an EPCI. */
  readonly code: string;
  readonly nom: string;
  /** 0 where nobody lives. */
  readonly population: number;
}

/** A place larger than a commune, by all names that lead to it, folded. */
interface Area extends Place {
  readonly names: readonly string[];
}

/** Other names of régions and départements: in English, and by their usual letters. */
const OTHER_NAMES: Readonly<Record<'REGION' | 'DEPARTMENT', Readonly<Record<string, readonly string[]>>>> = {
  REGION: {
    '03': ['French Guiana'],
    '11': ['IDF', 'Paris Region'],
    '24': ['CVL', 'Centre-Loire Valley'],
    '27': ['BFC', 'Burgundy-Franche-Comté'],
    '28': ['Normandy'],
    '32': ['HDF'],
    '44': ['Great East'],
    '52': ['PDL', 'Loire Countries'],
    '53': ['Brittany'],
    '75': ['New Aquitaine'],
    '76': ['Occitania'],
    '84': ['AURA'],
    '93': ['PACA', 'Région Sud'],
    '94': ['Corsica'],
  },
  DEPARTMENT: {
    '2A': ['South Corsica', 'Southern Corsica'],
    '2B': ['Upper Corsica', 'Northern Corsica'],
    '973': ['French Guiana'],
    '975': ['Saint Pierre and Miquelon'],
    '984': ['French Southern and Antarctic Lands'],
    '986': ['Wallis and Futuna'],
    '987': ['French Polynesia'],
    '988': ['New Caledonia'],
  },
};

/** What an EPCI is, as it stands before its name. */
const KIND_OF_EPCI = /^(?:C[ACU]|Métropole|Eurométropole) (?:d'|de la |de l'|des |du |de )?/;

let inhabitants: ReadonlyMap<string, number> | undefined;

/** How many people live in a place, by the official lists; 0 where nobody does, and for an unknown code. */
export function inhabitantsOf(kind: PlaceKind, code: string): number {
  if (kind === 'COMMUNE') return communeIndex().byInsee.get(code)?.population ?? 0;
  if (kind === 'EPCI') return epciByCode(code)?.population ?? 0;
  inhabitants ??= countInhabitants();
  return inhabitants.get(`${kind} ${code}`) ?? 0;
}

/** Those of départements and régions are those of their communes. A collectivity is both. */
function countInhabitants(): Map<string, number> {
  const counted = new Map<string, number>();
  for (const { department, population } of communeIndex().byInsee.values())
    for (const key of [`DEPARTMENT ${department}`, `REGION ${departmentByCode(department)?.region ?? department}`])
      counted.set(key, (counted.get(key) ?? 0) + population);
  return counted;
}

let areas: readonly Area[] | undefined;

/** All places that are larger than a commune. */
function allAreas(): readonly Area[] {
  const area = (kind: PlaceKind, { code, nom }: Pick<Place, 'code' | 'nom'>, others: readonly string[] = []) => ({
    ...{ kind, code, nom, population: inhabitantsOf(kind, code) },
    names: [nom, ...others].map(foldPlaceName),
  });
  areas ??= [
    // Those of three digits are collectivities, which the list of départements has too.
    ...REGIONS.filter(({ code }) => code.length === 2).map((one) => area('REGION', one, OTHER_NAMES.REGION[one.code])),
    ...DEPARTMENTS.map((one) => area('DEPARTMENT', one, OTHER_NAMES.DEPARTMENT[one.code])),
    ...EPCIS.map((one) => area('EPCI', one, [one.nom.replace(KIND_OF_EPCI, '')])),
  ];
  return areas;
}

/** What is looked for. */
interface PlacesWanted {
  readonly text: string;
  readonly written: WrittenName;
  readonly kinds: readonly PlaceKind[];
  readonly limit: number;
}

/**
 * The places that a text may name, best match first: those that fit equally well are in the order of their inhabitants. A
 * text that says where it is means a commune.
 */
export function findPlaces(names: readonly KnownName[], { text, written, kinds, limit }: PlacesWanted): Place[] {
  const isWanted = (kind: PlaceKind) => kinds.length === 0 || kinds.includes(kind);
  // Those of a rank are in the order of their inhabitants; one may have several names that match.
  const ranked: Place[][] = (isWanted('COMMUNE') ? rankCommunes(names, written) : []).map((communes) =>
    [...new Set(communes)]
      .slice(0, limit)
      .map(({ insee, nom, population }) => ({ kind: 'COMMUNE', code: insee, nom, population })),
  );
  const coded = text.trim().toUpperCase();
  const rankOf = rankingBy(written.folded);
  for (const area of written.folded === foldPlaceName(text) ? allAreas() : []) {
    if (!isWanted(area.kind)) continue;
    const ranks = area.names.flatMap((name) => rankOf(name, area.nom) ?? []);
    if (area.code === coded && area.kind !== 'REGION') ranks.push(0);
    if (ranks.length === 0) continue;
    const rank = Math.min(...ranks);
    ranked[rank] ??= [];
    ranked[rank].push(area);
  }
  const largestFirst = ranked.flatMap((some) => some.sort((one, other) => other.population - one.population));
  return [...new Map(largestFirst.map((place) => [`${place.kind} ${place.code}`, place])).values()].slice(0, limit);
}
