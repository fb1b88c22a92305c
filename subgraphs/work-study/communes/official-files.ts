import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Box } from '../../codes/places.js';

/**
 * The files of official codes behind the matcher, all under Licence Ouverte: the communes of
 * `@etalab/decoupage-administratif` and the boxes of `@etalab/fr-bounding-boxes`. Their exact versions are pinned, so
 * their form is declared here without checks; a test of the index would notice a change.
 */

/** One code of the official list: a current commune, or a former one or an arrondissement that belongs to one. */
export interface OfficialRow {
  readonly code: string;
  readonly nom: string;
  readonly departement: string;
  readonly type: 'commune-actuelle' | 'commune-deleguee' | 'commune-associee' | 'arrondissement-municipal';
  /** Postal codes; missing on delegated and associated communes. */
  readonly codesPostaux?: readonly string[];
  /** Inhabitants; missing on former communes, and in six territories without permanent inhabitants. */
  readonly population?: number;
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

interface BoxRow {
  readonly id: string;
  readonly name: string;
  readonly bbox: readonly [minLon: number, minLat: number, maxLon: number, maxLat: number];
}

const ROWS = '@etalab/decoupage-administratif/data/communes.json';
const BOXES = '@etalab/fr-bounding-boxes/dist/communes.json';

const { resolve } = createRequire(import.meta.url);

/** What the index of communes is made from. */
export interface OfficialFiles {
  /** About 37,000 codes, of which 35,000 are current communes. */
  readonly rows: readonly OfficialRow[];
  /** The boxes of 2017–18. */
  readonly boxes: readonly OfficialBox[];
}

/** Reads the files, again at each call, so that what the index does not need is freed: a tenth of a second. */
export function readOfficialFiles(): OfficialFiles {
  return { rows: read<OfficialRow>(ROWS), boxes: read<BoxRow>(BOXES).map(toBox) };
}

function read<R>(file: string): readonly R[] {
  return JSON.parse(readFileSync(resolve(file), 'utf8'));
}

function toBox({ id, name, bbox: [minLon, minLat, maxLon, maxLat] }: BoxRow): OfficialBox {
  return { code: id.slice('fr:commune:'.length), nom: name, box: { minLon, minLat, maxLon, maxLat } };
}
