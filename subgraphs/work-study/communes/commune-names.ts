import { ownValue } from '../../../kernel/text.js';
import {
  DEPARTMENTS,
  type Department,
  departmentByCode,
  departmentByName,
  departmentMeant,
  REGIONS,
} from '../../codes/departments.js';
import { EPCIS, epciByCode } from '../../codes/epcis.js';
import { officialCommunes } from '../../codes/official-communes.js';
import {
  cityOfArrondissement,
  departmentOfPostalCode,
  foldPlaceName,
  isPostalCode,
  wordsOfPlaceName,
} from '../../codes/places.js';
import { badUserInput } from '../../graph/arguments.js';
import type { PlaceKind } from '../__generated__/resolvers.js';
import { communeIndex, type IndexedCommune } from './commune-index.js';

let largest: readonly IndexedCommune[] | undefined;

/** All current communes, the largest first, then by INSEE code: sorted once per process. */
export function communeNames(): readonly IndexedCommune[] {
  largest ??= [...communeIndex().byInsee.values()].sort(largestFirst);
  return largest;
}

/**
 * The current communes that a text may name, best match first: by name, former name, name without the article, prefix
 * of a name, whole words, prefixes of words; among equals by size, then INSEE code. Only communes that are where the
 * text says, at most `limit`. For a postal code without a name, the communes that have it, the largest first; none for
 * a text with neither. Throws `BAD_USER_INPUT` if none is found and the text in brackets is not a département.
 */
export function findCommunesByName(written: WrittenName, limit: number): IndexedCommune[] {
  const found = [...new Set(rankCommunes(written).flat())].slice(0, limit);
  if (found.length === 0 && written.unread !== null) throw unreadBrackets(written.unread);
  return found;
}

/** The communes that a text may name, by their rank: those that fit equally well are one list, the largest first. */
function rankCommunes(written: WrittenName): IndexedCommune[][] {
  const { folded } = written;
  if (folded === '') return [withPostalCode(written)];
  const rankOf = rankingBy(folded);
  const [first = ''] = folded.split(' ');
  const ranked: IndexedCommune[][] = [];
  for (const commune of communeNames()) {
    if (!commune.names.includes(first) || !written.isThere(commune)) continue;
    for (const name of commune.names.split('\n')) {
      const rank = name.includes(first) ? rankOf(name, commune.nom) : null;
      if (rank === null) continue;
      ranked[rank] ??= [];
      ranked[rank].push(commune);
    }
  }
  return ranked;
}

function withPostalCode({ postalCode, isThere }: WrittenName): IndexedCommune[] {
  const found = postalCode === null ? [] : (communeIndex().byPostalCode.get(postalCode) ?? []);
  return found.filter(isThere).sort(largestFirst);
}

/** How well a folded name of a place, which is now called `nom`, fits a folded text: 0 is best; null when it does not. */
function rankingBy(text: string): (folded: string, nom: string) => number | null {
  const withArticle = new Set(['le', 'la', 'l', 'les'].map((article) => `${article} ${text}`));
  const words = text.split(' ').map((word) => ` ${word}`);
  return (folded, nom) => {
    if (folded === text) return foldPlaceName(nom) === text ? 0 : 1;
    if (withArticle.has(folded)) return 2;
    if (folded.startsWith(text)) return 3;
    const name = ` ${folded} `;
    if (!words.every((word) => name.includes(word))) return null;
    return words.every((word) => name.includes(`${word} `)) ? 4 : 5;
  };
}

function largestFirst(one: IndexedCommune, other: IndexedCommune): number {
  if (one.population !== other.population) return other.population - one.population;
  return one.insee < other.insee ? -1 : 1;
}

/** What a text says about a commune. */
export interface WrittenName {
  /** The name, folded; empty for a text without one. */
  readonly folded: string;
  /** A postal code in the text; null if there is none. */
  readonly postalCode: string | null;
  /** Whether a commune is where the text says; true if it does not say. */
  isThere(commune: IndexedCommune): boolean;
  /** Text in brackets that is not a département: part of a name, or a mistake. Null if there is none. */
  readonly unread: string | null;
}

/** Where a commune is, by one part of a text: a département's code or name, a postal code, or an arrondissement. */
interface Whereabouts {
  /** Codes of the départements it may lie in: several only in Corsica. */
  readonly departments: readonly string[];
  readonly postalCode: string | null;
}

const BRACKETS = /\(([^()]*)\)/g;
/** A code or a mistake, but never part of a name: without its brackets it could read as an arrondissement. */
const LIKE_A_CODE = /^\d[\dab]{0,2}$/i;

/**
 * The codes before or after a name, in its words; no name has a digit. A postal code may be written in two groups, with
 * `F` or `FR` as abroad, or without the zero that spreadsheets drop.
 */
const POSTAL_CODE = { before: /^(?:fr? ?)?(\d\d ?\d{3}|\d{4})(?: |$)/, after: /(?:^| )(\d\d ?\d{3}|\d{4})$/ };
/** A number after `cedex` is that of a post office. */
const DEPARTMENT = { before: /^(\d{1,3}|2[ab]) (?=.)/, after: /(?<=.)(?<!\bcedex) (\d{1,3}|2[ab])$/ };

const CORSICA = ['2A', '2B'];
const DEPARTMENT_OF_CITY: Readonly<Record<string, string>> = { paris: '75', lyon: '69', marseille: '13' };

