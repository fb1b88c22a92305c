import { instantOf } from '../../../kernel/dates.js';
import { ownValue } from '../../../kernel/text.js';
import type { MissionCountKey } from '../__generated__/resolvers.js';
import type { DigestedMission } from './digest.js';
import { type MissionFilter, missionQuery } from './filters.js';
import { DOMAIN_LABELS, TYPE_LABELS } from './labels.js';
import { REMOTE } from './shapes.js';
import { type Search, totalOf } from './walk.js';

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
  /** How many missions there are. */
  readonly total: number;
  /** How many calls it takes to read them. */
  readonly pages: number;
  /** The first of them. */
  readonly rows: readonly DigestedMission[];
  readonly search: Search<DigestedMission>;
}

/** The argument that selects a value, by key. */
const ARGUMENTS = {
  DOMAIN: 'domain',
  TYPE: 'type',
  REMOTE: 'remote',
  CREATED_MONTH: 'createdAt',
  START_MONTH: 'startAt',
} as const;

/** The values that are asked for. Today's service refuses kinds of mission in their older spelling, with hyphens. */
const VALUES: Partial<Record<MissionCountKey, readonly string[]>> = {
  DOMAIN: Object.keys(DOMAIN_LABELS),
  TYPE: Object.keys(TYPE_LABELS).filter((type) => !type.includes('-')),
  REMOTE: Object.values(REMOTE),
};

type MonthKey = 'CREATED_MONTH' | 'START_MONTH';

/** Whether a key counts by months, of which it is not known before how many there are. */
export function isMonth(key: MissionCountKey): key is MonthKey {
  return key === 'CREATED_MONTH' || key === 'START_MONTH';
}

/** How many totals a count by this key takes at most; null if it takes none, or reading so many pages no more calls. */
export function callsOfTotals(key: MissionCountKey, filters: MissionFilter, pages: number): number | null {
  if (isFilteredBy(key, filters)) return null;
  if (isMonth(key)) return pages;
  const calls = VALUES[key]?.length ?? pages;
  return calls < pages ? calls : null;
}

function isFilteredBy(key: MissionCountKey, filters: MissionFilter): boolean {
  const argument = ownValue<keyof MissionFilter>(ARGUMENTS, key);
  return argument !== undefined && (filters[argument] ?? null) !== null;
}

/** The counts of all missions by a key that has totals; null where they take more calls after all, or cannot be right. */
export function countByTotals(key: MissionCountKey, totals: Totals): Promise<readonly ValueCount[] | null> {
  return isMonth(key) ? countMonths(key, totals) : countValues(key, VALUES[key] ?? [], totals);
}

async function countValues(
  key: MissionCountKey,
  values: readonly string[],
  { total, search }: Totals,
): Promise<readonly ValueCount[] | null> {
  const argument = ARGUMENTS[key as keyof typeof ARGUMENTS];
  const counts = await Promise.all(values.map((value) => askTotal(search, { [argument]: [value] })));
  const known = counts.filter((count) => count !== null);
  const sum = known.reduce((all, count) => all + count, 0);
  // An era that does not know the filter says each time how many there are in all.
  const isIgnored = known.length > 0 && known.every((count) => count === total);
  if (known.length < values.length || sum > total || isIgnored) return null;
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
    const before = await askTotal(search, { [argument]: { before: `${month}-01` } });
    if (before === null || before > left || groups.length + 1 >= pages) return null;
    groups.push({ value: groups.length === 0 ? null : month, count: left - before });
    left = before;
  }
  return groups;
}

async function askTotal(search: Totals['search'], filter: MissionFilter): Promise<number | null> {
  return totalOf(await search({ filter: missionQuery(filter), skip: 0, limit: 1 }));
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
