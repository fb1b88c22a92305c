import { createBoxInventor } from './invented-boxes.js';
import type { Box, OfficialGeography, OfficialRow } from './official-geography.js';
import { round } from './round.js';

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
