import type { Json, World } from '../world/types.js';
import { type MissionRow, prepareMissions } from './mission-rows.js';
import { orderOrganizations } from './organizations-today.js';

/** The service's data in the form in which it is searched. Made at the first request: a start costs nothing. */
export interface Catalogue {
  /** In today's order. */
  missions(): readonly MissionRow[];
  missionById(id: string | undefined): MissionRow | undefined;
  /** In today's order. */
  organizations(): readonly Json[];
  /** Address before `/r/…` in `applicationUrl`. */
  baseUrl(): string;
  /** By how many places rows of equal `startAt` are turned in the next answer (volunteering 2.4). */
  turns(): number;
}

export function createCatalogue(
  world: World,
  service: { readonly baseUrl: () => string; readonly turns: () => number },
): Catalogue {
  let rows: MissionRow[] | undefined;
  let byId: Map<string, MissionRow> | undefined;
  let ordered: Json[] | undefined;
  const missions = (): MissionRow[] => {
    rows ??= prepareMissions(world.missions);
    return rows;
  };
  return {
    ...service,
    missions,
    missionById(id) {
      byId ??= new Map(missions().map((row) => [row.id, row]));
      return id === undefined ? undefined : byId.get(id);
    },
    organizations() {
      ordered ??= orderOrganizations(world.organizations);
      return ordered;
    },
  };
}
