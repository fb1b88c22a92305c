import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Era } from '../../sandbox/server/types.js';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { distanceKm } from '../../subgraphs/codes/places.js';
import { address, mission, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

const PARIS = { lat: 48.8566, lon: 2.3522 };
const north = (km: number, fields = {}) =>
  address({ lat: PARIS.lat + km / 111.195, lon: PARIS.lon, city: `${km} km`, ...fields });

const { service, send, close } = await startHarness(
  world({
    missions: [
      mission('one', { addresses: [north(10)] }),
      mission('two', { addresses: [north(30), north(40, { departmentName: 'Rhône' }), north(4)] }),
      mission('broken', { addresses: [north(6, { location: 'ici' }), north(8)], location: null }),
      mission('beyond', { remote: 'local', addresses: [address({ lat: 90.1, lon: PARIS.lon })] }),
      mission('unplaced', { remote: 'local', addresses: [] }),
    ],
  }),
);

beforeEach(() => service.reset());
afterAll(close);

let keyCount = 0;

async function search(argument: string, era: Era) {
  service.era = era;
  // Its own key, so that nothing cached in one era serves the other.
  const key = { fingerprint: `nearest ${keyCount++}`, reveal: () => volunteeringKeys.operator };
  const { data, errors } = await send(
    `{ missionSearch${argument} { edges {
    distance address { id street city departmentName location { lon lat } } node { id city distance }
  } } }`,
    { key },
  );
  expect(errors).toEqual([]);
  const edges: { node: { id: string; city: string }; address: Address | null }[] = data.missionSearch.edges;
  return new Map(edges.map((edge) => [edge.node.id, edge] as const));
}

interface Address {
  readonly location: typeof PARIS;
}

const AROUND = `(lat: ${PARIS.lat}, lon: ${PARIS.lon})`;

describe('MissionSearchEdge.address', () => {
  it('is the nearest of the addresses, with the true distance to it', async () => {
    const found = await search(AROUND, 'today');
    expect(found.get('one')).toMatchObject({ distance: expect.closeTo(10, 2), address: { city: '10 km' } });
    // The source measures to the first address, whose city is the mission's.
    expect(found.get('two')).toMatchObject({
      distance: expect.closeTo(4, 2),
      address: { city: '4 km', departmentName: 'Paris', street: '46 Rue Saint-Antoine' },
      node: { city: '30 km', distance: expect.closeTo(30, 2) },
    });
  });

  it('is made of the flat fields where a mission has no others', async () => {
    const found = await search(AROUND, 'seed');
    expect(found.get('one')).toMatchObject({
      distance: expect.closeTo(10, 2),
      address: { id: null, city: '10 km', departmentName: 'Paris', street: '46 Rue Saint-Antoine' },
    });
    for (const { address, node } of found.values()) expect(address).toMatchObject({ city: node.city });
  });

  it('is one that the search requests by place, although another lies nearer', async () => {
    const near = await search(AROUND.replace(')', ', city: "30 km")'), 'today');
    expect(near.get('two')).toMatchObject({ distance: expect.closeTo(30, 2), address: { city: '30 km' } });
    const inRhone = await search(AROUND.replace(')', ', department: "69")'), 'today');
    expect(inRhone.get('two')).toMatchObject({ distance: expect.closeTo(40, 2), address: { departmentName: 'Rhône' } });
  });

  it('belongs to its distance, for every mission and in both eras', async () => {
    for (const era of ['today', 'seed'] satisfies Era[]) {
      for (const edge of (await search(AROUND, era)).values()) {
        const { distance, address } = edge as typeof edge & { distance: number };
        if (address !== null) expect(distanceKm(PARIS, address.location)).toBeCloseTo(distance, 9);
      }
    }
  });

  it('passes over an address whose position is of a wrong type', async () => {
    const found = await search(AROUND, 'today');
    expect(found.get('broken')).toMatchObject({ distance: expect.closeTo(8, 2), address: { city: '8 km' } });
  });

  it('is null for a mission without a position, and for all of them without a point', async () => {
    const found = await search(AROUND, 'today');
    for (const id of ['unplaced', 'beyond']) expect(found.get(id)).toMatchObject({ distance: null, address: null });
    const all = await search('', 'today');
    expect(all.size).toBe(5);
    for (const edge of all.values()) expect(edge).toMatchObject({ distance: null, address: null });
  });
});
