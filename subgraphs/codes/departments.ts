import { editDistance } from '../../kernel/text.js';
import { departmentOfPostalCode, foldPlaceName } from './places.js';
import { readOfficialFile } from './tables.js';

/** A département, or an overseas territory that has a code of the same kind. */
export interface Department {
  /** Official code: `01`, `2A`, `971`. */
  readonly code: string;
  /** Official name: `Seine-Saint-Denis`. */
  readonly nom: string;
  /** Code of its région; absent for an overseas territory, which has none. */
  readonly region?: string;
}

/** A région. */
export interface Region {
  readonly code: string;
  readonly nom: string;
}

/** All 109 of them: the official list of `@etalab/decoupage-administratif`, whose exact version is pinned. */
export const DEPARTMENTS: readonly Department[] = readOfficialFile(
  '@etalab/decoupage-administratif/data/departements.json',
);

/** All régions, and the overseas territories, which have none and stand for themselves: from the same package. */
export const REGIONS: readonly Region[] = readOfficialFile('@etalab/decoupage-administratif/data/regions.json');

const byCode = new Map(DEPARTMENTS.map((department) => [department.code, department]));
const byName = new Map(DEPARTMENTS.map((department) => [foldName(department.nom), department]));

/** Former names of départements, and of one that was divided, with the present code. */
const FORMER_NAMES: readonly (readonly [name: string, code: string])[] = [
  ['Basses-Alpes', '04'],
  ['Charente-Inférieure', '17'],
  ['Côtes-du-Nord', '22'],
  ['Loire-Inférieure', '44'],
  ['Basses-Pyrénées', '64'],
  ['Seine-Inférieure', '76'],
  ['Seine-et-Oise', '78'],
];

const byFormerName = new Map(
  FORMER_NAMES.flatMap(([name, code]) => {
    const department = byCode.get(code);
    return department === undefined ? [] : [[foldName(name), department] as const];
  }),
);

/** Words of several names, or of many other places: having one in common says nothing. */
const COMMON_WORDS = new Set(
  'bas d de deux du et francaise francaises haut haute hautes hauts ile la nord nouvelle or pas puy saint sud terres territoire val'.split(
    ' ',
  ),
);

/** Only so many characters of a text are compared with all names; the longest name has 42. */
const MAX_COMPARED_LENGTH = 60;
/** One letter in so many may be wrong. */
const LETTERS_OF_A_CHANGE = 5;
/** Most suggestions: a text that fits more départements fits none in particular. */
export const MAX_SUGGESTIONS = 4;

/** The département with exactly this code; undefined when there is none. */
export function departmentByCode(code: string): Department | undefined {
  return byCode.get(code);
}

/**
 * The département with this official name, regardless of case, accents, hyphens, article and `St`; undefined when there
 * is none.
 */
export function departmentByName(name: string): Department | undefined {
  return byName.get(foldName(name));
}

/** ` (did you mean 93, Seine-Saint-Denis?)` for a text close to a département's code or name; else empty. */
export function departmentMeant(text: string, written = ({ code, nom }: Department) => `${code}, ${nom}`): string {
  return suggestion(nearDepartments(text).map(written));
}

/** ` (did you mean …?)`; empty for none, or too many. */
export function suggestion(meant: readonly string[]): string {
  return meant.length === 0 || meant.length > MAX_SUGGESTIONS ? '' : ` (did you mean ${meant.join(' or ')}?)`;
}

/**
 * The départements that a text may mean, all equally near: at most four, often none. For suggestions, never as a match.
 * Their code, name or former name is that of the text but for a few letters, or shares most of its distinctive words.
 */
export function nearDepartments(text: string): Department[] {
  const codes = codesMeantBy(text.trim()).flatMap((code) => byCode.get(code) ?? []);
  if (codes.length > 0) return codes;
  const folded = foldName(text.slice(0, MAX_COMPARED_LENGTH));
  const known = [...byName, ...byFormerName];
  const misspelt = nearest(
    known,
    (name) => editDistance(folded, name),
    Math.round(folded.length / LETTERS_OF_A_CHANGE),
  );
  if (misspelt.length > 0) return misspelt;
  const words = folded.split(' ').filter((word) => !COMMON_WORDS.has(word));
  return nearest([...byName], (name) => -words.filter((word) => ` ${name} `.includes(` ${word} `)).length, -1);
}

/** The départements with the nearest names; none if these are farther than `most`, or too many. */
function nearest(
  known: readonly (readonly [name: string, department: Department])[],
  distanceTo: (name: string) => number,
  most: number,
): Department[] {
  const found = known.map(([name, department]) => ({ department, distance: distanceTo(name) }));
  const least = Math.min(...found.map(({ distance }) => distance));
  const near = new Set(found.filter(({ distance }) => distance === least).map(({ department }) => department));
  return least > most || near.size > MAX_SUGGESTIONS ? [] : [...near];
}

/** The codes meant by `2a`, `1`, a postal code, or `20`, Corsica's until 1976. */
function codesMeantBy(text: string): string[] {
  if (text === '20') return ['2A', '2B'];
  if (/^\d{5}$/.test(text)) return [departmentOfPostalCode(text) ?? text];
  return [text.toUpperCase().padStart(2, '0')];
}

/** A folded name without its article. */
function foldName(name: string): string {
  return foldPlaceName(name).replace(/^(?:l|la|le|les) /, '');
}
