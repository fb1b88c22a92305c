import { createRequire } from 'node:module';
import { editDistance } from '../../schema/edit-distance.js';
import { foldPlaceName } from './place-names.js';
import { departmentOfPostalCode } from './postal.js';

/** A département, or an overseas territory that has a code of the same kind. */
export interface Department {
  /** Official code: `01`, `2A`, `971`. */
  readonly code: string;
  /** Official name: `Seine-Saint-Denis`. */
  readonly nom: string;
}

/** All 109 of them: the official list of `@etalab/decoupage-administratif`, whose exact version is pinned. */
export const DEPARTMENTS: readonly Department[] = createRequire(import.meta.url)(
  '@etalab/decoupage-administratif/data/departements.json',
);

const byCode = new Map(DEPARTMENTS.map((department) => [department.code, department]));
const byName = new Map(DEPARTMENTS.map((department) => [foldPlaceName(department.nom), department]));

/** Longest text compared with all names; the longest name has 42 characters. */
const MAX_COMPARED_LENGTH = 60;

/** The département of exactly this code; undefined when there is none. */
export function departmentByCode(code: string): Department | undefined {
  return byCode.get(code);
}

/** The département of this official name, whatever its case, accents, hyphens and `St`; undefined when there is none. */
export function departmentByName(name: string): Department | undefined {
  return byName.get(foldPlaceName(name));
}

/** The département whose code or name is closest to the text: for a suggestion, never as a match. */
export function nearestDepartment(text: string): Department {
  const meant = byCode.get(codeMeantBy(text.trim())) ?? departmentByName(text);
  if (meant !== undefined) return meant;
  const written = foldPlaceName(text.slice(0, MAX_COMPARED_LENGTH));
  const [first, ...others] = DEPARTMENTS.map((department) => ({
    department,
    distance: distanceTo(department, written),
  }));
  if (first === undefined) throw new Error('The official list of départements is empty.');
  return others.reduce((best, next) => (next.distance < best.distance ? next : best), first).department;
}

/** The code meant by `2a`, `1`, a postal code, and the `20` that Corsica had until 1976. */
function codeMeantBy(text: string): string {
  if (text === '20') return '2A';
  if (/^\d{5}$/.test(text)) return departmentOfPostalCode(text) ?? text;
  return text.toUpperCase().padStart(2, '0');
}

/** A name that contains the text as a whole word is nearer than one in which two letters differ. */
function distanceTo({ code, nom }: Department, written: string): number {
  const name = foldPlaceName(nom);
  if (written !== '' && ` ${name} `.includes(` ${written} `)) return 1;
  return Math.min(editDistance(written, code.toLowerCase()), editDistance(written, name));
}
