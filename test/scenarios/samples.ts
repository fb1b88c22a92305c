import type { World } from '../../sandbox/world/types.js';

/** A mission with exactly one commune and one organization, whatever else the world holds. */
export interface PlainMission {
  readonly id: string;
  readonly title: string;
  /** INSEE code of its commune; never a Corsican one, so the look-up sends it as it is. */
  readonly insee: string;
  readonly rna: string;
}

/**
 * Missions with a clean address and the well-formed RNA of an organization. Each scenario takes its own, because what
 * another has requested is cached.
 */
export function plainMissions({ missions, truth }: World): PlainMission[] {
  const communes = new Set<string>();
  return missions.flatMap(({ _id, title, organizationRNA: rna, statusCode, deletedAt }) => {
    const { insee = null, mess = [], resolvable = false } = truth.get(String(_id)) ?? {};
    if (!resolvable || mess.length > 0 || insee === null || !/^\d{5}$/.test(insee)) return [];
    if (typeof rna !== 'string' || !/^W[0-9A-Z]{9}$/.test(rna)) return [];
    if (statusCode !== 'ACCEPTED' || (deletedAt !== null && deletedAt !== undefined)) return [];
    if (communes.has(insee) || communes.has(rna)) return [];
    communes.add(insee).add(rna);
    return [{ id: String(_id), title: String(title), insee, rna }];
  });
}

/** The calls that a mission by id, its commune and its organization cost, as the sandbox lists them. */
export const callsOf = {
  mission: ({ id }: PlainMission, key = 'operator') => `volunteering GET /v0/mission/${id} ${key}`,
  commune: ({ insee }: PlainMission) => `work-study GET /api/geographie/v1/commune/search?code=${insee} operator`,
  organization: ({ rna }: PlainMission, key = 'operator') =>
    `volunteering GET /v0/organization?rna=${rna}&limit=100 ${key}`,
};

/** What a scenario needs. If the world does not have it, the scenario is wrong. */
export function the<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('The world has nothing of the kind that this scenario needs.');
  return found;
}
