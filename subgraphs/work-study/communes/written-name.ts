import { departmentByCode, departmentByName, departmentMeant } from '../../codes/departments.js';
import { foldPlaceName } from '../../codes/place-names.js';
import { departmentOfPostalCode, isPostalCode } from '../../codes/postal.js';
import { badUserInput } from '../../graph/arguments.js';
import type { IndexedCommune } from './commune-index.js';

/** What a text says of a commune. */
export interface WrittenName {
  /** The name, folded; empty for a text without one. */
  readonly folded: string;
  /** Whether a commune is where the text says, as far as it says. */
  isThere(commune: IndexedCommune): boolean;
  /** What stands in brackets and is no département: part of a name, or a mistake. Null where nothing does. */
  readonly unread: string | null;
}

/** Where a commune is: in a département, or where a postal code is. */
interface Place {
  readonly department: string;
  readonly postalCode: string | null;
}

const BRACKETS = /\(([^()]*)\)/g;
/** Those that stand alone before or behind a name, also with what separates them from it, or as in other countries. */
const POSTAL_CODE = /^\s*(?:F-)?(\d{5})(?:[\s,;-]|$)|(?:^|[\s,;-])(\d{5})\s*$/gi;
/** What is a code or a mistake, but never part of a name: without brackets it may read as an arrondissement. */
const LIKE_A_CODE = /^\d[\dab]{0,2}$/i;

/**
 * Reads `Saint-Denis`, `Saint-Denis (93)`, `St Denis (Réunion)`, `93200 Saint-Denis`, `Château-Chinon (Ville)`. Throws
 * `BAD_USER_INPUT` for a code of no département, and for several départements in brackets.
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
    isThere: (commune) => places.every((place) => isIn(commune, place)),
    unread: unread[0] ?? null,
  };
}

/** The error of brackets that are no département, where they are no part of a name either. */
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

/** A postal code is also that of communes across the border of its département, and in Saint-Barthélemy of 971. */
function isIn(commune: IndexedCommune, { department, postalCode }: Place): boolean {
  return commune.department === department || (postalCode !== null && commune.postalCodes.includes(postalCode));
}
