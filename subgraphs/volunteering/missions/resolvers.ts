import type { FieldPrice } from '../../../kernel/price.js';
import { SEARCH_CEILING } from '../../../kernel/search-ceiling.js';
import type { Position } from '../../codes/distances.js';
import { type Connection, connectionOf, type Edge, type Page, readPage } from '../../graph/connection.js';
import { orNull } from '../../rest/shape.js';
import type { QueryMissionSearchArgs, QueryMissionsArgs, Resolvers } from '../__generated__/resolvers.js';
import { organizationCodesOf } from '../organizations/codes.js';
import {
  FILTERED_CALLS,
  identifierOf,
  isView,
  type OffsetPage,
  type OffsetSource,
  ONE_CALL,
  type ReadPage,
  type Row,
  readMatchingPage,
  readPlainPage,
} from '../values/lists.js';
import { MAX_MISSIONS, type MissionSearch } from './client.js';
import { countMissions } from './counts.js';
import { type CountedFacets, facetsOf } from './facets.js';
import { aroundQuery, finishFilter, localityFilter, type MissionFilter, missionQuery, pointOf } from './filters.js';
import type { MissionsContext } from './loaders.js';
import { type Locality, type MissionAddressFields, nearestAddress } from './near.js';
import type { MissionView } from './shapes.js';

/** A page with a filter that is partly applied here reads on until it is full. */
const PAGE: FieldPrice = {
  ...ONE_CALL,
  calls: (args) => (finishFilter(args as MissionFilter) === null ? 1 : FILTERED_CALLS),
};

type MissionConnection = Connection<Row<MissionView>>;

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

/** Missions by id, lists, searches, and references from other services. */
export const missionResolvers: Resolvers = {
  Query: {
    mission: {
      reads: 'sources',
      price: ONE_CALL,
      resolve: (_root, { id }, { loaders, operation }) => loaders.missionById(id, operation),
    },
    missions: { reads: 'sources', price: PAGE, resolve: (_root, args, context) => listMissions(args, context) },
    missionSearch: { reads: 'sources', price: PAGE, resolve: (_root, args, context) => searchMissions(args, context) },
  },
  Mission: {
    __resolveReference: async ({ id }, { loaders, operation }) =>
      loaders.seenMissions.byId(id) ?? loaders.missionById(id, operation),
    id: { reads: 'parent', resolve: identifierOf },
    organization: {
      reads: 'sources',
      price: ONE_CALL,
      resolve(mission, _args, { loaders, operation }) {
        const codes = organizationCodesOf(mission);
        return codes === null ? null : loaders.organizationByCodes(codes, operation);
      },
    },
    // Today's service has the region only in the addresses, of which the flat fields are the first (volunteering 4.1).
    region: { reads: 'parent', resolve: (mission) => mission.region ?? firstAddressRegion(mission) },
  },
};

function listMissions(args: QueryMissionsArgs, context: MissionsContext): PromiseLike<MissionConnection> {
  const { missions, loaders, operation } = context;
  const { first: _first, after: _after, ...filters } = args;
  const filter = missionQuery(filters);
  const page = readPage(args, { list: 'missions', filter: filters, maximum: MAX_MISSIONS });
  const read = readMissions(page, filters, {
    fetch: (skip, limit) => missions.list({ filter, skip, limit }, operation),
    maximum: MAX_MISSIONS,
  });
  return read.then(({ content }) => {
    loaders.seenMissions.add(content.items);
    return connectionOf(page, content);
  });
}

function searchMissions(args: QueryMissionSearchArgs, context: MissionsContext): PromiseLike<MissionSearchConnection> {
  const { missions, loaders, operation } = context;
  const { first: _first, after: _after, ...filters } = args;
  const filter = [...missionQuery(filters), ...aroundQuery(filters)];
  const page = readPage(args, { list: 'missionSearch', filter: filters, maximum: MAX_MISSIONS });
  const read = readMissions<MissionSearch>(page, filters, {
    fetch: (skip, limit) => missions.search({ filter, skip, limit }, operation),
    maximum: MAX_MISSIONS,
    ceiling: SEARCH_CEILING,
  });
  return read.then((found) => {
    loaders.seenMissions.add(found.content.items);
    return searchConnection(page, filters, found);
  });
}

function searchConnection(
  page: Page,
  filters: Omit<QueryMissionSearchArgs, 'first' | 'after'>,
  { content, response }: ReadPage<MissionView, MissionSearch>,
): MissionSearchConnection {
  const isFinishedHere = finishFilter(filters) !== null;
  const connection = connectionOf(page, content);
  const point = pointOf(filters);
  return {
    ...connection,
    edges: () => {
      const isWanted = localityFilter(filters);
      return connection.edges().map((edge) => ({ ...edge, ...nearestOf(edge.node, point, isWanted) }));
    },
    // A page that starts where the source stops is not requested, although there is more.
    truncated:
      page.offset >= SEARCH_CEILING || (typeof response?.total === 'number' && response.total > SEARCH_CEILING),
    facets: () => (isFinishedHere || response === null ? null : facetsOf(response, page.size)),
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

function readMissions<A extends OffsetPage<MissionView>>(
  page: Page,
  filters: MissionFilter,
  source: OffsetSource<MissionView, A>,
): PromiseLike<ReadPage<MissionView, A>> {
  const matches = finishFilter(filters);
  return matches === null
    ? readPlainPage(page, source)
    : readMatchingPage<MissionView, A>(page, { ...source, matches });
}

function firstAddressRegion(mission: MissionView): string | null {
  return orNull(() => {
    const first = mission.addresses?.[0];
    return first === undefined || first === null || first instanceof Error ? null : first.region;
  });
}

/** Costs one call, or up to ten more if missions are large. */
export const missionCountResolvers: Resolvers = {
  Query: {
    missionCounts: {
      reads: 'sources',
      price: ONE_CALL,
      waits: true,
      resolve: (_root, args, context) => countMissions(args, context),
    },
  },
};
