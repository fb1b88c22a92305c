import { EPCIS, type Epci } from '../../codes/epcis.js';
import { type OfficialRow, officialCommunes, readOfficialRows } from '../../codes/official-communes.js';
import { type Box, boxContains, foldPlaceName, type Position } from '../../codes/places.js';
import { readOfficialFile } from '../../codes/tables.js';

/** A current commune, with what the matcher needs to know. There are 35,000 of them, so each takes little memory. */
export class IndexedCommune {
  readonly insee: string;
  readonly nom: string;
  readonly department: string;
  readonly postalCodes: readonly string[];
  /** Inhabitants; 0 where the list gives none, in territories without permanent inhabitants. */
  readonly population: number;
  /** Null for the 98 communes that are in none: a few islands, and those of overseas collectivities. */
  readonly epci: Epci | null;
  /** The folded names that lead to it, a line each: its own, earlier ones, and those of communes merged into it. */
  names = '';
  /** Corners in units of the file: in degrees, they would take five times as much. */
  readonly #west: number | null;
  readonly #south: number;
  readonly #east: number;
  readonly #north: number;

  constructor(row: OfficialRow, postalCodes: readonly string[], epci: Epci | null, sides: Sides | null) {
    this.insee = row.code;
    this.nom = row.nom;
    this.department = row.departement;
    this.postalCodes = postalCodes;
    this.population = row.population ?? 0;
    this.epci = epci;
    const [west = 0, south = 0, east = 0, north = 0] = sides?.map((side) => Math.round(side * UNITS_OF_A_DEGREE)) ?? [];
    this.#west = sides && west;
    [this.#south, this.#east, this.#north] = [south, east, north];
  }

  /**
   * The box around its own box and those of all communes merged into it. Null for the 101 communes that the boxes of
   * 2017–18 do not include: 94 in overseas collectivities, and seven re-created since.
   */
  get box(): Box | null {
    if (this.#west === null) return null;
    const [minLon, maxLon] = [this.#west / UNITS_OF_A_DEGREE, this.#east / UNITS_OF_A_DEGREE];
    return { minLon, minLat: this.#south / UNITS_OF_A_DEGREE, maxLon, maxLat: this.#north / UNITS_OF_A_DEGREE };
  }
}

/** The boxes have four decimals. */
const UNITS_OF_A_DEGREE = 10_000;

/** West, south, east and north of a box, in degrees. */
type Sides = readonly [number, number, number, number];

/** A municipal arrondissement. */
export type Arrondissement = Pick<OfficialRow, 'code' | 'nom'>;

let built: ReturnType<typeof build> | undefined;

/** The index of all current communes, built from the official files when a process starts: it takes half a second. */
export function communeIndex() {
  built ??= build();
  return built;
}

/**
 * The code of the current commune that a code stands for: itself, the commune of an arrondissement, or the one that a
 * former commune was merged into. Null for a code that never was a commune's.
 */
export function resolveInsee(code: string): string | null {
  const { byInsee, successors } = communeIndex();
  return byInsee.has(code) ? code : (successors.get(code) ?? null);
}

/**
 * At most how many communes the source finds for five digits, by any meaning of them; for 51300, the most of all, where
 * the index is not built, as in a gateway apart.
 */
export function countCommunes(digits: unknown): number {
  if (built === undefined || typeof digits !== 'string') return MOST_COMMUNES;
  const found = new Set(built.byPostalCode.get(digits)?.map(({ insee }) => insee));
  return found.add(resolveInsee(digits) ?? digits).size;
}

/** Of a postal code: 46 of 51300, and one of the same INSEE code. */
const MOST_COMMUNES = 47;

/** The communes of a folded name. */
export function communesNamed(folded: string): readonly IndexedCommune[] {
  return [communeIndex().byName.get(folded) ?? []].flat();
}

/** Postal codes of a current commune, by which Corsican communes are looked up upstream; empty for an unknown code. */
export function postalCodesOf(insee: string): readonly string[] {
  return communeIndex().byInsee.get(insee)?.postalCodes ?? [];
}

function build() {
  const rows = readOfficialRows();
  const boxes = readOfficialBoxes();
  /** From a former code, or an arrondissement's, to that of the current commune. */
  const { successors } = officialCommunes(() => rows);
  const currentOf = (code: string) => successors.get(code) ?? code;
  const united = new Map<string, Sides>();
  for (const { code, sides } of boxes) united.set(currentOf(code), unite(sides, united.get(currentOf(code)) ?? sides));
  const epciOf = new Map(EPCIS.flatMap((epci) => epci.members.split(' ').map((insee) => [insee, epci] as const)));
  const byInsee = new Map<string, IndexedCommune>();
  const byPostalCode = new Map<string, readonly IndexedCommune[]>();
  /** By folded name, including earlier names and those of former communes: most have one, and a list takes memory. */
  const byName = new Map<string, IndexedCommune | readonly IndexedCommune[]>();
  /** Most communes share their postal codes with others. */
  const equals = new Map<string, readonly string[]>();
  for (const row of rows) {
    const { type, code, codesPostaux = [] } = row;
    if (type !== 'commune-actuelle') continue;
    const postalCodes = equals.get(codesPostaux.join()) ?? codesPostaux;
    equals.set(codesPostaux.join(), postalCodes);
    const commune = new IndexedCommune(row, postalCodes, epciOf.get(code) ?? null, united.get(code) ?? null);
    byInsee.set(code, commune);
    for (const postalCode of postalCodes) add(byPostalCode, postalCode, commune);
  }
  for (const { code, nom } of rows) addName(code, nom);
  // The boxes have the names of 2017–18, including those of vanished codes and of communes renamed since.
  for (const { code, nom } of boxes) if (byInsee.get(code)?.nom !== nom) addName(code, nom);
  const ofCities = rows.filter(({ type }) => type === 'arrondissement-municipal');
  /** Those of Paris, Lyon and Marseille, by INSEE code. */
  const arrondissements: ReadonlyMap<string, Arrondissement> = new Map(
    ofCities.map(({ code, nom }) => [code, { code, nom }]),
  );
  return { byInsee, byPostalCode, byName, at: finderOf(byInsee.values()), successors, arrondissements };

  function addName(code: string, nom: string): void {
    const commune = byInsee.get(currentOf(code));
    if (commune === undefined) return;
    // `Château-Chinon (Ville)` and five more: addresses leave out the part in brackets.
    for (const name of nom.endsWith(')') ? [nom, nom.slice(0, nom.indexOf('('))] : [nom]) {
      const folded = foldPlaceName(name);
      if (commune.names.split('\n').includes(folded)) continue;
      const others = byName.get(folded);
      byName.set(folded, others === undefined ? commune : [others, commune].flat());
      commune.names = commune.names === '' ? folded : `${commune.names}\n${folded}`;
    }
  }
}

/** Finds the communes whose box contains a position, its edges included, among the few in a cell of a tenth of a degree. */
function finderOf(communes: Iterable<IndexedCommune>): (position: Position) => IndexedCommune[] {
  const tenths = (degrees: number): number => Math.floor(degrees * 10);
  const cellOf = (lat: number, lon: number): number => lat * 10_000 + lon;
  const cells = new Map<number, readonly IndexedCommune[]>();
  for (const commune of communes) {
    const { minLat, maxLat, minLon, maxLon } = commune.box ?? { minLat: 0, maxLat: -1, minLon: 0, maxLon: -1 };
    for (let lat = tenths(minLat); lat <= tenths(maxLat); lat++)
      for (let lon = tenths(minLon); lon <= tenths(maxLon); lon++) add(cells, cellOf(lat, lon), commune);
  }
  return ({ lat, lon }) =>
    (cells.get(cellOf(tenths(lat), tenths(lon))) ?? []).filter(
      ({ box }) => box !== null && boxContains(box, { lat, lon }),
    );
}

/** The boxes of 2017–18, with the codes and names of then; read again at each call. */
export function readOfficialBoxes() {
  const rows = readOfficialFile<readonly Readonly<{ id: string; name: string; bbox: Sides }>[]>(
    '@etalab/fr-bounding-boxes/dist/communes.json',
  );
  return rows.map(({ id, name, bbox }) => ({ code: id.slice('fr:commune:'.length), nom: name, sides: bbox }));
}

/** The smallest box around two. */
function unite([west, south, east, north]: Sides, [w, s, e, n]: Sides): Sides {
  return [Math.min(west, w), Math.min(south, s), Math.max(east, e), Math.max(north, n)];
}

function add<K>(lists: Map<K, readonly IndexedCommune[]>, key: K, commune: IndexedCommune): void {
  // What is pushed to a list takes room for more.
  lists.set(key, (lists.get(key) ?? []).concat(commune));
}
