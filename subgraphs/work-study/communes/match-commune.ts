import { derived } from '../../../kernel/cached-object.js';
import { boxCentre, distanceKm, type Position } from '../../codes/distances.js';
import type { IndexedCommune } from './commune-index.js';
import { type Evidence, isFrench, readEvidence, type WrittenAddress } from './written-address.js';

/**
 * How a commune was found. `AMBIGUOUS` and `NONE` come without a code. `NEAREST_CENTRE` is a guess; all other methods
 * are certain.
 */
export type MatchMethod =
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

/**
 * The commune that an address lies in: of those whose boxes contain the point, narrowed by postal code and then by
 * name, the one with the nearest centre; without a point, by postal code and name. A step that would leave no candidate
 * is skipped. Makes no call. Matched once for a cached address.
 */
export const matchCommune = derived(matchAddress, ({ candidates }) => 200 + 100 * candidates.length);

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
export function narrowPoint(candidates: Communes, point: Position, evidence: Evidence): CommuneMatch {
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
export function matchWithoutPoint(evidence: Evidence): CommuneMatch {
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
