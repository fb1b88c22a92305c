import { instantOf, isDate } from '../../codes/dates.js';
import { badUserInput, checkLength, checkMoment, checkNotOther, checkRna } from '../../graph/arguments.js';
import type { QueryParameters } from '../paging.js';
import { REMOTE } from './shapes.js';

type Given<T> = T | null | undefined;
type Words = Given<readonly string[]>;

export interface MomentRange {
  readonly after?: Given<string>;
  readonly before?: Given<string>;
}

/** Every argument that narrows missions down; each field of the graph has some of them. */
export interface MissionFilter {
  readonly text?: Given<string>;
  readonly keywords?: Given<string>;
  readonly city?: Words;
  readonly departmentName?: Words;
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

/** Longest text that is looked for: beyond, an address gets too long for servers on the way. */
const MAXIMUM_TEXT = 500;

const REMOTE_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(REMOTE).map(([word, value]) => [value, word]));

/**
 * The query parameters that say the filter to both eras of the service: a parameter that one of them does not know is
 * ignored there (volunteering 11, 24). Throws `BAD_USER_INPUT` naming the argument.
 */
export function missionQuery(filter: MissionFilter): QueryParameters {
  for (const rna of filter.associationRNA ?? []) checkRna('associationRNA', rna);
  checkNotOther('remote', filter.remote);
  return [
    ...textQuery('text', filter.text),
    ...textQuery('keywords', filter.keywords),
    ...wordsQuery('departmentName', filter.departmentName),
    ...wordsQuery('country', filter.country),
    ...wordsQuery('activity', filter.activity),
    ...wordsQuery('city', filter.city),
    ...wordsQuery('publisher', filter.publisher),
    ...wordsQuery('domain', filter.domain),
    ...wordsQuery('associationId', filter.associationId),
    // The same number under both names that it had: `associationRNA` until 2025, `organizationRNA` since.
    ...wordsQuery('associationRNA', filter.associationRNA),
    ...wordsQuery('organizationRNA', filter.associationRNA),
    ...wordsQuery('organizationStatusJuridique', filter.organizationStatusJuridique),
    ...wordsQuery('clientId', filter.clientId),
    ...typeQuery(filter.type),
    ...wordsQuery(
      'remote',
      filter.remote?.map((value) => REMOTE_WORDS.get(value) ?? value),
    ),
    ...yesNoQuery('openToMinors', filter.openToMinors),
    ...yesNoQuery('reducedMobilityAccessible', filter.reducedMobilityAccessible),
    ...(filter.snu === true ? [['snu', 'true'] as const] : []),
    ...momentQuery('createdAt', filter.createdAt),
    ...momentQuery('startAt', filter.startAt),
  ];
}

/** What is compared here because the source takes one bound of a range only. */
export interface DatedMission {
  readonly createdAt: string | null;
  readonly startAt: string | null;
}

/**
 * The rest of the filter, which the source cannot take: the second bound of each range that has two. Null when there
 * is no rest. A mission without the date, or with one that cannot be read, lies in no range.
 */
export function finishFilter({ createdAt, startAt }: MissionFilter): ((mission: DatedMission) => boolean) | null {
  const created = secondBound(createdAt);
  const started = secondBound(startAt);
  if (created === null && started === null) return null;
  return (mission) =>
    (created === null || isBefore(() => mission.createdAt, created)) &&
    (started === null || isBefore(() => mission.startAt, started));
}

function textQuery(name: string, value: Given<string>): QueryParameters {
  if (value === null || value === undefined) return [];
  checkLength(name, value, { min: 1, max: MAXIMUM_TEXT });
  return [[name, value]];
}

/**
 * Several values joined by a comma. The source splits at every comma and knows no escape, but does not split what is
 * sent twice or more: a value that has a comma itself goes out in that form, alone even twice (volunteering 2.2).
 */
function wordsQuery(name: string, values: Words): QueryParameters {
  if (values === null || values === undefined || values.length === 0) return [];
  for (const value of values) checkLength(name, value, { min: 1, max: MAXIMUM_TEXT });
  if (!values.some((value) => value.includes(','))) return [[name, values.join(',')]];
  const [first = '', ...others] = values;
  return [first, ...(others.length === 0 ? [first] : others)].map((value) => [name, value]);
}

/** The one filter that today's service splits at no comma: several values are several parameters (volunteering 2.1). */
function typeQuery(values: Words): QueryParameters {
  for (const value of values ?? []) checkLength('type', value, { min: 1, max: MAXIMUM_TEXT });
  return (values ?? []).map((value) => ['type', value]);
}

function yesNoQuery(name: string, value: Given<boolean>): QueryParameters {
  return value === null || value === undefined ? [] : [[name, value ? 'yes' : 'no']];
}

/** One bound, with the only two prefixes that mean what they say (volunteering 3.4). */
function momentQuery(name: string, range: Given<MomentRange>): QueryParameters {
  checkMoment(`${name}.after`, range?.after);
  checkMoment(`${name}.before`, range?.before);
  const after = instant(range?.after);
  const before = instant(range?.before);
  if (after !== null && before !== null && after >= before) {
    throw badUserInput(`${name}.after`, `must lie before ${name}.before`);
  }
  if (range?.after) return [[name, `gt:${spelled(range.after)}`]];
  return range?.before ? [[name, `lt:${spelled(range.before)}`]] : [];
}

/** The one spelling of a date-time that every date parser reads; the usual spellings stay as they are. */
function spelled(moment: string): string {
  return moment.toUpperCase().replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
}

function secondBound(range: Given<MomentRange>): number | null {
  return range?.after ? instant(range.before) : null;
}

function isBefore(read: () => string | null, bound: number): boolean {
  try {
    const moment = instant(read());
    return moment !== null && moment < bound;
  } catch {
    return false;
  }
}

/** A bare date begins at midnight UTC, as at the source. */
function instant(moment: Given<string>): number | null {
  if (moment === null || moment === undefined) return null;
  return isDate(moment) ? Date.parse(moment) : instantOf(moment);
}
