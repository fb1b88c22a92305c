/**
 * The commune that a written address lies in: of a mission, a workplace or an organization's seat. Each part of an
 * address (point, postal code, name, département) is evidence, which allows some communes; the parts narrow each other.
 */

import { oncePerObject } from '../../../kernel/caches.js';
import {
  boxCentre,
  departmentOfPostalCode,
  distanceKm,
  foldPlaceName,
  isPlace,
  type Position,
  postalCodesIn,
} from '../../codes/places.js';
import { communeIndex, communesNamed, type IndexedCommune, resolveInsee } from './commune-index.js';

/**
 * How a commune was found. `AMBIGUOUS` and `NONE` come without a code. `NEAREST_CENTRE` is a guess; all other methods
 * are certain.
 */
type MatchMethod =
  | 'POINT'
  | 'POINT_AND_POSTAL_CODE'
  | 'POINT_AND_NAME'
  | 'NEAREST_CENTRE'
  | 'POSTAL_CODE'
  | 'NAME'
  | 'AMBIGUOUS'
  | 'NONE';

/** The commune of an address, and how it was found. */
export interface CommuneMatch {
  readonly method: MatchMethod;
  /** INSEE code of the current commune; null for AMBIGUOUS and NONE. */
  readonly insee: string | null;
  /** The remaining candidates, sorted by INSEE code. */
  readonly candidates: readonly CommuneCandidate[];
}

/** A commune that the address may lie in. */
export interface CommuneCandidate {
  readonly insee: string;
  readonly nom: string;
}

type Communes = readonly IndexedCommune[];

/** Within this distance a commune's centre counts as near: even neighbours of large communes lie within it. */
const NEARBY_KM = 20;

/** A mission's flat address, and in today's service the first of its addresses. */
interface MissionAddress extends WrittenAddress {
  readonly firstAddress?: WrittenAddress | null | undefined;
}

/**
 * The commune that a mission's address lies in: of those whose boxes contain the point, narrowed by postal code and then by
 * name, the one with the nearest centre; without a point, by postal code and name. A step that would leave no candidate
 * is skipped. Makes no call. Matched once for a cached address.
 *
 * The flat fields are copies of the first address, but to one partner they say Paris in every remote mission
 * (volunteering 4.1).
 */
export const matchCommune = oncePerObject((mission: MissionAddress) => matchAddress(mission.firstAddress ?? mission));

function matchAddress(address: WrittenAddress): CommuneMatch {
  if (!isFrench(address)) return NO_MATCH;
  const evidence = readEvidence(address);
  const { point } = evidence;
  if (point === null) return matchWithoutPoint(evidence);
  const candidates = [...evidence.byPoint, ...communesWithoutBox(evidence)];
  const contradicting = contradictionTo(candidates, evidence);
  if (contradicting.length > 0) return ambiguous([...candidates, ...contradicting]);
  const match = narrowPoint(candidates, point, evidence);
  return match.method === 'POINT' && nameSaysNearby(candidates, point, evidence)
    ? { ...match, method: 'NEAREST_CENTRE' }
    : match;
}

/** Chooses among the candidates that a point allows. Postal code and name only narrow the choice and never veto it. */
function narrowPoint(candidates: Communes, point: Position, evidence: Evidence): CommuneMatch {
  const [alone] = candidates;
  if (alone !== undefined && candidates.length === 1) return found('POINT', alone);
  const inPostalCode = narrow(candidates, evidence.byPostalCode);
  const [ofPostalCode] = inPostalCode;
  if (ofPostalCode !== undefined && inPostalCode.length === 1) return found('POINT_AND_POSTAL_CODE', ofPostalCode);
  const named = narrow(inPostalCode, evidence.byName);
  const [ofName] = named;
  if (ofName !== undefined && named.length === 1) return found('POINT_AND_NAME', ofName);
  return nearestCentre(inDepartment(named, evidence), point);
}

/** Matches by postal code and name, each narrowing the other; the department only breaks ties. */
function matchWithoutPoint(evidence: Evidence): CommuneMatch {
  const { byPostalCode, byName } = evidence;
  const named = byPostalCode.length === 0 ? byName : narrow(byPostalCode, byName);
  const left = inDepartment(named, evidence);
  const [only] = left;
  if (only === undefined) return NO_MATCH;
  if (left.length > 1) return ambiguous(left);
  const nameNeeded = byPostalCode.length === 0 || named.length < byPostalCode.length;
  return found(nameNeeded ? 'NAME' : 'POSTAL_CODE', only);
}

