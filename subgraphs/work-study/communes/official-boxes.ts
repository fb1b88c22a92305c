import type { Box } from '../../codes/places.js';
import { readOfficialFile } from '../../codes/tables.js';

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

/** The boxes of 2017–18, read again at each call. */
export function readOfficialBoxes(): OfficialBox[] {
  const rows = readOfficialFile<readonly BoxRow[]>('@etalab/fr-bounding-boxes/dist/communes.json');
  return rows.map(({ id, name, bbox: [minLon, minLat, maxLon, maxLat] }) => ({
    code: id.slice('fr:commune:'.length),
    nom: name,
    box: { minLon, minLat, maxLon, maxLat },
  }));
}
