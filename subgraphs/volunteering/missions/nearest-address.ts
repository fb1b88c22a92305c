import { distanceKm, isPlace, type Position } from '../../codes/distances.js';
import { orNull } from '../../rest/responses/shape.js';
import { isView } from '../lists/paging.js';
import type { AddressView, MissionView } from './shapes.js';

/** An address whose fields are checked when selected: a part of the wrong type is an error of its own field. */
export type MissionAddressFields = AddressView | FlatAddress;

/** The flat fields of a mission in the form of one of `addresses`. */
interface FlatAddress {
  street(): string | null;
  postalCode(): string | null;
  city(): string | null;
  departmentCode(): string | null;
  departmentName(): string | null;
  region(): string | null;
  country(): string | null;
  readonly location: Position;
}

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
export function hasUnreadablePosition(mission: MissionView): boolean {
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

/** Listed addresses come first: the flat fields repeat one of them, or are all there is in the documented service. */
function placedAddresses(mission: MissionView): PlacedAddress[] {
  const listed = (orNull(() => mission.addresses) ?? []).flatMap((address) => {
    if (!isView(address)) return [];
    const position = orNull(() => positionOf(address.location));
    return position === null ? [] : [{ address, place: address, position }];
  });
  const position = orNull(() => positionOf(mission.location ?? lonLatOf(mission)));
  if (position === null) return listed;
  return [...listed, { address: flatAddress(mission, position), place: mission, position }];
}

function lonLatOf({ lonlat }: MissionView): LooseLonLat {
  const parts: readonly unknown[] = lonlat ?? [];
  for (const part of parts) if (part instanceof Error) throw part;
  const [lon = null, lat = null] = lonlat ?? [];
  return { lon, lat };
}

interface LooseLonLat {
  readonly lon: number | null;
  readonly lat: number | null;
}

function positionOf(place: LooseLonLat | null): Position | null {
  if (place === null || place.lon === null || place.lat === null) return null;
  const position = { lon: place.lon, lat: place.lat };
  return isPlace(position) ? position : null;
}

function flatAddress(mission: MissionView, location: Position): FlatAddress {
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
