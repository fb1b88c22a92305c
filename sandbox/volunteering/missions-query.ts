import { type DateBound, dateBoundToday } from './dates.js';
import { type Box, boxAround, distanceToday, type Point } from './places.js';
import type { Issue, QueryReader } from './query-reader.js';

/** Words of the `type` enumeration; anything else is refused (volunteering 2.1, 7.5). */
const TYPES = [
  'benevolat',
  'volontariat_service_civique',
  'volontariat_sapeurs_pompiers',
  'volontariat_reserve_operationnelle',
];

/** Words of the `remote` enumeration; the database throws on any other (volunteering 2.1). */
const REMOTES = ['no', 'possible', 'full', 'local'];

/** The database has no year 0 (volunteering 3.4). */
const YEAR_1 = Date.parse('0001-01-01');

/** The parameters of a list or search of today's service, after validation. */
export interface MissionsQuery {
  readonly limit: number;
  readonly skip: number;
  /** Matches a text that `keywords` is part of; undefined without one. */
  readonly keywords: RegExp | undefined;
  /** Exact values by field of the record: each field must match one of its values. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Exact values by field of an address: one address must match all fields and the box. */
  readonly places: ReadonlyMap<'city' | 'departmentName' | 'country', readonly string[]>;
  readonly activity: readonly string[] | undefined;
  readonly remote: readonly string[] | undefined;
  readonly snu: boolean;
  readonly near: { readonly centre: Point; readonly box: Box } | null;
  /** What distances are measured to, also where one of its coordinates is 0, which disables the filter. */
  readonly centre: Point | null;
  readonly createdAt: DateBound | null;
  readonly startAt: DateBound | null;
}

/**
 * The query, the validator's issues (400), or `thrown` if the database refuses what the validator accepted (500).
 */
export type MissionsQueryResult = MissionsQuery | { readonly issues: readonly Issue[] } | 'thrown';

/** The largest offset that the database counts to. */
const MAX_SKIP = 2 ** 63;

/**
 * Reads the parameters that list and search share (volunteering 2.1, 2.2); unknown ones are dropped, and `text` by the
 * list.
 */
export function readMissionsQuery(reader: QueryReader, route: 'list' | 'search'): MissionsQueryResult {
  const limit = reader.number('limit', { min: 0, max: 10_000 }) ?? 25;
  const skip = reader.number('skip', { min: 0 }) ?? 0;
  const keywords = reader.text('keywords');
  const text = route === 'search' ? reader.text('text') : undefined;
  const type = reader.words('type', TYPES);
  const snu = reader.word('snu', ['true', 'false']) === 'true';
  const flags = ['openToMinors', 'reducedMobilityAccessible'].map((name) => [name, yesNo(reader.text(name))] as const);
  const lat = reader.number('lat');
  const lon = reader.number('lon');
  const distance = reader.text('distance');
  const createdAt = dateBoundToday(reader.text('createdAt'));
  const startAt = dateBoundToday(reader.text('startAt'));
  if (reader.issues.length > 0) return { issues: reader.issues };

  const page = legacyPage(reader, { limit, skip });
  const remote = nonEmpty(reader.list('remote'));
  // Fractions are cut off.
  if (!Number.isFinite(page.limit) || !(page.skip >= 0 && page.skip < MAX_SKIP)) return 'thrown';
  if (remote?.some((word) => !REMOTES.includes(word))) return 'thrown';
  if ([keywords, text].some((words) => words?.includes('\0'))) return 'thrown';
  if ([createdAt, startAt].some((bound) => bound !== null && bound.time < YEAR_1)) return 'thrown';
  return {
    ...page,
    keywords: keywords || text ? containing(keywords || text || '') : undefined,
    fields: fieldFilters(reader, { type, flags }),
    places: placeFilters(reader),
    activity: nonEmpty(reader.list('activity')),
    remote,
    snu,
    near: near(lat, lon, distanceToday(distance)),
    centre: lat === undefined || lon === undefined ? null : { lat, lon },
    createdAt,
    startAt,
  };
}

/**
 * The database's `ILIKE '%…%'` of an unescaped text: `%` is anything, `_` any character, and a `\` makes the next
 * character mean itself, even the `%` that the service adds (volunteering 2.1).
 */
function containing(text: string): RegExp {
  const pattern = `%${text}%`.replace(/\\(.)|%+|./gsu, (one, escaped?: string) => {
    if (one.startsWith('%')) return '.*';
    return one === '_' ? '.' : (escaped ?? one).replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  });
  return new RegExp(`^${pattern}$`, 'isu');
}

/**
 * The shim for old clients (volunteering 3.1): `size` applies only with `limit=10000`, `from` only if `skip` is 0 or
 * missing. Neither is validated.
 */
function legacyPage(reader: QueryReader, page: { limit: number; skip: number }): { limit: number; skip: number } {
  const size = reader.raw('size');
  const from = reader.raw('from');
  return {
    limit: page.limit === 10_000 && size !== undefined ? Number(size) : page.limit,
    skip: page.skip === 0 && from !== undefined ? Number(from) : page.skip,
  };
}

function fieldFilters(
  reader: QueryReader,
  checked: { type: readonly string[] | undefined; flags: readonly (readonly [string, string | undefined])[] },
): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  for (const name of ['domain', 'clientId', 'organizationRNA', 'organizationStatusJuridique']) {
    const values = nonEmpty(reader.list(name));
    if (values !== undefined) fields.set(name, values);
  }
  // Unlike with the others, an empty list of publishers matches nothing (volunteering 2.2).
  const publishers = reader.list('publisher');
  if (publishers !== undefined) fields.set('publisherId', publishers);
  if (checked.type !== undefined) fields.set('type', checked.type);
  for (const [name, value] of checked.flags) if (value !== undefined) fields.set(name, [value]);
  return fields;
}

function placeFilters(reader: QueryReader): MissionsQuery['places'] {
  const places = new Map<'city' | 'departmentName' | 'country', readonly string[]>();
  for (const name of ['city', 'departmentName', 'country'] as const) {
    const values = nonEmpty(reader.list(name));
    if (values !== undefined) places.set(name, values);
  }
  return places;
}

/** Both coordinates are needed, and the service tests their truthiness: 0 disables geography (volunteering 2.1). */
function near(lat: number | undefined, lon: number | undefined, km: number): MissionsQuery['near'] {
  if (!lat || !lon) return null;
  const centre = { lat, lon };
  return { centre, box: boxAround(centre, km) };
}

/** `yes` or `no` for the accepted words, in any case; any other word drops the filter (volunteering 2.1). */
function yesNo(text: string | undefined): string | undefined {
  const word = text?.toLowerCase() ?? '';
  if (['true', 'yes', '1'].includes(word)) return 'yes';
  return ['false', 'no', '0'].includes(word) ? 'no' : undefined;
}

function nonEmpty(values: readonly string[] | undefined): readonly string[] | undefined {
  return values !== undefined && values.length > 0 ? values : undefined;
}
