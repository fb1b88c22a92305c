import { instantOf, isDate } from '../../codes/dates.js';
import { badUserInput, checkLength, checkMoment, checkNotOther, checkRna } from '../../graph/arguments.js';
import type { QueryParameters } from '../lists/paging.js';
import { type DepartmentFilter, departmentSpellings } from '../values/departments.js';
import type { Locality } from './nearest-address.js';
import { REMOTE } from './shapes.js';

type Given<T> = T | null | undefined;
type Words = Given<readonly string[]>;

interface MomentRange {
  readonly after?: Given<string>;
  readonly before?: Given<string>;
}

/** Every argument that narrows missions down; each field of the graph has some of them. */
export interface MissionFilter extends DepartmentFilter {
  readonly text?: Given<string>;
  readonly keywords?: Given<string>;
  readonly city?: Words;
  readonly country?: Words;
  readonly domain?: Words;
  readonly activity?: Words;
  readonly type?: Words;
  readonly publisher?: Words;
  readonly clientId?: Words;
  readonly associationId?: Words;
  readonly associationRNA?: Words;
  readonly organizationStatusJuridique?: Words;
  readonly remote?: Words;
  readonly openToMinors?: Given<boolean>;
  readonly reducedMobilityAccessible?: Given<boolean>;
  readonly snu?: Given<boolean>;
  readonly createdAt?: Given<MomentRange>;
  readonly startAt?: Given<MomentRange>;
}

/** Longest text searched for: beyond it, a URL gets too long for intermediate servers. */
const MAX_TEXT_LENGTH = 500;

const REMOTE_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(REMOTE).map(([word, value]) => [value, word]));

/**
 * The query parameters that express the filter to both eras of the service: a parameter unknown to one of them is
 * ignored there (volunteering 2.1). Throws `BAD_USER_INPUT` naming the argument.
 */
export function missionQuery(filter: MissionFilter): QueryParameters {
  for (const rna of filter.associationRNA ?? []) checkRna('associationRNA', rna);
  checkNotOther('remote', filter.remote);
  return [
    ...textQuery('text', filter.text),
    ...textQuery('keywords', filter.keywords),
    ...repeatedQuery('departmentName', departmentSpellings(filter)),
    ...repeatedQuery('country', filter.country),
    ...repeatedQuery('activity', filter.activity),
    ...joinedQuery('city', filter.city),
    ...joinedQuery('publisher', filter.publisher),
    ...repeatedQuery('domain', filter.domain),
    ...joinedQuery('associationId', filter.associationId),
    // The same number under both of its names: `associationRNA` until 2025, `organizationRNA` since.
    ...joinedQuery('associationRNA', filter.associationRNA),
    ...joinedQuery('organizationRNA', filter.associationRNA),
    ...repeatedQuery('organizationStatusJuridique', filter.organizationStatusJuridique),
    ...joinedQuery('clientId', filter.clientId),
    ...repeatedQuery('type', filter.type),
    ...joinedQuery(
      'remote',
      filter.remote?.map((value) => REMOTE_WORDS.get(value) ?? value),
    ),
    ...yesNoQuery('openToMinors', filter.openToMinors),
    ...yesNoQuery('reducedMobilityAccessible', filter.reducedMobilityAccessible),
    ...(filter.snu === true ? [['snu', 'true'] as const] : []),
    ...momentQuery('createdAt', filter.createdAt, 'after'),
    // The source sorts by start, latest first: with the end of the range sent, what lies in it comes first.
    ...momentQuery('startAt', filter.startAt, 'before'),
  ];
}

/** What is compared here because the source takes only one bound of a range. */
export interface DatedMission {
  readonly createdAt: string | null;
  readonly startAt: string | null;
}

/**
 * The rest of the filter, which the source cannot take: ranges with two bounds, both of which are compared here. Null
 * when there is no rest. A mission without the date, or with one that cannot be read, lies in no range.
 */
export function finishFilter({ createdAt, startAt }: MissionFilter): ((mission: DatedMission) => boolean) | null {
  const created = closedRange(createdAt);
  const started = closedRange(startAt);
  if (created === null && started === null) return null;
  return (mission) =>
    (created === null || created(() => mission.createdAt)) && (started === null || started(() => mission.startAt));
}

/** Whether one address satisfies the filter's conditions on places, which the service compares exactly. */
export function localityFilter(filter: MissionFilter): (locality: Locality) => boolean {
  const departments = departmentSpellings(filter);
  const { city, country } = filter;
  return (place) =>
    isOneOf(place.departmentName, departments) && isOneOf(place.city, city) && isOneOf(place.country, country);
}

function isOneOf(value: string | null, wanted: Words): boolean {
  return !isGiven(wanted) || wanted.length === 0 || (value !== null && wanted.includes(value));
}

function textQuery(name: string, value: Given<string>): QueryParameters {
  if (!isGiven(value)) return [];
  checkLength(name, value, { min: 1, max: MAX_TEXT_LENGTH });
  return [[name, value]];
}

/** Several values joined by a comma, where the seed documents it; otherwise, or with a comma in one, repeated. */
function joinedQuery(name: string, values: Words): QueryParameters {
  const query = repeatedQuery(name, values);
  return query.length < 2 || query.some(([, value]) => value.includes(','))
    ? query
    : [[name, query.map(([, value]) => value).join(',')]];
}

/**
 * One parameter for each value. Today's service splits a single one at every comma and knows no escape, but not those
 * that are sent twice or more (volunteering 2.2): a lone value with a comma goes out twice.
 */
function repeatedQuery(name: string, values: Words): QueryParameters {
  for (const value of values ?? []) checkLength(name, value, { min: 1, max: MAX_TEXT_LENGTH });
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
 * One bound, with the only two prefixes that work as documented (volunteering 3.4). Of two it is the one that `sent`
 * names; the other is left to `finishFilter`.
 */
function momentQuery(name: string, range: Given<MomentRange>, sent: 'after' | 'before'): QueryParameters {
  checkMoment(`${name}.after`, range?.after);
  checkMoment(`${name}.before`, range?.before);
  if (isGiven(range?.after) && isGiven(range?.before) && instant(range.after) >= instant(range.before)) {
    throw badUserInput(`${name}.after`, `must be before ${name}.before`);
  }
  const bounds = { after: range?.after, before: range?.before };
  const other = sent === 'after' ? 'before' : 'after';
  const side = isGiven(bounds[sent]) ? sent : other;
  const moment = bounds[side];
  return isGiven(moment) ? [[name, `${side === 'after' ? 'gt' : 'lt'}:${spelled(moment)}`]] : [];
}

/** The one spelling of a date-time that every date parser reads; the usual spellings stay as they are. */
function spelled(moment: string): string {
  return moment.toUpperCase().replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
}

/** Whether an instant lies strictly between the bounds; null for a range open on either side. */
function closedRange(range: Given<MomentRange>): ((read: () => string | null) => boolean) | null {
  if (!isGiven(range?.after) || !isGiven(range.before)) return null;
  const [after, before] = [instant(range.after), instant(range.before)];
  return (read) => {
    try {
      const moment = instant(read() ?? '');
      return after < moment && moment < before;
    } catch {
      return false;
    }
  };
}

/** Milliseconds since 1970, NaN for what is no instant. A bare date starts at midnight UTC, as at the source. */
function instant(moment: string): number {
  return isDate(moment) ? Date.parse(moment) : (instantOf(moment) ?? Number.NaN);
}

function isGiven<T>(value: Given<T>): value is NonNullable<T> {
  return value !== null && value !== undefined;
}
