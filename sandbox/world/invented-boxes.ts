import type { GeoNamesCity } from './geonames-file.js';
import type { Box, OfficialRow } from './official-geography.js';
import { overseasKey, overseasKeyOfCity } from './overseas.js';
import { at } from './random.js';
import { round } from './round.js';

/**
 * Boxes, seven kilometres wide, for communes that have one in no package: around the town if it is known, else in rows
 * of eight beside the islands of the collectivity, else beside the communes that share a postal code.
 */
export function createBoxInventor(
  current: readonly OfficialRow[],
  knownBox: (row: OfficialRow) => Box | undefined,
  cities: readonly GeoNamesCity[],
): (row: OfficialRow) => Box {
  const points = new Map(cities.map((city) => [overseasKeyOfCity(city), city.point]));
  const invented = new Map<string, number>();
  return (row) => {
    const point = points.get(overseasKey(row.departement, row.nom) ?? row.code);
    if (point !== undefined) return boxAround(point);
    const count = invented.get(row.departement) ?? 0;
    invented.set(row.departement, count + 1);
    const [lon, lat] = islands[row.departement] ?? besideNeighbours(row, current, knownBox);
    return boxAround([lon + (count % 8) * 0.1, lat + Math.floor(count / 8) * 0.1]);
  };
}

const half = 0.03;

function boxAround([lon, lat]: readonly [lon: number, lat: number]): Box {
  return [round(lon - half), round(lat - half), round(lon + half), round(lat + half)];
}

/** Approximate positions of the overseas collectivities. */
const islands: Readonly<Record<string, readonly [lon: number, lat: number]>> = {
  '975': [-56.2, 46.85],
  '977': [-62.83, 17.9],
  '978': [-63.06, 18.06],
  '984': [69.5, -49.3],
  '986': [-176.2, -13.3],
  '987': [-149.5, -17.6],
  '988': [165.5, -21.3],
  '989': [-109.2, 10.3],
};

/** The north-western corner of a commune with the same postal code. */
function besideNeighbours(
  row: OfficialRow,
  current: readonly OfficialRow[],
  knownBox: (row: OfficialRow) => Box | undefined,
) {
  const neighbours = current.filter(
    ({ departement, codesPostaux }) =>
      departement === row.departement && codesPostaux?.some((code) => row.codesPostaux?.includes(code)),
  );
  const [west, , , north] = at(
    neighbours.map(knownBox).filter((box) => box !== undefined),
    0,
  );
  return [west, north] as const;
}
