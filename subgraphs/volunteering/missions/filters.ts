import { instantOf, spelled } from '../../../kernel/dates.js';
import { boundingBox, type Position } from '../../codes/places.js';
import {
  badUserInput,
  checkLength,
  checkMoments,
  checkRange,
  checkRna,
  eachItem,
  readPosition,
  together,
} from '../../graph/arguments.js';
import type { PageArguments } from '../../graph/connection.js';
import { orNull } from '../../rest/shape.js';
import type { DateTimeRange, QueryMissionSearchArgs, QueryMissionsArgs } from '../__generated__/resolvers.js';
import { departmentSpellings } from '../values/departments.js';
import type { QueryParameters } from '../values/lists.js';
import type { Locality } from './near.js';
import { REMOTE } from './shapes.js';

type Given<T> = T | null | undefined;
type Words = Given<readonly string[]>;

/** Where to search, in which distance, and whether sorted by it. */
export type Around = Pick<QueryMissionSearchArgs, 'lat' | 'lon' | 'distance' | 'sortBy'>;

/** All arguments that filter missions; each field of the graph has some of them. */
export type MissionFilter = Omit<QueryMissionsArgs & QueryMissionSearchArgs, keyof PageArguments | keyof Around>;

/** Longest text to search for: beyond it, URLs get too long for intermediate servers. */
const MAX_TEXT_LENGTH = 500;

const REMOTE_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(REMOTE).map(([word, value]) => [value, word]));

/**
 * The query parameters of the filter for both eras of the service, each of which ignores parameters that it does not
 * know (volunteering 2.1). Throws `BAD_USER_INPUT`, naming the argument.
 */
export function missionQuery(filter: MissionFilter): QueryParameters {
  return together(
    () => textQuery('text', filter.text),
    () => textQuery('keywords', filter.keywords),
    () => repeatedQuery('departmentName', departmentSpellings(filter)),
    () => repeatedQuery('country', filter.country),
    () => repeatedQuery('activity', filter.activity),
    () => joinedQuery('city', filter.city),
    () => joinedQuery('publisher', filter.publisher),
    () => repeatedQuery('domain', filter.domain),
    () => joinedQuery('associationId', filter.associationId),
    () => rnaQuery(filter.associationRNA),
    () => repeatedQuery('organizationStatusJuridique', filter.organizationStatusJuridique),
    () => joinedQuery('clientId', filter.clientId),
    () => repeatedQuery('type', filter.type),
    () =>
      joinedQuery(
        'remote',
        filter.remote?.map((value) => REMOTE_WORDS.get(value) ?? value),
      ),
    () => yesNoQuery('openToMinors', filter.openToMinors),
    () => yesNoQuery('reducedMobilityAccessible', filter.reducedMobilityAccessible),
    (): QueryParameters => (filter.snu === true ? [['snu', 'true']] : []),
    () => momentQuery('createdAt', filter.createdAt, 'after'),
    // The source sorts by start, latest first, so sending the end of the range puts missions in it first.
    () => momentQuery('startAt', filter.startAt, 'before'),
  ).flat();
}

/** The dates compared here because the source accepts only one bound of a range. */
interface DatedMission {
  readonly createdAt: string | null;
  readonly startAt: string | null;
}

/**
 * The part of the filter that the source cannot apply: ranges with two bounds, both of which are compared here; null
 * when there is none. A mission without the date, or with one that cannot be read, is in no range.
 */
export function finishFilter({ createdAt, startAt }: MissionFilter): ((mission: DatedMission) => boolean) | null {
  const created = closedRange(createdAt);
  const started = closedRange(startAt);
  if (created === null && started === null) return null;
  return (mission) =>
    (created === null || created(() => mission.createdAt)) && (started === null || started(() => mission.startAt));
}

/** Returns whether an address satisfies the filter's conditions on places, compared exactly, as the service does. */
export function localityFilter(filter: MissionFilter): (locality: Locality) => boolean {
  const departments = departmentSpellings(filter);
  const { city, country } = filter;
  return (place) =>
    isOneOf(place.departmentName, departments) && isOneOf(place.city, city) && isOneOf(place.country, country);
}

function isOneOf(value: string | null, wanted: Words): boolean {
  return !isGiven(wanted) || wanted.length === 0 || (value !== null && wanted.includes(value));
}

/**
 * A text to search for. `%`, `_` and `\` are wildcards of today's service, and mean themselves after a `\`; the document
 * store reads that in the same way, and the documented era not at all (volunteering 2.1).
 */
function textQuery(name: string, value: Given<string>): QueryParameters {
  if (!isGiven(value)) return [];
  checkLength(name, value, { min: 1, max: MAX_TEXT_LENGTH });
  return [[name, value.replace(/[\\%_]/g, '\\$&')]];
}

/** The texts of a query in which `textQuery` escaped something, as they were before. */
export function escapedTexts(query: QueryParameters = []): string[] {
  return query
    .filter(([name, value]) => (name === 'text' || name === 'keywords') && value.includes('\\'))
    .map(([, value]) => value.replace(/\\(.)/gs, '$1'));
}

/** The same numbers under both names: `associationRNA` until 2025, `organizationRNA` since. */
function rnaQuery(rnas: Words): QueryParameters {
  eachItem('associationRNA', rnas, checkRna);
  return [...joinedQuery('associationRNA', rnas), ...joinedQuery('organizationRNA', rnas)];
}

/** The RNA numbers of a query; null if it has none. */
export function organizationRnas(query: QueryParameters = []): ReadonlySet<string | null> | null {
  const values = query.filter(([name]) => name === 'organizationRNA').flatMap(([, value]) => value.split(','));
  return values.length === 0 ? null : new Set(values);
}

