import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { SEARCH_CEILING } from '../../../kernel/bounds.js';
import type { Position } from '../../codes/places.js';
import { together } from '../../graph/arguments.js';
import {
  type Connection,
  connectionOf,
  type Edge,
  type Page,
  type PageArguments,
  readPage,
} from '../../graph/connection.js';
import { orNull } from '../../rest/shape.js';
import type { UpstreamRequest } from '../../rest/upstream.js';
import type { QueryMissionSearchArgs, QueryMissionsArgs } from '../__generated__/resolvers.js';
import { isView, type ListQuery, type OffsetPage, type Row } from '../values/lists.js';
import {
  MAX_MISSIONS,
  type MissionList,
  type MissionSearch,
  type MissionsContext,
  requestList,
  requestSearch,
} from './client.js';
import { splitActivities } from './digest.js';
import {
  type Around,
  aroundQuery,
  finishFilter,
  localityFilter,
  type MissionFilter,
  missionQuery,
  pointOf,
} from './filters.js';
import { type Locality, type MissionAddressFields, nearestAddress } from './near.js';
import type { FacetsView, MissionView } from './shapes.js';
import { readWindowPage } from './windows.js';

/** The service's two lists of missions, page by page. They have the same filters; the search also knows places. */

interface FoundMissions extends Connection<Row<MissionView>> {
  /** Whether the pages up to this one, the last, gave as many missions as there are; null if that is not known. */
  complete(): boolean | null;
}

interface MissionConnection extends FoundMissions {
  /** Why that is not known of a list without another page; null otherwise. */
  readonly completeUnknown: 'KEY_SEES_NOTHING' | null;
}

/** A mission found, with its nearest address if a point was given. */
interface MissionSearchEdge extends Edge<Row<MissionView>> {
  readonly distance: number | null;
  readonly address: MissionAddressFields | null;
}

/** A page of hits, each with its nearest address, and the service's own counts. */
export interface MissionSearchConnection extends Omit<MissionConnection, 'edges'> {
  edges(): readonly MissionSearchEdge[];
  readonly truncated: boolean;
  facets(): CountedFacets | null;
}

/** A page of `missions`. */
export function listMissions(args: QueryMissionsArgs, context: MissionsContext): Awaitable<MissionConnection> {
  return whenThere(readMissions(LIST, args, context), ({ connection }) => seenBy(args, connection));
}

/** A page of `missionSearch`. */
export function searchMissions(
  args: QueryMissionSearchArgs,
  context: MissionsContext,
): Awaitable<MissionSearchConnection> {
  return whenThere(readMissions(SEARCH, args, context), (found) => searchConnection(args, found));
}

/** The service has missions, so a whole list of none is what it shows the key (volunteering 2.3), and not what there is. */
function seenBy(args: MissionFilter & Around, connection: FoundMissions): MissionConnection {
  const { totalCount, nodes } = connection;
  const isEmpty = totalCount === 0 && nodes.length === 0;
  const isBlind = isEmpty && missionQuery(args).length === 0 && aroundQuery(args).length === 0;
  return isBlind
    ? { ...connection, complete: () => null, completeUnknown: 'KEY_SEES_NOTHING' }
    : { ...connection, completeUnknown: null };
}

/** What distinguishes the two lists. */
interface MissionRoute<A extends OffsetPage<MissionView>> {
  /** The field, as its cursors name it. */
  readonly list: string;
  /** Offset at which the service cuts the list off. */
  readonly ceiling: number;
  request(query: ListQuery): UpstreamRequest<A>;
}

const LIST: MissionRoute<MissionList> = {
  list: 'missions',
  ceiling: Number.POSITIVE_INFINITY,
  request: requestList,
};
const SEARCH: MissionRoute<MissionSearch> = { list: 'missionSearch', ceiling: SEARCH_CEILING, request: requestSearch };

/** A page that was read, and the response it came from, or the first of several. */
interface MissionPage<A> {
  readonly page: Page;
  readonly connection: FoundMissions;
  readonly response: A | null;
}

/**
 * Reads a page of one of the lists. Where the service cannot apply the whole filter, the rest is applied here, and
 * further rows are read until the page is full.
 */
