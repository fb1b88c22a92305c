import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { FieldArguments } from '../../../kernel/price.js';
import { ownValue } from '../../../kernel/text.js';
import { forEachInTurns, freshTurn } from '../../../runtime/event-loop/turns.js';
import { departmentByCode } from '../../codes/departments.js';
import { officialCommunes } from '../../codes/official-communes.js';
import { badUserInput, together } from '../../graph/arguments.js';
import { LIGHT_ROWS, type UpstreamRequest } from '../../rest/upstream.js';
import type { MissionCountKey, QueryMissionCountsArgs } from '../__generated__/resolvers.js';
import { isView, type ListQuery, type OffsetPage, type QueryParameters } from '../values/lists.js';
import { MAX_ROWS, type MissionsContext, requestListDigest, requestSearchDigest } from './client.js';
import { type DigestedMission, digestMission } from './digest.js';
import { aroundQuery, finishFilter, type MissionFilter, missionQuery } from './filters.js';
import { DOMAIN_LABELS, REMOTE_LABELS, TYPE_LABELS } from './labels.js';
import type { MissionView } from './shapes.js';
import { callsOfTotals, countByTotals, isMonth, monthOf, type ValueCount } from './totals.js';
import { MOST_PAGES, nextSkip, readAll, totalOf } from './walk.js';

/** Most keys that one query may combine. */
const MAX_KEYS = 2;

/** Counts, and whether they cover all missions that match. */
export interface MissionCounts {
  readonly total: number | null;
  readonly counted: number;
  readonly complete: boolean;
  readonly groups: readonly MissionCountGroup[];
}

/** Counts of all missions that a search finds, by one key or by combinations of two. */
export function countMissions(
  { by, ...filters }: QueryMissionCountsArgs,
  context: MissionsContext,
): Promise<MissionCounts> {
  const [own, around] = together(
    () => missionQuery(filters),
    () => aroundQuery(filters),
    () => checkKeys(by),
  );
  return countFound(by, { filters, filter: [...own, ...around], request: requestSearchDigest }, context);
}

/** The same of all missions that the list has. */
export async function countListed(
  by: readonly MissionCountKey[],
  filters: MissionFilter,
  context: MissionsContext,
): Promise<MissionCounts> {
  checkKeys(by);
  return countFound(by, { filters, filter: missionQuery(filters), request: requestListDigest }, context);
}

/** The same of missions that have been read. `total` is how many there are, if these are all; otherwise null. */
export async function countRead(
  by: readonly MissionCountKey[],
  { missions, total }: { readonly missions: readonly MissionView[]; readonly total: number | null },
): Promise<MissionCounts> {
  checkKeys(by);
  const { counted, groups, complete } = await groupMissions(digestsOf(missions), by);
  return { total, counted, complete: complete && total !== null, groups };
}

function* digestsOf(missions: readonly MissionView[]): Generator<DigestedMission> {
  for (const mission of missions) yield digestMission(mission);
}

interface Selection {
  readonly filters: MissionFilter;
  /** The same in the service's vocabulary. */
  readonly filter: QueryParameters;
  request(query: ListQuery): UpstreamRequest<OffsetPage<DigestedMission>>;
}

/** The counts of a request. Their first calls go one after the other, and so does what is left to read. */
interface Work {
  /** Whether one of them has more than a page, so that the next ones ask for totals before they read. */
  isLarge: boolean;
  /** The last of each. */
  first: Promise<unknown>;
  rest: Promise<unknown>;
}

const works = new WeakMap<object, Work>();

function workOf({ request }: OperationContext): Work {
  const work = works.get(request) ?? { isLarge: false, first: Promise.resolve(), rest: Promise.resolve() };
  works.set(request, work);
  return work;
}

function queued<T>(work: Work, turn: 'first' | 'rest', read: () => Promise<T>): Promise<T> {
  const done = work[turn].then(read, read);
  work[turn] = done;
  return done;
}

/**
 * If the first page has all missions, they are counted. Else the source is asked for the total of each value of the key,
 * where that takes fewer calls than all pages; they are then read to the end.
 */
