import type { GatewayError } from '../../shared/errors.js';
import { errorsAt } from '../../shared/errors.js';
import {
  AroundDocument,
  type MissionPageFragment,
  MoreMissionsDocument,
  type OfferFragment,
} from './__generated__/graphql.js';
import { send } from './gateway.js';
import { showList } from './list.js';
import type { Point, View } from './map.js';

/** A commune's centre, and the points of missions and offers around it as they are loaded. */
export interface Around {
  readonly view: View | null;
  readonly points: Point[];
}

/** Loads missions and offers around a commune, shows both lists, and calls `changed` whenever there are more points. */
export async function showAround(insee: string, radius: number, changed: (around: Around) => void): Promise<void> {
  const { data, errors } = await send(AroundDocument, { insee, radius });
  const commune = data?.commune;
  const [lon, lat] = commune?.localisation?.centre?.coordinates ?? [];
  const view =
    lon === undefined || lat === undefined ? null : { label: commune?.nom ?? insee, lon, lat, radiusKm: radius };
  const around: Around = { view, points: [] };
  showOffers(commune?.jobSearch ?? null, errorsAt(errors, 'commune', 'jobSearch'), around);

  const rows = new Map<string, string>();
  const showMissions = (page: MissionPageFragment | null, failures: readonly GatewayError[]): void => {
    addMissions(page, rows, around);
    const { endCursor = null, hasNextPage = false } = page?.pageInfo ?? {};
    const after = hasNextPage ? endCursor : null;
    const more = async (): Promise<void> => {
      if (after === null) return;
      const next = await send(MoreMissionsDocument, { insee, radius, after });
      const missions = next.data?.commune?.missions ?? null;
      // After a failure this page's button stays, for another try.
      showMissions(missions ?? page, errorsAt(next.errors, 'commune', 'missions'));
    };
    const total = page?.totalCount ?? null;
    const count = page === null ? 'Unknown' : `${rows.size}${total === null ? '' : ` of ${total}`}`;
    const summary = `${count} missions${page?.truncated ? ' (the list was cut)' : ''}`;
    showList('Missions', { summary, rows, errors: failures, more: after === null ? null : more });
    changed(around);
  };
  showMissions(commune?.missions ?? null, errorsAt(errors, 'commune', 'missions'));
}

function addMissions(page: MissionPageFragment | null, rows: Map<string, string>, { points }: Around): void {
  for (const edge of page?.edges ?? []) {
    // A null item could not be read: its error says why. An item seen before is on two pages.
    if (edge?.node == null || rows.has(edge.node.id)) continue;
    const { distance, address, node } = edge;
    const label = `${node.title ?? 'Mission'}, ${node.organizationName ?? 'organization unknown'}`;
    rows.set(node.id, `${label} (${address.city ?? 'place unknown'}, ${distance.toFixed(1)} km)`);
    const { lon = null, lat = null } = address.location ?? {};
    if (lon !== null && lat !== null) points.push({ kind: 'mission', label, lon, lat });
  }
}

interface Offers {
  readonly truncated: boolean | null;
  readonly jobs: readonly (OfferFragment | null)[] | null;
}

function showOffers(offers: Offers | null, errors: readonly GatewayError[], { points }: Around): void {
  const rows = new Map<string, string>();
  for (const [place, job] of (offers?.jobs ?? []).entries()) {
    const { name, location } = job?.workplace ?? {};
    const label = `${job?.offer?.title ?? 'Offer'}, ${name ?? 'workplace unknown'}`;
    // Offers that the source fetches on the fly have no id.
    rows.set(job?.id ?? `#${place}`, label);
    const [lon, lat] = location?.geopoint?.coordinates ?? [];
    if (lon !== undefined && lat !== undefined) points.push({ kind: 'offer', label, lon, lat });
  }
  const summary = `${offers === null ? 'Unknown' : rows.size} offers${offers?.truncated ? ' (there are more)' : ''}`;
  showList('Offers', { summary, rows, errors, more: null });
}
