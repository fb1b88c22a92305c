import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { together } from '../../graph/arguments.js';
import { type Connection, connectionOf, type Edge, type PageArguments, readPage } from '../../graph/connection.js';
import { orNull } from '../../rest/shape.js';
import type { UpstreamRequest } from '../../rest/upstream.js';
import type { QueryMissionSearchArgs, QueryMissionsArgs } from '../__generated__/resolvers.js';
import { isView, type ListQuery, type OffsetPage, type Row } from '../values/lists.js';
import { readBlockPage } from './blocks.js';
import { MAX_MISSIONS, type MissionSearch, type MissionsContext, requestList, requestSearch } from './client.js';
import {
  type Around,
  aroundQuery,
  finishFilter,
  localityFilter,
  type MissionFilter,
  missionQuery,
  pointOf,
} from './filters.js';
import { type MissionAddressFields, nearestAddress } from './near.js';
import type { FacetsView, MissionView } from './shapes.js';

/** The service's two lists of missions, page by page. They have the same filters; the search also knows places. */

interface MissionConnection extends Connection<Row<MissionView>> {
  /** Whether the pages up to this one, the last, gave as many missions as there are; null if that is not known. */
  complete(): boolean | null;
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
  readonly truncated: false;
  facets(): CountedFacets | null;
}

/** A page of `missions`. */
export function listMissions(args: QueryMissionsArgs, context: MissionsContext): Awaitable<MissionConnection> {
  return whenThere(readMissions('missions', requestList, args, context), ({ connection }) => connection);
}

/**
 * Reads a page of one of the lists, and returns it with the response it came from, or the first of several. Where the
 * service cannot apply the whole filter, the rest is applied here, and further rows are read until the page is full.
 */
function readMissions<A extends OffsetPage<MissionView>>(
  list: string,
  request: (query: ListQuery) => UpstreamRequest<A>,
  args: MissionFilter & Around & PageArguments,
  { upstream, loaders, operation }: MissionsContext,
) {
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
    matches: finishFilter(filters),
    request: (rows: Pick<ListQuery, 'skip' | 'limit' | 'bulk'>) => request({ filter, ...rows }),
  };
  return whenThere(readBlockPage<A>(page, source), ({ content, response, complete }) => {
    loaders.seenMissions.add(content.items);
    // The service has missions, so a whole list of none is what it shows the key (volunteering 2.3).
    const isBlind = filter.length === 0 && content.totalCount === 0 && content.items.length === 0;
    const connection: MissionConnection = {
      complete: isBlind ? () => null : complete,
      completeUnknown: isBlind ? 'KEY_SEES_NOTHING' : null,
      ...connectionOf(page, content),
    };
    return { connection, response };
  });
}

/** A page of `missionSearch`. */
export function searchMissions(
  args: QueryMissionSearchArgs,
  context: MissionsContext,
): Awaitable<MissionSearchConnection> {
  return whenThere(readMissions('missionSearch', requestSearch, args, context), ({ connection, response }) => {
    const isFinishedHere = finishFilter(args) !== null;
    const point = pointOf(args);
    return {
      ...connection,
      edges: () => {
        const isWanted = localityFilter(args);
        const nearestOf = (row: Row<MissionView>) =>
          isView(row) && point !== null ? nearestAddress(row, point, isWanted) : null;
        return connection.edges().map((edge) => ({ ...edge, ...(nearestOf(edge.node) ?? NOWHERE) }));
      },
      truncated: false,
      facets: () => (isFinishedHere || response === null ? null : facetsOf(response, connection.nodes)),
    };
  });
}

const NOWHERE = { distance: null, address: null };

/** The counts that the source sent with a page, and the number of missions they cover. */
export type CountedFacets = FacetsView & { readonly counted: number };

/**
 * The source's counts for a page; null when it sent none, or today's, which are of a whole response, for a page that is
 * only a part of it. A malformed count is an error of `counted` too.
 */
function facetsOf({ facets, rows, total }: MissionSearch, page: readonly Row<MissionView>[]): CountedFacets | null {
  const view = facets();
  if (view === null) return null;
  if (page.length !== rows.length && orNull(() => countsMoreThan(rows.length, view)) === false) return null;
  return Object.create(view, {
    counted: {
      get: () => (countsMoreThan(rows.length, view) && typeof total === 'number' ? total : rows.length),
    },
  });
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