/**
 * Communes without a box that the written words name. If there is a point, they count only in a department that the
 * point may lie in.
 */
function communesWithoutBox({ byPoint, byPostalCode, byName }: Evidence): Communes {
  const departments = new Set(byPoint.map((commune) => commune.department));
  const written = byPostalCode.length === 0 ? byName : narrow(byPostalCode, byName);
  return written.filter(
    (commune) =>
      commune.box === null && departments.has(commune.department) && (byName.length === 0 || byName.includes(commune)),
  );
}

/**
 * The communes by which postal code and name together contradict a point, empty if they do not: those that both name,
 * or if they have none in common, all that either names.
 */
function contradictionTo(candidates: Communes, { byPostalCode, byName }: Evidence): Communes {
  if (byPostalCode.length === 0 || byName.length === 0) return [];
  const both = byPostalCode.filter((commune) => byName.includes(commune));
  if (both.length > 0) return shareNone(candidates, both) ? both : [];
  const each = [...byPostalCode, ...byName];
  return shareNone(candidates, each) ? each : [];
}

/**
 * Whether a name, without a postal code to check it against, is that of a nearby commune but of no candidate. The point
 * may then be a neighbour's: it is still believed, but the match is a guess. The name of a distant commune says
 * nothing, because hamlets share their names with communes elsewhere.
 */
function nameSaysNearby(candidates: Communes, point: Position, { byPostalCode, byName }: Evidence): boolean {
  return (
    byPostalCode.length === 0 &&
    shareNone(candidates, byName) &&
    byName.some(({ box }) => box !== null && distanceKm(boxCentre(box), point) <= NEARBY_KM)
  );
}

function nearestCentre(candidates: Communes, point: Position): CommuneMatch {
  const ranked = candidates
    .flatMap((commune) => (commune.box === null ? [] : { commune, km: distanceKm(boxCentre(commune.box), point) }))
    .sort((one, other) => one.km - other.km);
  const [first, second] = ranked;
  if (first === undefined || first.km === second?.km) return ambiguous(candidates);
  return { method: 'NEAREST_CENTRE', insee: first.commune.insee, candidates: listed(candidates) };
}

/** The candidates that are also on the other list; all candidates if none is. */
function narrow(candidates: Communes, by: Communes): Communes {
  const both = candidates.filter((commune) => by.includes(commune));
  return both.length === 0 ? candidates : both;
}

/** Breaks a tie by department; if none of the candidates is in it, all remain. */
function inDepartment(candidates: Communes, { department }: Evidence): Communes {
  const there = candidates.filter((commune) => commune.department === department);
  return there.length === 0 ? candidates : there;
}

function shareNone(some: Communes, others: Communes): boolean {
  return !some.some((commune) => others.includes(commune));
}

const NO_MATCH: CommuneMatch = { method: 'NONE', insee: null, candidates: [] };

function found(method: MatchMethod, commune: IndexedCommune): CommuneMatch {
  return { method, insee: commune.insee, candidates: listed([commune]) };
}

function ambiguous(candidates: Communes): CommuneMatch {
  return { method: 'AMBIGUOUS', insee: null, candidates: listed(candidates) };
}

function listed(communes: Communes): CommuneCandidate[] {
  return [...new Set(communes)]
    .sort((one, other) => (one.insee < other.insee ? -1 : 1))
    .map(({ insee, nom }) => ({ insee, nom }));
}

/**
 * INSEE code of the current commune of a workplace: by its geopoint, in `[lon, lat]` order; without a usable one, by
 * the postal code in the address and the name after it. Null when neither leads to a single commune.
 */
export function matchWorkplaceCommune(
  geopoint: readonly number[] | null | undefined,
  address: string | null | undefined,
): string | null {
  const [lon, lat] = geopoint ?? [];
  const evidence = readEvidence({ location: { lon, lat }, ...readAddressText(address ?? '') });
  const { point, byPoint } = evidence;
  // The address narrows a point but never overrules it: when an offer is delegated, the address is the training
  // centre's, while the geopoint is still the employer's (work-study 8.4).
  return (point === null ? matchWithoutPoint(evidence) : narrowPoint(byPoint, point, evidence)).insee;
}

