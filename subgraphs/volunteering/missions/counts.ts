import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { FieldArguments } from '../../../kernel/price.js';
import { forEachInTurns, freshTurn } from '../../../runtime/event-loop/turns.js';
import { departmentByCode } from '../../codes/departments.js';
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

/** What a request counts at the moment, with all that it has counted before. */
const counting = new WeakMap<object, Promise<unknown>>();

/** A request's counts go one after the other: if all were begun at once, none would end in time. */
function countFound(
  by: readonly MissionCountKey[],
  selection: Selection,
  context: MissionsContext,
): Promise<MissionCounts> {
  const { request } = context.operation;
  const count = () => countAlone(by, selection, context);
  const counts = (counting.get(request) ?? Promise.resolve()).then(count, count);
  counting.set(request, counts);
  return counts;
}

/**
 * If the first page has all missions, they are counted. Else the source is asked for the total of each value of the key,
 * where that takes fewer calls than all pages; they are then read to the end.
 */
async function countAlone(
  by: readonly MissionCountKey[],
  selection: Selection,
  { upstream, operation }: MissionsContext,
): Promise<MissionCounts> {
  const { filters, filter, request } = selection;
  const matches = finishFilter(filters);
  const requestOf = (query: ListQuery) => request({ ...query, filter: [...filter, ...query.filter], bulk: true });
  const read: Search = async (query) => upstream.read(requestOf(query), operation);
  const isHeld = (skip: number, limit = MAX_ROWS) =>
    upstream.recall(requestOf({ filter: [], skip, limit }), operation)?.isFresh === true;
  const key = matches === null && by.length === 1 ? (by[0] ?? null) : null;
  // The whole list of the service is hardly ever one page, and one row says how long it is.
  const mayProbe = key !== null && filter.length === 0 && callsOfTotals(key, filters) !== null;
  // If it said so before, the count goes the same way again, whose price is known.
  const isProbe = mayProbe && (!isHeld(0) || isHeld(0, 1));
  const remainingMs = operation.deadline.remainingMs();
  const first = await read({ filter: [], skip: 0, limit: isProbe ? 1 : MAX_ROWS });
  const pageMs = Math.max(PAGE_MS, remainingMs - operation.deadline.remainingMs());
  const rows = (first?.rows ?? []).filter(isView);
  const total = totalOf(first);
  const pages = total === null ? 0 : Math.ceil((total - rows.length) / MAX_ROWS);
  if (total !== null && pages > 0 && (isProbe || !isHeld(nextSkip(rows, 0)))) {
    const counts = key && (await countByTotals(key, { filters, total, pages, rows, search: read }));
    if (key && counts) return { total, counted: total, complete: true, groups: groupsOf(key, counts) };
    checkPages({ pages, pageMs, total }, operation);
  }
  const found = await readMissions(read, isProbe && (total ?? 2) > 1 ? null : first);
  const { counted, groups, complete } = await groupMissions(found.missions, by, matches);
  // If part of the filter is applied here, the source's total includes missions that do not match.
  const matching = found.complete ? counted : null;
  // The service has missions, so a whole list of none is what it shows this key (volunteering 2.3).
  const isWhole = found.complete && complete && !(found.total === 0 && filter.length === 0);
  return { total: matches === null ? found.total : matching, counted, complete: isWhole, groups };
}

/** Most calls for a count with these arguments. */
export function callsOfCount(args: FieldArguments): number {
  const { by, ...filters } = args as QueryMissionCountsArgs;
  const [key] = by;
  const isOne = key !== undefined && by.length === 1 && finishFilter(filters) === null;
  const totals = isOne ? callsOfTotals(key, filters) : null;
  // Months may be asked for in vain. Each page may begin halfway through the one before.
  if (totals === null) return 1 + (isOne && isMonth(key) ? 2 * MOST_PAGES : MOST_PAGES);
  return 1 + Math.min(MOST_PAGES, 2 * totals);
}

