import { forEachInTurns } from '../../../runtime/event-loop/turns.js';
import { distanceKm, isPlace, type Position } from '../../codes/places.js';
import { orNull } from '../../rest/shape.js';
import { isView, type QueryParameters } from '../values/lists.js';
import { nearQuery } from './filters.js';
import type { AddressView, MissionView } from './shapes.js';
import { readAll, type Search } from './walk.js';

/** Most calls for one query. A row may have 40 kB, with up to a hundred addresses (volunteering 8). */
const CALLS = 6;

/** A mission with its nearest address and the distance to it. */
export interface NearMission extends NearestAddress {
  readonly id: string;
  readonly mission: MissionView;
}

interface Around {
  readonly centre: Position;
  readonly radiusKm: number;
  readonly filter: QueryParameters;
}

/**
 * The missions within `radiusKm` of a point, nearest first, then by identifier; `truncated` if some may be missing. The
 * source returns those of a box, in its own order, so all are read (up to a limit), measured and sorted here, in turns
 * of the event loop: a thousand rows take several milliseconds, and a small request may need a hundred pages.
 */
export async function missionsNear({ centre, radiusKm, filter }: Around, search: Search<MissionView>) {
  const near = [...filter, ...nearQuery(centre, radiusKm)];
  const { rows, complete } = await readAll((query) => search({ ...query, filter: near }), { most: CALLS });
  const missions: NearMission[] = [];
  let truncated = !complete;
  await forEachInTurns(rows, ([id, mission]) => {
    const nearest = nearestAddress(mission, centre);
    if (nearest !== null && nearest.distance <= radiusKm) {
      missions.push({ id, mission: withDistance(mission, nearest.distance), ...nearest });
    } else truncated ||= hasUnreadablePosition(mission);
  });
  return { missions: missions.sort(nearestFirst), truncated };
}

function nearestFirst(a: NearMission, b: NearMission): number {
  return a.distance - b.distance || (a.id < b.id ? -1 : 1);
}

/** The same view with the true `distance`; the source's is that to the first address (volunteering 3.5). */
function withDistance(mission: MissionView, distance: number): MissionView {
  return Object.create(mission, { distance: { value: distance, enumerable: true } });
}

/** An address whose fields are checked when selected: a part of the wrong type is an error of its own field. */
export type MissionAddressFields = AddressView | ReturnType<typeof flatAddress>;

/** One of a mission's addresses, with its distance from a point. */
export interface NearestAddress {
  /** Kilometres from the point to the address. */
  readonly distance: number;
  readonly address: MissionAddressFields;
}

/** The parts of an address on which a search may set conditions. */
export type Locality = Pick<MissionView, 'city' | 'departmentName' | 'country'>;

/**
 * The mission's address nearest to the point, among those that the filter selects if there are any; null when nothing
 * says where the mission is.
 */
export function nearestAddress(
  mission: MissionView,
  point: Position,
  isSelected: (place: Locality) => boolean = () => true,
): NearestAddress | null {
  const placed = placedAddresses(mission);
  const selected = placed.filter(({ place }) => orNull(() => isSelected(place)) === true);
  let nearest: NearestAddress | null = null;
  for (const { address, position } of selected.length > 0 ? selected : placed) {
    const distance = distanceKm(point, position);
    if (nearest === null || distance < nearest.distance) nearest = { distance, address };
  }
  return nearest;
}

/** Whether a position of the mission cannot be read, so that it may be near after all. */
function hasUnreadablePosition(mission: MissionView): boolean {
  try {
    for (const address of mission.addresses ?? []) {
      if (address instanceof Error) return true;
      positionOf(address?.location ?? null);
    }
    positionOf(mission.location ?? lonLatOf(mission));
    return false;
  } catch {
    return true;
  }
}

interface PlacedAddress {
  readonly address: MissionAddressFields;
  readonly place: Locality;
  readonly position: Position;
}

/**
 * The flat fields count only without placed addresses, as in the documented service: they repeat the first, or say Paris
 * in the remote missions of one partner's key (volunteering 4.1).
 */
function placedAddresses(mission: MissionView): PlacedAddress[] {
  const listed = (orNull(() => mission.addresses) ?? []).flatMap((address) => {
    if (!isView(address)) return [];
    const position = orNull(() => positionOf(address.location));
    return position === null ? [] : [{ address, place: address, position }];
  });
  if (listed.length > 0) return listed;
  const position = orNull(() => positionOf(mission.location ?? lonLatOf(mission)));
  return position === null ? [] : [{ address: flatAddress(mission, position), place: mission, position }];
}

function lonLatOf({ lonlat }: MissionView): LooseLonLat {
  const parts: readonly unknown[] = lonlat ?? [];
  for (const part of parts) if (part instanceof Error) throw part;
  const [lon = null, lat = null] = lonlat ?? [];
  return { lon, lat };
}

/** A position of which parts may be missing. */
export interface LooseLonLat {
  readonly lon?: number | null;
  readonly lat?: number | null;
}

/** The position; null if a part is missing, or it is no place. */
export function positionOf(place: LooseLonLat | null | undefined): Position | null {
  if (place?.lon == null || place.lat == null) return null;
  const position = { lon: place.lon, lat: place.lat };
  return isPlace(position) ? position : null;
}

/** The flat fields of a mission in the form of one of `addresses`. */
function flatAddress(mission: MissionView, location: Position) {
  return {
    street: () => mission.address ?? mission.adresse,
    postalCode: () => mission.postalCode,
    city: () => mission.city,
    departmentCode: () => mission.departmentCode,
    departmentName: () => mission.departmentName,
    region: () => mission.region,
    country: () => mission.country,
    location,
  };
}