/**
 * Reads a name, and the evidence of where it is that stands before, behind or in brackets: `Saint-Denis (93)`, `St Denis
 * (Réunion)`, `93200 Saint-Denis`, `2A - Ajaccio`, `20704 Ajaccio Cedex`, `1000 Bourg-en-Bresse`, `75 - PARIS 15`,
 * `16e arrondissement de Paris`, `Château-Chinon (Ville)`, `93200`. Throws `BAD_USER_INPUT` for a code of no
 * département, and for several départements in brackets.
 */
export function readWrittenName(text: string): WrittenName {
  const places: Whereabouts[] = [];
  const unread: string[] = [];
  const withoutBrackets = text.replace(BRACKETS, (_, inside: string) => {
    const place = placeOf(inside.trim());
    if (place !== null) places.push(place);
    else if (foldPlaceName(inside) !== '') unread.push(inside);
    return place === null ? ` ${inside} ` : ' ';
  });
  if (new Set(places.map(({ departments }) => departments.join())).size > 1) {
    throw badUserInput('name', 'has several départements in brackets');
  }
  // What follows an unclosed bracket is read as a part of the name.
  const [outside = '', unclosed = ''] = withoutBrackets.split(/(?=\()(.*)/s);
  const name = takePlaces(wordsOfPlaceName(outside), places);
  return {
    folded: foldPlaceName(`${name} ${unclosed}`),
    postalCode: places.find(({ postalCode }) => postalCode !== null)?.postalCode ?? null,
    isThere: (commune) => places.every((place) => isIn(commune, place)),
    unread: unread[0] ?? null,
  };
}

/** Moves what is evidence from the words to the places, and returns the other words. */
function takePlaces(words: string, places: Whereabouts[]): string {
  let name = words;
  const take = (pattern: RegExp, placeOfCode: (code: string) => Whereabouts | null) => {
    const [matched, code] = pattern.exec(name) ?? [];
    const place = code === undefined ? null : placeOfCode(code);
    if (matched === undefined || place === null) return;
    places.push(place);
    name = name.replace(pattern, '');
  };
  for (const pattern of [POSTAL_CODE.before, POSTAL_CODE.after]) {
    take(pattern, (code) => placeOfPostalCode(code.replace(' ', '').padStart(5, '0')));
  }
  // The number in `Paris 15` and `13 Marseille` would read as a département's too.
  for (const pattern of [DEPARTMENT.before, DEPARTMENT.after]) {
    if (cityOfArrondissement(name) === null) take(pattern, (code) => placeOfDepartment(code.padStart(2, '0')));
  }
  const department = ownValue(DEPARTMENT_OF_CITY, cityOfArrondissement(name) ?? '');
  if (department !== undefined) places.push({ departments: [department], postalCode: null });
  return name;
}

/** The error for text in brackets that is neither a département nor part of a name. */
function unreadBrackets(inside: string) {
  return badUserInput('name', `has something in brackets that is no département${departmentMeant(inside)}`);
}

function placeOf(inside: string): Whereabouts | null {
  if (isPostalCode(inside)) return placeOfPostalCode(inside);
  const found = departmentByCode(inside.toUpperCase()) ?? departmentByName(inside);
  if (found !== undefined) return { departments: [found.code], postalCode: null };
  if (LIKE_A_CODE.test(inside)) throw unreadBrackets(inside);
  return null;
}

/** A code of two or three characters outside brackets; `20` was Corsica's until 1976. Null if it is no département's. */
function placeOfDepartment(code: string): Whereabouts | null {
  if (code === '20') return { departments: CORSICA, postalCode: null };
  const found = departmentByCode(code.toUpperCase());
  return found === undefined ? null : { departments: [found.code], postalCode: null };
}

/** Codes of bulk recipients (CEDEX) in Corsica do not tell its two départements apart: 20704 is Ajaccio's. */
function placeOfPostalCode(postalCode: string): Whereabouts {
  const code = departmentOfPostalCode(postalCode);
  if (code === null) return { departments: CORSICA, postalCode };
  if (departmentByCode(code) === undefined) throw badUserInput('name', 'has a postal code of no département');
  return { departments: [code], postalCode };
}

/** A postal code may include communes across the border of its département; Saint-Barthélemy's is one of 971. */
function isIn(commune: IndexedCommune, { departments, postalCode }: Whereabouts): boolean {
  return departments.includes(commune.department) || (postalCode !== null && commune.postalCodes.includes(postalCode));
}

// Places larger than a commune.

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

/** How many people live in a place, by the official lists; 0 where nobody does, and for an unknown code. */
export function inhabitantsOf(kind: PlaceKind, code: string): number {
  if (kind === 'COMMUNE') return communeIndex().byInsee.get(code)?.population ?? 0;
  if (kind === 'EPCI') return epciByCode(code)?.population ?? 0;
  // A collectivity is both.
  const isIn = (one: Department) => (kind === 'REGION' ? (one.region ?? one.code) : one.code) === code;
  const { inhabitants } = officialCommunes();
  return DEPARTMENTS.filter(isIn).reduce((sum, one) => sum + (inhabitants.get(one.code) ?? 0), 0);
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
export function findPlaces({ text, written, kinds, limit }: PlacesWanted): Place[] {
  const isWanted = (kind: PlaceKind) => kinds.length === 0 || kinds.includes(kind);
  // Those of a rank are in the order of their inhabitants; one may have several names that match.
  const ranked: Place[][] = (isWanted('COMMUNE') ? rankCommunes(written) : []).map((communes) =>
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
  const inOrder = ranked.flatMap((some) => some.sort((one, other) => other.population - one.population));
  return [...new Map(inOrder.map((place) => [`${place.kind} ${place.code}`, place])).values()].slice(0, limit);
}