function readMissions<A extends OffsetPage<MissionView>>(
  { list, ceiling, request }: MissionRoute<A>,
  args: MissionFilter & Around & PageArguments,
  { upstream, loaders, operation }: MissionsContext,
): Awaitable<MissionPage<A>> {
  const { first: _first, after: _after, ...filters } = args;
  const [own, around, page] = together(
    () => missionQuery(filters),
    () => aroundQuery(filters),
    () => readPage(args, { list, filter: filters, maximum: MAX_MISSIONS }),
  );
  const filter = [...own, ...around];
  const source = {
    upstream,
    operation,
    ceiling,
    matches: finishFilter(filters),
    request: (rows: Pick<ListQuery, 'skip' | 'limit' | 'bulk'>) => request({ filter, ...rows }),
  };
  return whenThere(readWindowPage<A>(page, source), ({ content, response, complete }) => {
    loaders.seenMissions.add(content.items);
    return { page, connection: { ...connectionOf(page, content), complete }, response };
  });
}

function searchConnection(
  filters: QueryMissionSearchArgs,
  { page, connection, response }: MissionPage<MissionSearch>,
): MissionSearchConnection {
  const isFinishedHere = finishFilter(filters) !== null;
  const point = pointOf(filters);
  return {
    ...seenBy(filters, connection),
    edges: () => {
      const isWanted = localityFilter(filters);
      return connection.edges().map((edge) => ({ ...edge, ...nearestOf(edge.node, point, isWanted) }));
    },
    // A page that starts where the source stops is not requested, although there is more.
    truncated:
      page.offset >= SEARCH_CEILING || (typeof response?.total === 'number' && response.total > SEARCH_CEILING),
    facets: () => (isFinishedHere || response === null ? null : facetsOf(response, connection.nodes)),
  };
}

function nearestOf(
  row: Row<MissionView>,
  point: Position | null,
  isWanted: (locality: Locality) => boolean,
): Pick<MissionSearchEdge, 'distance' | 'address'> {
  const nearest = isView(row) && point !== null ? nearestAddress(row, point, isWanted) : null;
  return nearest ?? { distance: null, address: null };
}

/** The counts that the source sent with a page, and the number of missions they cover. */
export type CountedFacets = FacetsView & { readonly counted: number };

/**
 * The source's counts for a page; null when it sent none. Today's are of a whole response: for a page that is only a part
 * of it, they are counted here in the same way. A malformed count is an error of `counted` too.
 */
function facetsOf({ facets, rows, total }: MissionSearch, page: readonly Row<MissionView>[]): CountedFacets | null {
  const view = facets();
  if (view === null) return null;
  if (page.length !== rows.length && orNull(() => countsMoreThan(rows.length, view)) === false) return countPage(page);
  return Object.create(view, {
    counted: {
      get: () => (countsMoreThan(rows.length, view) && typeof total === 'number' ? total : rows.length),
    },
  });
}

/** The counts that today's service would send with these missions (volunteering 3.6). */
function countPage(page: readonly Row<MissionView>[]): CountedFacets {
  const missions = page.filter(isView);
  return {
    counted: page.length,
    departmentName: countEach(missions.map((mission) => placeOf(mission)?.departmentName ?? null)),
    activities: countEach(missions.flatMap((mission) => splitActivities(orNull(() => mission.activity) ?? ''))),
    domains: countEach(missions.map((mission) => orNull(() => mission.domain))),
  };
}

/** Where a mission is: the first of its addresses, or its flat fields. */
function placeOf(mission: MissionView): Locality | null {
  const [first = mission] = orNull(() => mission.addresses) ?? [];
  return isView(first) ? first : null;
}

/** The values, most frequent first, without empty ones. */
function countEach(values: readonly (string | null)[]): { key: string; docCount: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([key, docCount]) => ({ key, docCount })).sort((a, b) => b.docCount - a.docCount);
}

/**
 * Today's service counts the page, the documented one all matches (volunteering 3.6). A mission has one domain and one
 * first département, so the counts of a page never add up to more than its missions.
 */
function countsMoreThan(missions: number, { domains, departmentName }: FacetsView): boolean {
  return [domains, departmentName].some((entries) => {
    const counts = (entries ?? []).map((entry) => (isView(entry) ? (entry.docCount ?? 0) : 0));
    return counts.reduce((sum, count) => sum + count, 0) > missions;
  });
}