async function countFound(
  by: readonly MissionCountKey[],
  { filters, filter, request }: Selection,
  { upstream, operation }: MissionsContext,
): Promise<MissionCounts> {
  const matches = finishFilter(filters);
  const work = workOf(operation);
  const requestOf = (query: ListQuery) => request({ ...query, filter: [...filter, ...query.filter], bulk: true });
  const read = async (query: ListQuery) => upstream.read(requestOf(query), operation);
  const isHeld = (skip: number, limit = MAX_ROWS) =>
    upstream.recall(requestOf({ filter: [], skip, limit }), operation)?.isFresh === true;
  const key = matches === null && by.length === 1 ? (by[0] ?? null) : null;
  // The whole list of the service is hardly ever one page, and one row says how long a list is.
  const hasTotals = key !== null && !isMonth(key) && callsOfTotals(key, filters, MOST_PAGES) !== null;
  const mayProbe = () => work.isLarge || (hasTotals && filter.length === 0);
  const [isProbe, first] = await queued(work, 'first', async () => {
    // If it said so before, the count goes the same way again, whose price is known.
    const isOne = mayProbe() && (!isHeld(0) || isHeld(0, 1));
    return [isOne, await read({ filter: [], skip: 0, limit: isOne ? 1 : MAX_ROWS })] as const;
  });
  const rows = first?.rows.filter(isView) ?? [];
  const total = totalOf(first) ?? 0;
  const isFirst = !isProbe || (totalOf(first) ?? 2) <= 1;
  const pages = Math.ceil((total - rows.length) / MAX_ROWS);
  const readRest = async () => {
    const found = await readAll(read, { first: isFirst ? first : null });
    const { counted, groups, complete } = await groupMissions(found.rows.values(), by, matches);
    // If part of the filter is applied here, the source's total includes missions that do not match.
    const matching = found.complete ? counted : null;
    // The service has missions, so a whole list of none is what it shows this key (volunteering 2.3).
    const isWhole = found.complete && complete && !(found.total === 0 && filter.length === 0);
    return { total: matches === null ? found.total : matching, counted, complete: isWhole, groups };
  };
  if (pages <= 0 || (first !== null && isFirst && isHeld(nextSkip(first, 0)))) return readRest();
  work.isLarge = true;
  const calls = key && callsOfTotals(key, filters, pages);
  const counts =
    key &&
    calls &&
    (await readInOrder({ pages: calls * TOTAL, total }, operation, () =>
      countByTotals(key, { total, pages, rows, search: read }),
    ));
  if (counts) return { total, counted: total, complete: true, groups: groupsOf(key, counts) };
  return readInOrder({ pages, total }, operation, readRest);
}

/** Most calls for a count with these arguments. */
export function callsOfCount(args: FieldArguments): number {
  const { by, ...filters } = args as QueryMissionCountsArgs;
  const [key] = by;
  const isOne = key !== undefined && by.length === 1 && finishFilter(filters) === null;
  const totals = isOne ? callsOfTotals(key, filters, MOST_PAGES) : null;
  // Where there are no more pages, they are read: each may begin halfway through the one before.
  return 1 + (totals === null ? MOST_PAGES : 2 * totals);
}

/** Milliseconds that the service takes for a page of a thousand rows, at least (volunteering 6.1). */
const PAGE_MS = 260;
/** What a total takes of that. */
const TOTAL = 0.17;
/** How much of the time left is given to counts. */
const SHARE = 0.7;

/**
 * Reads once all is read that began before. What could not end is refused: of a part, nobody could tell how far it is from
 * the whole.
 */
function readInOrder<T>(
  { pages, total }: { readonly pages: number; readonly total: number },
  operation: OperationContext,
  read: () => Promise<T>,
): Promise<T> {
  const { allowance, deadline } = operation;
  return queued(workOf(operation), 'rest', async () => {
    const time = (SHARE * deadline.remainingMs()) / PAGE_MS;
    // A page counts as one call for each hundred rows.
    const calls = ((allowance?.left() ?? Number.POSITIVE_INFINITY) * LIGHT_ROWS) / MAX_ROWS;
    const most = Math.floor(Math.min(MOST_PAGES, calls, time));
    if (pages <= most) return read();
    throw new CodedError(
      'COST_EXCEEDED',
      `To count these ${total} missions takes as much as ${Math.ceil(pages)} more calls of ${MAX_ROWS} rows, and this request has calls and time for ${most} here. Add filters, or count by one of DOMAIN, TYPE and REMOTE.`,
      { service: 'volunteering' },
    );
  });
}

function checkKeys(by: readonly MissionCountKey[]): void {
  if (by.length < 1 || by.length > MAX_KEYS) throw badUserInput('by', 'takes one key or two');
  if (new Set(by).size < by.length) throw badUserInput('by', 'names a key twice');
}

/** Most groups counted for one response. Further ones are left out, which `complete` reports. */
const MAX_GROUPS = 10_000;

/** The missions that share a value of a key, or a combination of two values: see `CountGroup`. */
interface MissionCountGroup {
  /** One value per key, in the order of the keys; null for missions without one. */
  readonly key: readonly (string | null)[];
  readonly label: readonly string[];
  readonly value: readonly (string | null)[];
  readonly count: number;
  readonly perThousandInhabitants: number | null;
}

