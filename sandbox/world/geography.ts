import type { Box, OfficialGeography, OfficialRow } from './official-geography.js';
import { at } from './random.js';

/** A current commune with everything that the sections of the world ask of it. */
export interface Place {
  readonly insee: string;
  readonly nom: string;
  readonly departement: string;
  readonly region: string;
  readonly postaux: readonly string[];
  readonly population: number;
  /** Communes that were merged into it, by their former codes. */
  readonly anciennes: readonly { readonly nom: string; readonly codeInsee: string }[];
  /** Names of its delegated and associated communes, its own left out. */
  readonly formerNames: readonly string[];
  readonly arrondissements: readonly { readonly code: string; readonly nom: string }[];
  /** Its own box together with those of all communes merged into it. */
  readonly box: Box;
  /** Whether no package has a box for it: 94 overseas communes and 7 that were founded again. */
  readonly boxIsInvented: boolean;
  /** Middle of the box: longitude, latitude. */
  readonly centre: readonly [lon: number, lat: number];
}

/** Every current commune, in the order of the codes. */
export function createPlaces(official: OfficialGeography): Place[] {
  const merged = groupRows(official.rows, (row) => row.chefLieu);
  const arrondissements = groupRows(official.rows, (row) => row.commune);
  const current = official.rows.filter((row) => row.type === 'commune-actuelle');
  const boxes = knownBoxes(current, merged, official);
  const invent = createBoxInventor(current, boxes);
  return current.map((row) => {
    const parts = merged.get(row.code) ?? nothing;
    const box = boxes.get(row.code) ?? invent(row);
    return {
      insee: row.code,
      nom: row.nom,
      departement: row.departement,
      region: row.region,
      postaux: row.codesPostaux ?? [],
      population: row.population ?? 0,
      anciennes: formerCommunes(row, parts, official),
      formerNames: formerNames(row, parts),
      arrondissements: (arrondissements.get(row.code) ?? nothing).map(({ code, nom }) => ({ code, nom })),
      box,
      boxIsInvented: !boxes.has(row.code),
      centre: [round((box[0] + box[2]) / 2), round((box[1] + box[3]) / 2)],
    };
  });
}

/** Four decimals, about ten metres: what the packages give and the service shows. */
export function round(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000;
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

type Groups = ReturnType<typeof groupRows>;

function knownBoxes(current: readonly OfficialRow[], merged: Groups, { boxes }: OfficialGeography): Map<string, Box> {
  const known = new Map<string, Box>();
  for (const row of current) {
    let union = boxes.get(row.code)?.bbox;
    for (const code of row.anciensCodes ?? nothing) union = joined(union, boxes.get(code)?.bbox);
    for (const { code } of merged.get(row.code) ?? nothing) union = joined(union, boxes.get(code)?.bbox);
    if (union !== undefined) known.set(row.code, union);
  }
  return known;
}

function joined(a: Box | undefined, b: Box | undefined): Box | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}

function formerNames(row: OfficialRow, parts: readonly OfficialRow[]): readonly string[] {
  if (parts.length === 0) return nothing;
  return [...new Set(parts.map((part) => part.nom))].filter((nom) => nom !== row.nom);
}

/** Two thousand former codes have a name in neither package: they show the name of the commune that took them in. */
function formerCommunes(row: OfficialRow, parts: readonly OfficialRow[], { boxes }: OfficialGeography) {
  return (row.anciensCodes ?? nothing).map((codeInsee) => ({
    nom: parts.find((part) => part.code === codeInsee)?.nom ?? boxes.get(codeInsee)?.name ?? row.nom,
    codeInsee,
  }));
}

/** Where the overseas collectivities lie, roughly: middle of the first invented box of each. */
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

/**
 * Boxes for communes that have none: those of a collectivity in rows of eight around its islands, the others beside
 * the communes that share a postal code with them.
 */
function createBoxInventor(
  current: readonly OfficialRow[],
  boxes: ReadonlyMap<string, Box>,
): (row: OfficialRow) => Box {
  const invented = new Map<string, number>();
  return (row) => {
    const count = invented.get(row.departement) ?? 0;
    invented.set(row.departement, count + 1);
    const [lon, lat] = islands[row.departement] ?? besideNeighbours(row, current, boxes);
    const west = round(lon + (count % 8) * 0.1 - 0.03);
    const south = round(lat + Math.floor(count / 8) * 0.1 - 0.03);
    return [west, south, round(west + 0.06), round(south + 0.06)];
  };
}

function besideNeighbours(row: OfficialRow, current: readonly OfficialRow[], boxes: ReadonlyMap<string, Box>) {
  const neighbours = current.filter((other) => other.codesPostaux?.some((code) => row.codesPostaux?.includes(code)));
  const [west, , , north] = at(
    neighbours.flatMap((other) => [boxes.get(other.code)].filter((box) => box !== undefined)),
    0,
  );
  return [west, north] as const;
}
