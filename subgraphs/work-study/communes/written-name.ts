import { departmentByCode, departmentByName, departmentMeant } from '../../codes/departments.js';
import { foldPlaceName } from '../../codes/place-names.js';
import { departmentOfPostalCode, isPostalCode } from '../../codes/postal.js';
import { badUserInput } from '../../graph/arguments.js';
import type { IndexedCommune } from './commune-index.js';

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

/** Where a commune is: in a département, or in the area of a postal code. */
interface Place {
  readonly department: string;
  readonly postalCode: string | null;
}

const BRACKETS = /\(([^()]*)\)/g;
/** Postal codes before or after a name, with what separates them from it, or a `F-` prefix as used abroad. */
const POSTAL_CODE = /^\s*(?:F-)?(\d{5})(?:[\s,;-]|$)|(?:^|[\s,;-])(\d{5})\s*$/gi;
/** A code or a mistake, but never part of a name: without its brackets it could read as an arrondissement. */
const LIKE_A_CODE = /^\d[\dab]{0,2}$/i;

/**
 * Reads `Saint-Denis`, `Saint-Denis (93)`, `St Denis (Réunion)`, `93200 Saint-Denis`, `Château-Chinon (Ville)`,
 * `93200`. Throws `BAD_USER_INPUT` for a code of no département, and for several départements in brackets.
 */
export function readWrittenName(text: string): WrittenName {
  const places: Place[] = [];
  const unread: string[] = [];
  const withoutPlaces = text.replace(BRACKETS, (_, inside: string) => {
    const place = placeOf(inside.trim());
    if (place !== null) places.push(place);
    else if (foldPlaceName(inside) !== '') unread.push(inside);
    return place === null ? ` ${inside} ` : ' ';
  });
  if (new Set(places.map(({ department }) => department)).size > 1) {
    throw badUserInput('name', 'has several départements in brackets');
  }
  const name = withoutPlaces.replace(POSTAL_CODE, (_, before?: string, behind?: string) => {
    places.push(placeOfPostalCode(before ?? behind ?? ''));
    return ' ';
  });
  return {
    folded: foldPlaceName(name),
    postalCode: places.find(({ postalCode }) => postalCode !== null)?.postalCode ?? null,
    isThere: (commune) => places.every((place) => isIn(commune, place)),
    unread: unread[0] ?? null,
  };
}

/** The error for text in brackets that is neither a département nor part of a name. */
export function unreadBrackets(inside: string) {
  return badUserInput('name', `has something in brackets that is no département${departmentMeant(inside)}`);
}

function placeOf(inside: string): Place | null {
  if (isPostalCode(inside)) return placeOfPostalCode(inside);
  const found = departmentByCode(inside.toUpperCase()) ?? departmentByName(inside);
  if (found !== undefined) return { department: found.code, postalCode: null };
  if (LIKE_A_CODE.test(inside)) throw unreadBrackets(inside);
  return null;
}

function placeOfPostalCode(postalCode: string): Place {
  const department = departmentByCode(departmentOfPostalCode(postalCode) ?? '');
  if (department === undefined) throw badUserInput('name', 'has a postal code of no département');
  return { department: department.code, postalCode };
}

/** A postal code may include communes across the border of its département; Saint-Barthélemy's is one of 971. */
function isIn(commune: IndexedCommune, { department, postalCode }: Place): boolean {
  return commune.department === department || (postalCode !== null && commune.postalCodes.includes(postalCode));
}
