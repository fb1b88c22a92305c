import { readOfficialFile } from './tables.js';

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

/** About 37,000 codes, of which 35,000 are current communes. Read again at each call: a tenth of a second. */
export function readOfficialRows(): readonly OfficialRow[] {
  return readOfficialFile('@etalab/decoupage-administratif/data/communes.json');
}

/** What is looked up in the official list by a code. */
interface OfficialCommunes {
  /** Codes of current communes, a line each: a tenth of a millisecond to look through, a fifth of the memory of a set. */
  readonly current: string;
  /** The code of the current commune by each that is none: of a former commune, or of a municipal arrondissement. */
  readonly successors: ReadonlyMap<string, string>;
  /** Today's département of former codes whose first digits say another: of the Seine, Seine-et-Oise and Corsica. */
  readonly moved: ReadonlyMap<string, string>;
  /** Inhabitants of each département. */
  readonly inhabitants: ReadonlyMap<string, number>;
}

let known: OfficialCommunes | undefined;

/** Read once per process: when it starts, as that takes a tenth of a second; `read` gives rows that are there anyway. */
export function officialCommunes(read = readOfficialRows): OfficialCommunes {
  if (known !== undefined) return known;
  const rows = read();
  const departmentOf = new Map(rows.map(({ code, departement }) => [code, departement]));
  const successors = successorsOf(rows);
  const former = [...successors].map(([code, now]) => [code, departmentOf.get(now) ?? ''] as const);
  const communes = rows.filter(({ type }) => type === 'commune-actuelle');
  const inhabitants = new Map<string, number>();
  for (const { departement, population = 0 } of communes)
    inhabitants.set(departement, (inhabitants.get(departement) ?? 0) + population);
  known = {
    current: communes.map(({ code }) => code).join('\n'),
    successors,
    moved: new Map(former.filter(([code, department]) => !code.startsWith(department))),
    inhabitants,
  };
  return known;
}

function successorsOf(rows: readonly OfficialRow[]): Map<string, string> {
  const current = new Set(rows.filter(({ type }) => type === 'commune-actuelle').map(({ code }) => code));
  const successors = new Map<string, string>();
  for (const row of rows) for (const former of row.anciensCodes ?? []) successors.set(former, row.code);
  // After the lists, because a commune's own row is the later statement where they differ, as for 55273 and 60455.
  for (const { code, chefLieu, commune = chefLieu } of rows) if (commune !== undefined) successors.set(code, commune);
  for (const code of current) successors.delete(code);
  return successors;
}
