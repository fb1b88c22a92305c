import { perWorld } from '../world/per-world.js';
import type { Json, World } from '../world/types.js';
import { type MissionRow, prepareMissions } from './mission-rows.js';
import { orderOrganizations } from './organizations-today.js';

/** The service's data in searchable form, prepared at the first request so that startup costs nothing. */
export interface Catalogue {
  /** In today's order. */
  missions(): readonly MissionRow[];
  missionById(id: string | undefined): MissionRow | undefined;
  /** In today's order. */
  organizations(): readonly Json[];
  /** Address before `/r/…` in `applicationUrl`. */
  baseUrl(): string;
  /** By how many places rows of equal `startAt` are rotated in the next reply (volunteering 2.4). */
  turns(): number;
}

/** Creates the catalogue of a world. */
export function createCatalogue(
  world: World,
  service: { readonly baseUrl: () => string; readonly turns: () => number },
): Catalogue {
  return {
    ...service,
    missions: () => missionsOf(world),
    missionById: (id) => (id === undefined ? undefined : missionsById(world).get(id)),
    organizations: () => organizationsOf(world),
  };
}

const missionsOf = perWorld(({ missions }) => prepareMissions(missions));
const missionsById = perWorld((world) => new Map(missionsOf(world).map((row) => [row.id, row])));
const organizationsOf = perWorld(({ organizations }) => orderOrganizations(organizations));
