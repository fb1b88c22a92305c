import { instantOf } from '../../../kernel/dates.js';
import { ownValue } from '../../../kernel/text.js';
import { DEPARTMENTS } from '../../codes/departments.js';
import type { MissionCountKey } from '../__generated__/resolvers.js';
import type { OffsetPage, QueryParameters } from '../values/lists.js';
import type { DigestedMission } from './digest.js';
import { type MissionFilter, missionQuery } from './filters.js';
import { DOMAIN_LABELS, TYPE_LABELS } from './labels.js';
import { REMOTE } from './shapes.js';

/**
 * Counts by the totals that the source says: of one row for each value of a key, whose filter it knows, instead of all
 * rows. What has no value, or one that is not asked for, is the rest of the whole: the group null.
 */

/** How many missions have a value of a key; null is none, or a word unknown here. */
export interface ValueCount {
  readonly value: string | null;
  readonly count: number;
}

interface Totals {
  readonly filters: MissionFilter;
  /** How many missions there are. */
  readonly total: number;
  /** How many calls it takes to read them. */
  readonly pages: number;
  /** The first of them. */
  readonly rows: readonly DigestedMission[];
  readonly search: (query: { filter: QueryParameters; skip: 0; limit: 1 }) => Promise<OffsetPage<unknown> | null>;
}

/** The argument that selects a value, by key; each has one, and DEPARTMENT a second. */
const ARGUMENTS = {
  DOMAIN: 'domain',
  TYPE: 'type',
  REMOTE: 'remote',
  DEPARTMENT: 'department',
  CREATED_MONTH: 'createdAt',
  START_MONTH: 'startAt',
} as const;

/** The values that are asked for. Today's service refuses kinds of mission in their older spelling, with hyphens. */
const VALUES: Partial<Record<MissionCountKey, readonly string[]>> = {
  DOMAIN: [...DOMAIN_LABELS.keys()],
  TYPE: [...TYPE_LABELS.keys()].filter((type) => !type.includes('-')),
  REMOTE: Object.values(REMOTE),
  DEPARTMENT: DEPARTMENTS.map(({ code }) => code),
};

type MonthKey = 'CREATED_MONTH' | 'START_MONTH';

/** Whether a key counts by months, of which it is not known before how many there are. */
export function isMonth(key: MissionCountKey): key is MonthKey {
  return key === 'CREATED_MONTH' || key === 'START_MONTH';
}

/** How many totals a count by this key takes; null where none are asked for, or it depends on what there is. */
export function callsOfTotals(key: MissionCountKey, filters: MissionFilter): number | null {
  const values = VALUES[key];
  if (values === undefined || isFilteredBy(key, filters)) return null;
  return values.length + (key === 'DEPARTMENT' ? 1 : 0);
}

function isFilteredBy(key: MissionCountKey, filters: MissionFilter): boolean {
  if (key === 'DEPARTMENT' && (filters.departmentName ?? null) !== null) return true;
  const argument = ownValue<keyof MissionFilter>(ARGUMENTS, key);
  return argument !== undefined && (filters[argument] ?? null) !== null;
}

/** The counts of all missions by a key; null where to read them takes no more calls, or the totals cannot be right. */
export async function countByTotals(key: MissionCountKey, totals: Totals): Promise<readonly ValueCount[] | null> {
  const { filters, pages } = totals;
  if (isMonth(key)) return isFilteredBy(key, filters) ? null : countMonths(key, totals);
  const calls = callsOfTotals(key, filters);
  return calls === null || calls >= pages ? null : countValues(key, VALUES[key] ?? [], totals);
}

async function countValues(
  key: MissionCountKey,
  values: readonly string[],
  { total, search }: Totals,
): Promise<readonly ValueCount[] | null> {
  const argument = ARGUMENTS[key as keyof typeof ARGUMENTS];
  const ask = (asked: readonly string[]) => totalOf(search, { [argument]: asked });
  // A mission may be in several départements, so those that are in none are not what their sum leaves.
  const isSeveral = key === 'DEPARTMENT';
  const [inAny, ...counts] = await Promise.all([isSeveral ? ask(values) : 0, ...values.map((value) => ask([value]))]);
  const known = counts.filter((count) => count !== null);
  const sum = isSeveral ? (inAny ?? null) : known.reduce((all, count) => all + count, 0);
  // An era that does not know the filter says each time how many there are in all.
  const isIgnored = known.length > 0 && known.every((count) => count === total);
  if (known.length < values.length || sum === null || sum > total || isIgnored) return null;
  const groups = values.map((value, index) => ({ value, count: known[index] ?? 0 }));
  return [...groups, { value: null, count: total - sum }];
}

/**
 * Counts by how many there are before each month: from the one after the latest, down to that before which there are
 * none. Missions are sorted by their start, so the first ones have the latest; none was created after today.
 */
async function countMonths(
  key: MonthKey,
  { total, pages, rows, search }: Totals,
): Promise<readonly ValueCount[] | null> {
  const argument = ARGUMENTS[key];
  const seen = rows.map((row) => monthOf(row[argument])).filter((month) => month !== null);
  if (key === 'CREATED_MONTH') seen.push(new Date().toISOString().slice(0, 7));
  const latest = seen.sort().at(-1);
  if (latest === undefined) return null;
  const groups: ValueCount[] = [];
  for (let [month, left] = [monthAfter(latest, 1), total]; left > 0; month = monthAfter(month, -1)) {
    const before = await totalOf(search, { [argument]: { before: `${month}-01` } });
    if (before === null || before > left || groups.length + 1 >= pages) return null;
    groups.push({ value: groups.length === 0 ? null : month, count: left - before });
    left = before;
  }
  return groups;
}

async function totalOf(search: Totals['search'], filter: MissionFilter): Promise<number | null> {
  const page = await search({ filter: missionQuery(filter), skip: 0, limit: 1 });
  return typeof page?.total === 'number' ? page.total : null;
}

/** The month of a moment in UTC, `2026-03`; null for none, and for text that is none. */
export function monthOf(moment: string | null): string | null {
  const time = instantOf(moment ?? '');
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 7);
}

function monthAfter(month: string, months: number): string {
  const date = new Date(`${month}-01`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 7);
}