/** Several values joined by commas, as the seed documents for this parameter; repeated if one contains a comma. */
function joinedQuery(name: string, values: Words): QueryParameters {
  const query = repeatedQuery(name, values);
  return query.length < 2 || query.some(([, value]) => value.includes(','))
    ? query
    : [[name, query.map(([, value]) => value).join(',')]];
}

/**
 * One parameter per value. Today's service splits a single parameter at every comma, without any escape, but not
 * parameters sent twice or more (volunteering 2.2), so a lone value with a comma is sent twice.
 */
function repeatedQuery(name: string, values: Words): QueryParameters {
  eachItem(name, values, (item, value) => checkLength(item, value, { min: 1, max: MAX_TEXT_LENGTH }));
  const [first, ...others] = values ?? [];
  if (first === undefined) return [];
  return (others.length === 0 && first.includes(',') ? [first, first] : [first, ...others]).map((value) => [
    name,
    value,
  ]);
}

function yesNoQuery(name: string, value: Given<boolean>): QueryParameters {
  return isGiven(value) ? [[name, value ? 'yes' : 'no']] : [];
}

/**
 * One bound, with one of the only two prefixes that work as documented (volunteering 3.4). Of two bounds, the one that
 * `sent` names; the other is left to `finishFilter`.
 */
function momentQuery(name: string, range: Given<DateTimeRange>, sent: 'after' | 'before'): QueryParameters {
  checkMoments(name, range);
  const other = sent === 'after' ? 'before' : 'after';
  const side = isGiven(range?.[sent]) ? sent : other;
  const moment = range?.[side];
  return isGiven(moment) ? [[name, `${side === 'after' ? 'gt' : 'lt'}:${spelled(moment)}`]] : [];
}

/** Returns whether an instant is strictly between the bounds; null for a range open on either side. */
function closedRange(range: Given<DateTimeRange>): ((read: () => string | null) => boolean) | null {
  if (!isGiven(range?.after) || !isGiven(range.before)) return null;
  const [after, before] = [instantOf(range.after), instantOf(range.before)];
  return (read) => {
    const moment = instantOf(orNull(read) ?? '');
    return after < moment && moment < before;
  };
}

function isGiven<T>(value: Given<T>): value is NonNullable<T> {
  return value !== null && value !== undefined;
}

/** Half the circumference of the earth: nothing is farther away. */
const FARTHEST_KM = 20_016;
/** Kilometres in a degree, by which today's service draws its box (volunteering 3.3). */
const BOX_KM_PER_DEGREE = 111.32;

/** The centre of a search; null without one. Throws `BAD_USER_INPUT` for coordinates out of range. */
export function pointOf({ lat, lon }: Around): Position | null {
  return readPosition({ lat: 'lat', lon: 'lon' }, lat, lon);
}

/** The geographic part of a search and its order. Throws `BAD_USER_INPUT` if a distance or order lacks its point. */
export function aroundQuery(around: Around): QueryParameters {
  const { distance, sortBy } = around;
  const [centre] = together(
    () => pointOf(around),
    () => checkRange('distance', distance, { min: 0, max: FARTHEST_KM, unit: 'km' }),
  );
  if (centre === null && (distance ?? null) !== null) throw badUserInput('distance', 'needs lat and lon');
  if (centre === null && sortBy === 'LOCALISATION') throw badUserInput('sortBy', 'LOCALISATION needs lat and lon');
  return [
    ...(centre === null ? [] : pointQuery(centre)),
    ...((distance ?? null) === null ? [] : [['distance', writeDistance(distance ?? 0)] as const]),
    ...(sortBy ? [['sortBy', sortBy === 'CREATED_AT' ? 'createdAt' : 'localisation'] as const] : []),
  ];
}

/** A search that covers everything within `radiusKm` of the centre and a little more; nearest first where sorted. */
export function nearQuery(centre: Position, radiusKm: number): QueryParameters {
  return [
    ...pointQuery(centre),
    ['distance', writeDistance(coveringDistance(centre, radiusKm))],
    ['sortBy', 'localisation'],
  ];
}

/** A coordinate of exactly 0 switches the geographic filter off (volunteering 2.1), so it is moved by 0.1 mm. */
function pointQuery({ lat, lon }: Position): QueryParameters {
  const write = (degrees: number): string => (degrees === 0 ? '0.000000001' : String(degrees));
  return [
    ['lat', write(lat)],
    ['lon', write(lon)],
  ];
}

/**
 * Whole kilometres as `10km`; anything else in metres, because today's service reads only a leading integer: `10.5km`
 * would be ten. Never zero: it reads `0km` as ten kilometres, and older versions `0m` as fifty (volunteering 3.3).
 */
export function writeDistance(km: number): string {
  if (Number.isInteger(km) && km > 0) return `${km}km`;
  // Rounded up, so that nothing within the distance is lost, but not for a mere floating-point error.
  return `${Math.max(1, Math.ceil(Number((km * 1000).toFixed(3))))}m`;
}

/**
 * The distance whose box contains the whole circle: today's service draws its box with 111.32 km to the degree,
 * slightly smaller than the circle.
 */
function coveringDistance(centre: Position, radiusKm: number): number {
  const { maxLat, maxLon } = boundingBox(centre, radiusKm);
  const lonReach = (maxLon - centre.lon) * Math.cos((centre.lat * Math.PI) / 180);
  return Math.max(radiusKm, (maxLat - centre.lat) * BOX_KM_PER_DEGREE, lonReach * BOX_KM_PER_DEGREE);
}
