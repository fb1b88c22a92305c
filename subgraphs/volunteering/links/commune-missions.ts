import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { checkRange, together } from '../../graph/arguments.js';
import { type Connection, connectionOf, cutFrom, type Edge, readPage } from '../../graph/connection.js';
import type { CommuneMissionsArgs } from '../__generated__/resolvers.js';
import { type MissionsContext, requestSearch } from '../missions/client.js';
import { finishFilter, missionQuery } from '../missions/filters.js';
import { type LooseLonLat, missionsNear, type NearestAddress, type NearMission, positionOf } from '../missions/near.js';
import type { MissionView } from '../missions/shapes.js';
import type { ListQuery } from '../values/lists.js';

const DEFAULT_RADIUS_KM = 20;
const MAX_RADIUS_KM = 500;
const MAX_PAGE_SIZE = 1_000;

/** A commune's representation: its key, and its centre when `missions` is selected. */
export interface LocatedCommune {
  readonly code?: { readonly insee?: string | null } | null;
  readonly joinCentre?: LooseLonLat | null;
}

/** A mission with its address within the radius. */
type CommuneMissionEdge = Edge<MissionView> & NearestAddress;

/** A page of missions around a commune, each with its distance in kilometres and the address it is measured to. */
export interface CommuneMissionConnection extends Omit<Connection<MissionView>, 'edges'> {
  edges(): readonly CommuneMissionEdge[];
  readonly truncated: boolean;
  /** The missions of all pages. */
  readonly near: readonly NearMission[];
}

/** Missions around a commune's centre, nearest first; null for a commune whose centre is unknown. */
export function communeMissions(
  commune: LocatedCommune,
  args: CommuneMissionsArgs,
  { upstream, loaders, operation }: MissionsContext,
): Awaitable<CommuneMissionConnection | null> {
  const { first: _first, after: _after, radius, ...filters } = args;
  const radiusKm = radius ?? DEFAULT_RADIUS_KM;
  const centre = positionOf(commune.joinCentre);
  const [filter, page] = together(
    () => missionQuery(filters),
    () => readPage(args, { list: 'Commune.missions', filter: { centre, radiusKm, filters }, maximum: MAX_PAGE_SIZE }),
    () => checkRange('radius', radiusKm, { min: 0, max: MAX_RADIUS_KM, unit: 'km' }),
  );
  if (centre === null) return null;

  const matches = finishFilter(filters) ?? (() => true);
  const search = (query: ListQuery) => upstream.read(requestSearch(query), operation);
  const read = missionsNear({ centre, radiusKm, filter }, search);
  return whenThere(read, (found) => {
    const near = found.missions.filter(({ mission }) => matches(mission));
    const { truncated } = found;
    const connection = connectionOf(page, cutFrom(page, near, !truncated));
    const nodes = connection.nodes.map(({ mission }) => mission);
    loaders.seenMissions.add(nodes);
    return {
      ...connection,
      nodes,
      edges: () =>
        connection.edges().map(({ node: { mission, ...nearest }, cursor }) => ({ ...nearest, node: mission, cursor })),
      truncated,
      near,
    };
  });
}