/** Most pages of a count: twice what the service has, in three fifths of the time that a request has (volunteering 6.1). */
const MOST_PAGES = 60;
/** Milliseconds that the service takes for a page of a thousand rows, at least (volunteering 6.1). */
const PAGE_MS = 260;

/** Refuses to begin a count that could not end: of a part, nobody could tell how far it is from the whole. */
function checkPages(
  { pages, pageMs, total }: { readonly pages: number; readonly pageMs: number; readonly total: number },
  { allowance, deadline, dryRun }: OperationContext,
): void {
  const time = deadline.remainingMs() / pageMs;
  // A page counts as one call for each hundred rows.
  const calls = ((allowance?.left() ?? Number.POSITIVE_INFINITY) * LIGHT_ROWS) / MAX_ROWS;
  const most = Math.floor(Math.min(MOST_PAGES, calls, time));
  if (dryRun === true || pages <= most) return;
  throw new CodedError(
    'COST_EXCEEDED',
    `To count these ${total} missions takes ${pages} more calls of ${MAX_ROWS} rows, and this request has calls and time for ${most} here. Add filters, or count by one of DOMAIN, TYPE and REMOTE.`,
    { service: 'volunteering' },
  );
}

function checkKeys(by: readonly MissionCountKey[]): void {
  if (by.length < 1 || by.length > MAX_KEYS) throw badUserInput('by', 'takes one key or two');
  if (new Set(by).size < by.length) throw badUserInput('by', 'names a key twice');
}

interface CountedMissions {
  readonly missions: readonly DigestedMission[];
  /** How many missions match at the source; null if it does not say. */
  readonly total: number | null;
  /** Whether all of them are included. */
  readonly complete: boolean;
}

/** Reads rows of a list. The filter is added to that of the list. */
export type Search = (query: ListQuery) => Promise<OffsetPage<DigestedMission> | null>;

/**
 * All missions of a list, page by page; the first may have been read. A page begins with the first mission of the same
 * start as the last one before: their order may change from call to call, so each is counted once. They are gathered in
 * turns of the event loop.
 */
export async function readMissions(
  search: Search,
  first: OffsetPage<DigestedMission> | null = null,
): Promise<CountedMissions> {
  const missions = new Map<string, DigestedMission>();
  let page = first;
  let total: number | null = null;
  let skip = 0;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    page ??= await search({ filter: [], skip, limit: MAX_ROWS });
    const rows = (page?.rows ?? []).filter(isView);
    const before = missions.size;
    await forEachInTurns([...rows.entries()], ([index, row]) => {
      missions.set(row.id ?? `without id ${skip + index}`, row);
    });
    total = totalOf(page);
    if (total === null || missions.size === before || skip + rows.length >= total) break;
    skip = nextSkip(rows, skip);
    page = null;
  }
  // Without a total, a short page may only mean that the source serves no larger ones.
  return { missions: [...missions.values()], total, complete: total !== null && missions.size >= total };
}

/** Where the page after these rows begins: at most halfway back, however many have the same start. */
function nextSkip(rows: readonly DigestedMission[], skip: number): number {
  const tie = rows.findLastIndex(({ startAt }) => startAt !== rows.at(-1)?.startAt) + 1;
  return skip + Math.max(tie, Math.ceil(rows.length / 2));
}

function totalOf(page: OffsetPage<DigestedMission> | null): number | null {
  return typeof page?.total === 'number' ? page.total : null;
}

/** Most groups counted for one response. Further ones are left out, which `complete` reports. */
const MAX_GROUPS = 10_000;

/** The missions that share a value of a key, or a combination of two values. */
interface MissionCountGroup {
  /** One value per key, in the order of the keys; null for missions without one. */
  readonly key: readonly (string | null)[];
  readonly label: readonly (string | null)[];
  readonly count: number;
}

