import { type GeoNamesCity, overseasKey, overseasKeyOfCity } from './geonames-file.js';
import type { Box, OfficialGeography, OfficialRow } from './official-geography.js';
import { at } from './random.js';

/** A current commune, with the fields that the sections of the world need. */
export interface Place {
  readonly insee: string;
  readonly nom: string;
  readonly departement: string;
  readonly postaux: readonly string[];
  readonly population: number;
  /** Communes merged into it, with their former codes. */
  readonly anciennes: readonly { readonly nom: string; readonly codeInsee: string }[];
  /** Names of its delegated and associated communes, except its own. */
  readonly formerNames: readonly string[];
  readonly arrondissements: readonly { readonly code: string; readonly nom: string }[];
  /** The union of its own box and those of all communes merged into it. */
  readonly box: Box;
  /** Whether no package has a box for it: 94 overseas communes and 7 that were re-established. */
  readonly boxIsInvented: boolean;
  /** Centre of the box: longitude, latitude. */
  readonly centre: readonly [lon: number, lat: number];
}

/** Every current commune, ordered by code. */
export function createPlaces(official: OfficialGeography): Place[] {
  const merged = groupRows(official.rows, (row) => row.chefLieu);
  const arrondissements = groupRows(official.rows, (row) => row.commune);
  const current = official.rows.filter((row) => row.type === 'commune-actuelle');
  const knownBox = (row: OfficialRow) => unitedBox(row, merged.get(row.code) ?? nothing, official.boxes);
  const invent = createBoxInventor(current, knownBox, official.cities);
  return current.map((row) => {
    const parts = merged.get(row.code) ?? nothing;
    const known = knownBox(row);
    const box = known ?? invent(row);
    return {
      insee: row.code,
      nom: row.nom,
      departement: row.departement,
      postaux: row.codesPostaux ?? [],
      population: row.population ?? 0,
      anciennes: formerCommunes(row, parts, official),
      formerNames: formerNames(row, parts),
      arrondissements: arrondissements.get(row.code)?.map(({ code, nom }) => ({ code, nom })) ?? nothing,
      box,
      boxIsInvented: known === undefined,
      centre: [round((box[0] + box[2]) / 2), round((box[1] + box[3]) / 2)],
    };
  });
}

function groupRows(rows: readonly OfficialRow[], key: (row: OfficialRow) => string | undefined) {
  const groups = new Map<string, OfficialRow[]>();
  for (const row of rows) {
    const name = key(row);
    if (name === undefined || row.type === 'commune-actuelle') continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

/** Nine communes in ten have never been merged. */
const nothing: readonly never[] = [];

function unitedBox(
  row: OfficialRow,
  parts: readonly OfficialRow[],
  boxes: OfficialGeography['boxes'],
): Box | undefined {
  let united = boxes.get(row.code)?.bbox;
  for (const code of row.anciensCodes ?? nothing) united = joined(united, boxes.get(code)?.bbox);
  for (const { code } of parts) united = joined(united, boxes.get(code)?.bbox);
  return united;
}

function joined(a: Box | undefined, b: Box | undefined): Box | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}

function formerNames(row: OfficialRow, parts: readonly OfficialRow[]): readonly string[] {
  if (parts.length === 0) return nothing;
  return [...new Set(parts.map((part) => part.nom))].filter((nom) => nom !== row.nom);
}

/** Two thousand former codes have a name in neither package: they get the name of the commune they were merged into. */
function formerCommunes(row: OfficialRow, parts: readonly OfficialRow[], { boxes }: OfficialGeography) {
  const communes = row.anciensCodes?.map((codeInsee) => ({
    nom: parts.find((part) => part.code === codeInsee)?.nom ?? boxes.get(codeInsee)?.name ?? row.nom,
    codeInsee,
  }));
  return communes ?? nothing;
}

/** A position: longitude, latitude. */
export type Point = readonly [lon: number, lat: number];

/** Whether a position lies in a box. Uses indexes rather than names: this runs a million times. */
export function isInside(box: Box, point: Point): boolean {
  return point[0] >= box[0] && point[0] <= box[2] && point[1] >= box[1] && point[1] <= box[3];
}

/** Returns whether any commune's box, other than invented ones, contains a position. */
export function createBoxGrid(places: readonly Place[]): (point: Point) => boolean {
  const cells = new Map<number, Box[]>();
  for (const { box, boxIsInvented } of places) {
    if (boxIsInvented) continue;
    for (let x = cell(box[0]); x <= cell(box[2]); x++) {
      for (let y = cell(box[1]); y <= cell(box[3]); y++) {
        const boxes = cells.get(x * cellsAround + y);
        if (boxes === undefined) cells.set(x * cellsAround + y, [box]);
        else boxes.push(box);
      }
    }
  }
  return (point) => {
    const boxes = cells.get(cell(point[0]) * cellsAround + cell(point[1])) ?? [];
    return boxes.some((box) => isInside(box, point));
  };
}

/** Cells of half a degree: the largest commune spans a few, and a cell contains about a hundred communes. */
const cell = (degrees: number) => Math.floor((degrees + 180) * 2);
const cellsAround = 720;

/**
 * Boxes, seven kilometres wide, for communes that have one in no package: around the town if it is known, else in rows
 * of eight beside the islands of the collectivity, else beside the communes that share a postal code.
 */
function createBoxInventor(
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

/** Rounds to four decimals, about ten metres, the precision of the packages and the services. */
export function round(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000;
}
