import { createRequire } from 'node:module';
import type { Box } from '../../codes/distances.js';

/**
 * The files of official codes that the matcher stands on, all under Licence Ouverte: the communes and départements of
 * `@etalab/decoupage-administratif` and the boxes of `@etalab/fr-bounding-boxes`. Their exact versions are pinned, so
 * their form is stated here; a test of the index would see another one.
 */

/** One code of the official list: a current commune, or a former one or an arrondissement that leads to one. */
export interface OfficialRow {
  readonly code: string;
  readonly nom: string;
  readonly departement: string;
  readonly type: 'commune-actuelle' | 'commune-deleguee' | 'commune-associee' | 'arrondissement-municipal';
  /** Postal codes; missing on delegated and associated communes. */
  readonly codesPostaux?: readonly string[];
  /** Inhabitants; missing on former communes, and in six territories that nobody lives in for good. */
  readonly population?: number;
  /** Codes of communes that were merged into this current one. */
  readonly anciensCodes?: readonly string[];
  /** Current commune of a delegated or associated one. */
  readonly chefLieu?: string;
  /** Current commune of an arrondissement. */
  readonly commune?: string;
}

/** A département, or an overseas collectivity in the place of one. */
export interface OfficialDepartement {
  readonly code: string;
  readonly nom: string;
}

/** The box of a code of 2017–18, with the name that the code had then. */
export interface OfficialBox {
  readonly code: string;
  readonly nom: string;
  readonly box: Box;
}

interface BoxRow {
  readonly id: string;
  readonly name: string;
  readonly bbox: readonly [minLon: number, minLat: number, maxLon: number, maxLat: number];
}

/** `require` keeps what it parsed: another reader of the same files in the process gets the same rows at no cost. */
const load = createRequire(import.meta.url);

/** About 37,000 codes, of which 35,000 are current communes. Shared: never changed. */
export function readOfficialRows(): readonly OfficialRow[] {
  return load('@etalab/decoupage-administratif/data/communes.json');
}

/** All 109 of them. Shared: never changed. */
export function readOfficialDepartements(): readonly OfficialDepartement[] {
  return load('@etalab/decoupage-administratif/data/departements.json');
}

/** The boxes of 2017–18, read anew at each call. */
export function readOfficialBoxes(): readonly OfficialBox[] {
  const rows: readonly BoxRow[] = load('@etalab/fr-bounding-boxes/dist/communes.json');
  return rows.map(({ id, name, bbox: [minLon, minLat, maxLon, maxLat] }) => ({
    code: id.slice('fr:commune:'.length),
    nom: name,
    box: { minLon, minLat, maxLon, maxLat },
  }));
}
