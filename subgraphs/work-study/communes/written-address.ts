import type { Position } from '../../codes/distances.js';
import { foldPlaceName } from '../../codes/place-names.js';
import { departmentOfPostalCode } from '../../codes/postal.js';
import { communeIndex, type IndexedCommune } from './commune-index.js';

/** What a record says about its location: each part may be missing, empty or wrong. */
export interface WrittenAddress {
  readonly postalCode?: string | null | undefined;
  readonly city?: string | null | undefined;
  readonly departmentCode?: string | null | undefined;
  readonly country?: string | null | undefined;
  readonly location?: WrittenLocation | null | undefined;
}

interface WrittenLocation {
  readonly lon?: number | null | undefined;
  readonly lat?: number | null | undefined;
}

/** The communes that each part of an address allows. An empty list means that the part says nothing. */
export interface Evidence {
  /** The point; null when there is none, or it lies in no commune's box. */
  readonly point: Position | null;
  /** Communes whose box contains the point. */
  readonly byPoint: readonly IndexedCommune[];
  readonly byPostalCode: readonly IndexedCommune[];
  readonly byName: readonly IndexedCommune[];
  /** Department code; null if it is missing or only repeats the postal code. */
  readonly department: string | null;
}

/** France and the territories with ISO 3166 country codes of their own: both codes, and French names. */
const FRENCH_COUNTRIES = new Set(
  [
    ['FR', 'FRA', 'France', 'France métropolitaine', 'République française'],
    ['BL', 'BLM', 'Saint-Barthélemy'],
    ['GF', 'GUF', 'Guyane', 'Guyane française'],
    ['GP', 'GLP', 'Guadeloupe'],
    ['MF', 'MAF', 'Saint-Martin', 'Saint-Martin (partie française)'],
    ['MQ', 'MTQ', 'Martinique'],
    ['NC', 'NCL', 'Nouvelle-Calédonie'],
    ['PF', 'PYF', 'Polynésie française'],
    ['PM', 'SPM', 'Saint-Pierre-et-Miquelon'],
    ['RE', 'REU', 'Réunion', 'La Réunion', 'Île de la Réunion'],
    ['TF', 'ATF', 'Terres australes françaises', 'Terres australes et antarctiques françaises'],
    ['WF', 'WLF', 'Wallis-et-Futuna'],
    ['YT', 'MYT', 'Mayotte'],
  ].flatMap((country) => country.map(foldPlaceName)),
);

/** Whether an address may lie in France: its country is missing, France or a French territory. */
export function isFrench({ country }: WrittenAddress): boolean {
  const text = (country ?? '').trim();
  // The service turns `France` into `FR` only in feeds; other imports leave the text as it is (volunteering 7.6).
  return text === '' || FRENCH_COUNTRIES.has(foldPlaceName(text));
}

/** Looks up what each part of an address allows on its own. */
export function readEvidence(address: WrittenAddress): Evidence {
  const index = communeIndex();
  const postalCode = (address.postalCode ?? '').replace(/\s/g, '');
  const byPostalCode = index.byPostalCode.get(postalCode) ?? [];
  const point = readPoint(address.location);
  const byPoint = point === null ? [] : index.boxes.at(point);
  const department = (address.departmentCode ?? '').trim().toUpperCase();
  // The service derives a missing department from the postal code (volunteering 8), even if the code spans two.
  const repeatsPostalCode = byPostalCode.length > 0 && department === departmentOfPostalCode(postalCode);
  return {
    // A point in no box is ignored, so that it contradicts nothing.
    point: byPoint.length === 0 ? null : point,
    byPoint,
    byPostalCode,
    byName: index.byName.get(foldPlaceName(address.city ?? '')) ?? [],
    department: department === '' || repeatsPostalCode ? null : department,
  };
}

/** A position, or null: services write (0, 0) for a missing one. Longitude 0 alone is real. */
function readPoint(location: WrittenAddress['location']): Position | null {
  const { lon, lat } = location ?? {};
  if (typeof lon !== 'number' || typeof lat !== 'number') return null;
  return lon === 0 && lat === 0 ? null : { lon, lat };
}