/** A workplace's position and address, as the service writes them. */
interface Workplace {
  readonly location: {
    readonly geopoint: { readonly coordinates: readonly number[] | null } | null;
    readonly address: string | null;
  } | null;
}

/** The commune of a workplace, matched once for a cached one. */
export const communeOfWorkplace = oncePerObject(({ location }: Workplace) =>
  matchWorkplaceCommune(location?.geopoint?.coordinates, location?.address),
);

/** Postal code and city of `12 rue de la Paix 75002 Paris`: the last number that is a postal code, and the rest. */
function readAddressText(text: string): { postalCode?: string; city?: string } {
  const numbers = postalCodesIn(text);
  // Postal codes of bulk recipients (CEDEX) are on no list; then only the city helps.
  const postalCode = numbers.find((code) => communeIndex().byPostalCode.has(code)) ?? numbers[0];
  if (postalCode === undefined) return {};
  const [city = ''] = text.slice(text.lastIndexOf(postalCode) + postalCode.length).split(',');
  return { postalCode, city };
}

/** An organization's seat as written in the register. */
export interface OrganizationSeat {
  readonly addressInseeCode?: string | null | undefined;
  readonly addressPostalCode?: string | null | undefined;
  readonly addressCity?: string | null | undefined;
}

/**
 * INSEE code of the current commune of an organization's seat: from the written code, resolved if it is an
 * arrondissement's or a former commune's. If that is missing, not a code (`0`, `INSEE`: volunteering 9) or a repeated
 * postal code, from postal code and name. Null when nothing fits, or several communes do. Matched once for a cached
 * organization.
 */
export const matchOrganizationCommune = oncePerObject(matchSeat);

function matchSeat(seat: OrganizationSeat): string | null {
  const code = (seat.addressInseeCode ?? '').trim();
  const postalCode = padded(seat.addressPostalCode ?? '');
  const written = resolveInsee(code);
  if (written !== null && code !== postalCode) return written;
  const evidence = readEvidence({ postalCode, city: seat.addressCity });
  // A postal code can be an INSEE code too: 75011 was Bonneuil-sur-Marne's until 1968, 69001 is Affoux's.
  return written !== null && !nameOneCommune(evidence) ? written : matchWithoutPoint(evidence).insee;
}

function nameOneCommune({ byPostalCode, byName }: Evidence): boolean {
  return byPostalCode.filter((commune) => byName.includes(commune)).length === 1;
}

/** A postal code with the leading zero that the register drops (volunteering 9). */
function padded(postalCode: string): string {
  return postalCode.trim().replace(/^\d{4}$/, '0$&');
}

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

/** The communes that each part of an address allows on its own. An empty list means that the part says nothing. */
type Evidence = ReturnType<typeof readEvidence>;

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
function isFrench({ country }: WrittenAddress): boolean {
  const text = (country ?? '').trim();
  // The service turns `France` into `FR` only in feeds; other imports leave the text as it is (volunteering 7.6).
  return text === '' || FRENCH_COUNTRIES.has(foldPlaceName(text));
}

function readEvidence(address: WrittenAddress) {
  const index = communeIndex();
  const postalCode = (address.postalCode ?? '').replace(/\s/g, '');
  const byPostalCode = index.byPostalCode.get(postalCode) ?? [];
  const point = readPoint(address.location);
  const byPoint = point === null ? [] : index.at(point);
  const department = (address.departmentCode ?? '').trim().toUpperCase();
  // The service derives a missing department from the postal code (volunteering 8), even if the code spans two.
  const repeatsPostalCode = byPostalCode.length > 0 && department === departmentOfPostalCode(postalCode);
  return {
    /** Null when there is none; one in no box is ignored, so that it contradicts nothing. */
    point: byPoint.length === 0 ? null : point,
    /** Communes whose box contains the point. */
    byPoint,
    byPostalCode,
    /** Null if it is missing or only repeats the postal code. */
    department: department === '' || repeatsPostalCode ? null : department,
    // Folded where it is asked for: most points need no name.
    get byName(): Communes {
      return communesNamed(foldPlaceName(address.city ?? ''));
    },
  };
}

function readPoint(location: WrittenAddress['location']): Position | null {
  const { lon, lat } = location ?? {};
  if (typeof lon !== 'number' || typeof lat !== 'number') return null;
  return isPlace({ lon, lat }) ? { lon, lat } : null;
}