/** A group while it is counted. */
interface CountedGroup extends Omit<MissionCountGroup, 'count' | 'perThousandInhabitants'> {
  count: number;
  /** Of its département; 0 where nobody lives, and without one. */
  readonly inhabitants: number;
}

/**
 * How many missions have each value of the keys, or each combination of values: `counted` are in all groups, `complete`
 * if every group is included. Lets the event loop turn: a small request may count ten thousand missions thirty times.
 */
export async function groupMissions(
  missions: Iterable<DigestedMission>,
  by: readonly MissionCountKey[],
  matches: ((mission: DigestedMission) => boolean) | null = null,
) {
  const groups = new Map<string, CountedGroup>();
  let [counted, complete] = [0, true];
  await forEachInTurns(missions, (mission) => {
    if (matches?.(mission) === false) return;
    counted += 1;
    for (const values of combinations(by.map((key) => valuesOf(mission, key)))) {
      const key = values.map(([value]) => value);
      const name = JSON.stringify(key);
      const group = groups.get(name);
      if (group !== undefined) group.count++;
      else if (groups.size < MAX_GROUPS) groups.set(name, groupOf(by, values, 1));
      else complete = false;
    }
  });
  await freshTurn();
  return { counted, groups: sorted(groups), complete };
}

/** Largest first, then by key. */
function sorted(groups: Iterable<readonly [name: string, CountedGroup]>): MissionCountGroup[] {
  const byName = [...groups].sort(([a, { count: m }], [b, { count: n }]) => n - m || (a < b ? -1 : 1));
  return byName.map(([, { inhabitants, ...group }]) => ({
    ...group,
    perThousandInhabitants: inhabitants > 0 ? (1000 * group.count) / inhabitants : null,
  }));
}

/** The groups of the values of one key that occur. */
function groupsOf(key: MissionCountKey, counts: readonly ValueCount[]): MissionCountGroup[] {
  const occurring = counts.filter(({ count }) => count > 0);
  return sorted(
    occurring.map(({ value, count }) => [
      JSON.stringify([value]),
      groupOf([key], [value === null ? NONE : [value, labelOf(key, value)]], count),
    ]),
  );
}

function groupOf(by: readonly MissionCountKey[], values: readonly Value[], count: number): CountedGroup {
  const key = values.map(([one]) => one);
  const label = values.map(([, text]) => text);
  const value = key.map((one, at) => (NOT_TAKEN.test(`${by[at]} ${one}`) ? null : one));
  const inhabitants = officialCommunes().inhabitants.get(key[by.indexOf('DEPARTMENT')] ?? '') ?? 0;
  return { key, label, value, count, inhabitants };
}

/** Keys, and a word of one, that no argument takes. */
const NOT_TAKEN = /^(ORGANIZATION|CREATED_MONTH|START_MONTH|REMOTE OTHER$)/;

/** A value to count by, and its label. */
type Value = readonly [key: string | null, label: string];

const NONE: Value = [null, 'Non renseigné'];

/** What a mission has of a key: a value, several or none. */
const OF_KEY: Readonly<Record<MissionCountKey, (mission: DigestedMission) => DigestedMission[keyof DigestedMission]>> =
  {
    DEPARTMENT: ({ departments }) => departments,
    ACTIVITY: ({ activities }) => activities,
    ORGANIZATION: ({ organization }) => organization,
    DOMAIN: ({ domain }) => domain,
    TYPE: ({ type }) => type,
    REMOTE: ({ remote }) => remote,
    CREATED_MONTH: ({ createdAt }) => monthOf(createdAt),
    START_MONTH: ({ startAt }) => monthOf(startAt),
  };

function valuesOf(mission: DigestedMission, key: MissionCountKey): readonly Value[] {
  const texts = [OF_KEY[key](mission)].flat().filter((value) => typeof value === 'string');
  return texts.length === 0 ? [NONE] : texts.map((value) => [value, labelOf(key, value, mission)]);
}

function labelOf(key: MissionCountKey, value: string, mission?: DigestedMission): string {
  if (key === 'DEPARTMENT') return departmentByCode(value)?.nom ?? value;
  if (key === 'ORGANIZATION') return mission?.organizationName ?? value;
  const labels = { DOMAIN: DOMAIN_LABELS, TYPE: TYPE_LABELS, REMOTE: REMOTE_LABELS };
  return ownValue(ownValue<Readonly<Record<string, string>>>(labels, key) ?? {}, value) ?? value;
}

/** The Cartesian product of the lists. */
function combinations(lists: readonly (readonly Value[])[]): Value[][] {
  return lists.reduce<Value[][]>(
    (heads, values) => heads.flatMap((head) => values.map((value) => [...head, value])),
    [[]],
  );
}
