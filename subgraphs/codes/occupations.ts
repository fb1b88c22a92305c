import { readTable } from './tables.js';

/** An occupation of the ROME nomenclature (répertoire opérationnel des métiers et des emplois). */
export interface Occupation {
  readonly code: string;
  /** The code that it stands under, which is its own for 532 of 1,584. */
  readonly parent: string;
  readonly label: string;
  /** Names of jobs, most in both genders: `Boulanger / Boulangère`. */
  readonly names: readonly string[];
}

/** All of the official table, whose edition and licence the file itself states; `npm run occupations` renews it. */
export const OCCUPATIONS: readonly Occupation[] = readTable('occupations.tsv').map(
  ([code = '', parent = '', label = '', ...names]) => ({ code, parent, label, names }),
);

const byCode = new Map(OCCUPATIONS.map((occupation) => [occupation.code, occupation]));

/** The occupation with exactly this code; undefined for one that is not in the table, as it may be newer. */
export function occupationByCode(code: string): Occupation | undefined {
  return byCode.get(code);
}
