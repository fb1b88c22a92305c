import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Box } from '../../codes/distances.js';

/**
 * The two files of official codes that the matcher stands on, both under Licence Ouverte: the communes of
 * `@etalab/decoupage-administratif` and the boxes of `@etalab/fr-bounding-boxes`.
 */

/** One code of the official list: a current commune, or a former one or an arrondissement that leads to one. */
export interface OfficialRow {
  readonly code: string;
  readonly nom: string;
  readonly departement: string;
  readonly type: 'commune-actuelle' | 'commune-deleguee' | 'commune-associee' | 'arrondissement-municipal';
  /** Postal codes; missing on delegated and associated communes. */
  readonly codesPostaux?: readonly string[];
  /** Codes of communes that were merged into this current one. */
  readonly anciensCodes?: readonly string[];
  /** Current commune of a delegated or associated one. */
  readonly chefLieu?: string;
  /** Current commune of an arrondissement. */
  readonly commune?: string;
}

/** The box of a code of 2017–18, with the name that the code had then. */
export interface OfficialBox {
  readonly code: string;
  readonly nom: string;
  readonly box: Box;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface BoxRow {
  readonly id: string;
  readonly name: string;
  readonly bbox: readonly [minLon: number, minLat: number, maxLon: number, maxLat: number];
}

const require = createRequire(import.meta.url);

export function readOfficialRows(): readonly OfficialRow[] {
  const rows = readRows<Writable<OfficialRow>>('@etalab/decoupage-administratif/data/communes.json');
  for (const row of rows) row.nom = decoded(row.nom);
  return rows;
}

export function readOfficialBoxes(): readonly OfficialBox[] {
  const rows = readRows<BoxRow>('@etalab/fr-bounding-boxes/dist/communes.json');
  return rows.map(({ id, name, bbox: [minLon, minLat, maxLon, maxLat] }) => ({
    code: id.slice('fr:commune:'.length),
    nom: decoded(name),
    box: { minLon, minLat, maxLon, maxLat },
  }));
}

/**
 * The files are UTF-8, read here as Latin-1: so V8 keeps a byte a character instead of two (some names hold an `œ`),
 * which takes a third off the time to parse. The names that are kept are decoded by themselves.
 */
function readRows<Row>(file: string): Row[] {
  // The form of the rows is fixed by the exact version of the package, which a test checks.
  return JSON.parse(readFileSync(require.resolve(file), 'latin1')) as Row[];
}

function decoded(latin1: string): string {
  return /[\u0080-\u00ff]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1;
}