interface Grouped {
  /** How many missions are in the groups. */
  readonly counted: number;
  /** Largest first, then by key. */
  readonly groups: readonly MissionCountGroup[];
  /** Whether every group is included. */
  readonly complete: boolean;
}

/**
 * How many missions have each value of the keys, or each combination of values. Lets the event loop turn: a small
 * request may count ten thousand missions thirty times.
 */
export async function groupMissions(
  missions: Iterable<DigestedMission>,
  by: readonly MissionCountKey[],
  matches: ((mission: DigestedMission) => boolean) | null = null,
): Promise<Grouped> {
  const groups = new Map<string, { key: (string | null)[]; label: (string | null)[]; count: number }>();
  let [counted, complete] = [0, true];
  await forEachInTurns(missions, (mission) => {
    if (matches?.(mission) === false) return;
    counted += 1;
    for (const values of combinations(by.map((key) => valuesOf(mission, key)))) {
      const key = values.map(([value]) => value);
      const name = JSON.stringify(key);
      const group = groups.get(name);
      if (group !== undefined) group.count++;
      else if (groups.size < MAX_GROUPS) groups.set(name, { key, label: values.map(([, label]) => label), count: 1 });
      else complete = false;
    }
  });
  await freshTurn();
  return { counted, groups: sorted(groups), complete };
}

function sorted(groups: Iterable<readonly [name: string, MissionCountGroup]>): MissionCountGroup[] {
  const byName = [...groups].sort(([a, { count: m }], [b, { count: n }]) => n - m || (a < b ? -1 : 1));
  return byName.map(([, group]) => group);
}

/** The groups of the values of one key that occur. */
function groupsOf(key: MissionCountKey, counts: readonly ValueCount[]): MissionCountGroup[] {
  const occurring = counts.filter(({ count }) => count > 0);
  return sorted(
    occurring.map(({ value, count }) => [
      JSON.stringify([value]),
      { key: [value], label: [value === null ? null : labelOf(key, value)], count },
    ]),
  );
}

/** A value to count by, and its label. */
type Value = readonly [key: string | null, label: string | null];

const NONE: readonly Value[] = [[null, null]];

function valuesOf(mission: DigestedMission, key: MissionCountKey): readonly Value[] {
  switch (key) {
    case 'DEPARTMENT':
      return several(mission.departments, key);
    case 'ACTIVITY':
      return several(mission.activities, key);
    case 'ORGANIZATION':
      return one(mission.organization, (id) => mission.organizationName ?? id);
    case 'DOMAIN':
      return one(mission.domain, (domain) => labelOf(key, domain));
    case 'TYPE':
      return one(mission.type, (type) => labelOf(key, type));
    case 'REMOTE':
      return one(mission.remote, (word) => labelOf(key, word));
    case 'CREATED_MONTH':
      return one(monthOf(mission.createdAt), (month) => month);
    case 'START_MONTH':
      return one(monthOf(mission.startAt), (month) => month);
  }
}

function labelOf(key: MissionCountKey, value: string): string {
  if (key === 'DEPARTMENT') return departmentByCode(value)?.nom ?? value;
  const labels = { DOMAIN: DOMAIN_LABELS, TYPE: TYPE_LABELS, REMOTE: REMOTE_LABELS };
  return (key in labels && labels[key as keyof typeof labels].get(value)) || value;
}

function several(values: readonly (string | null | Error)[] | null, key: MissionCountKey): readonly Value[] {
  const texts = (values ?? []).filter((value) => typeof value === 'string');
  return texts.length === 0 ? NONE : texts.map((value) => [value, labelOf(key, value)]);
}

function one(value: string | null, labelOf: (value: string) => string): readonly Value[] {
  return value === null ? NONE : [[value, labelOf(value)]];
}

/** The Cartesian product of the lists. */
function combinations(lists: readonly (readonly Value[])[]): Value[][] {
  return lists.reduce<Value[][]>(
    (heads, values) => heads.flatMap((head) => values.map((value) => [...head, value])),
    [[]],
  );
}
