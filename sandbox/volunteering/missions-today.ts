import type { Json } from '../world/types.js';
import type { Account } from './accounts.js';
import { isWithin } from './dates.js';
import { countFacet } from './facets.js';
import type { MissionRow } from './mission-rows.js';
import type { MissionsQuery } from './missions-query.js';
import { greatCircleKm, isInside } from './places.js';

/** All rows that the account may see and the query matches, in the order of the given rows (volunteering 2). */
export function findMissions(rows: readonly MissionRow[], query: MissionsQuery, account: Account): MissionRow[] {
  return rows.filter((row) => row.isPublished && account.sees(row.record['publisherId']) && matches(row, query));
}

/**
 * The rows, with those of equal `startAt` rotated: the service has no tie-break, so their order is undefined
 * (volunteering 2.4).
 */
export function turnEqualStarts(rows: readonly MissionRow[], turns: number): readonly MissionRow[] {
  if (turns === 0) return rows;
  const turned: MissionRow[] = [];
  for (let start = 0; start < rows.length; ) {
    let end = start + 1;
    while (end < rows.length && rows[end]?.startAt === rows[start]?.startAt) end++;
    const cut = start + (turns % (end - start));
    turned.push(...rows.slice(cut, end), ...rows.slice(start, cut));
    start = end;
  }
  return turned;
}

/** The mission as this account receives it, with its own tracking redirect as `applicationUrl` (volunteering 4.1). */
export function missionFor(row: MissionRow, account: Account, baseUrl: string): Json {
  return { ...row.record, applicationUrl: `${baseUrl}/r/${row.id}/${account.publisherId}` };
}

/**
 * A search hit. `_distance` is measured to the first address only, and omitted if that has no coordinates or the search
 * has no centre (volunteering 3.5).
 */
export function hitFor(row: MissionRow, mission: Json, near: MissionsQuery['near']): Json {
  const first = row.addresses[0]?.point ?? null;
  return near === null || first === null ? mission : { ...mission, _distance: greatCircleKm(near.centre, first) };
}

/** Facets over the rows of one page only; missing and empty keys are dropped (volunteering 3.6). */
export function facetsToday(page: readonly MissionRow[]): object {
  return {
    departmentName: countFacet(texts(page.map((row) => row.addresses[0]?.departmentName))),
    activities: countFacet(page.flatMap((row) => row.activities)),
    domains: countFacet(texts(page.map((row) => row.record['domain']))),
  };
}

function matches(row: MissionRow, query: MissionsQuery): boolean {
  return (
    matchesFields(row, query) &&
    (query.keywords === undefined || row.haystack.includes(query.keywords)) &&
    (query.activity === undefined || row.activities.some((activity) => query.activity?.includes(activity))) &&
    (!query.snu || row.record['snu'] === true) &&
    isWithin(query.createdAt, row.createdAt) &&
    isWithin(query.startAt, row.startAt) &&
    matchesPlace(row, query)
  );
}

function matchesFields({ record }: MissionRow, query: MissionsQuery): boolean {
  for (const [field, values] of query.fields) if (!isOneOf(record[field], values)) return false;
  return query.remote === undefined || isOneOf(record['remote'], query.remote);
}

/**
 * A single address must satisfy all conditions on places. Geographic searches also return every mission with
 * `remote=local`, whatever the place filters, unless `remote` was sent without that word (volunteering 3.3).
 */
function matchesPlace(row: MissionRow, query: MissionsQuery): boolean {
  const { near, places } = query;
  if (near === null && places.size === 0) return true;
  if (near !== null && row.record['remote'] === 'local') return true;
  return row.addresses.some((address) => {
    for (const [part, values] of places) if (!isOneOf(address[part], values)) return false;
    return near === null || (address.point !== null && isInside(near.box, address.point));
  });
}

function isOneOf(value: unknown, values: readonly string[]): boolean {
  return typeof value === 'string' && values.includes(value);
}

function texts(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string').filter((value) => value !== '');
}
