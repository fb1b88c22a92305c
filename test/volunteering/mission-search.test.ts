import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Era } from '../../sandbox/server/types.js';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { readPage } from '../../subgraphs/graph/connection.js';
import { address, mission, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

/** Missions lie at distances to the north of this point. */
const PARIS = { lat: 48.8566, lon: 2.3522 };
const northOfParis = (km: number) => address({ lat: PARIS.lat + km / 111.195, lon: PARIS.lon });
const AROUND_PARIS = `lat: ${PARIS.lat}, lon: ${PARIS.lon}`;

const at = (id: string, km: number, fields = {}) => mission(id, { addresses: [northOfParis(km)], ...fields });

const harness = await startHarness(
  world({
    missions: [
      at('far', 51, { title: 'Loin' }),
      at('edge', 49, { createdAt: '2025-06-01T00:00:00.000Z', title: 'Bord de mer' }),
      at('near', 9, { domain: 'sport', departmentName: 'Paris', openToMinors: 'no', remote: 'possible' }),
      at('here', 0, { createdAt: '2026-09-01T00:00:00.000Z', startAt: '2026-10-01T08:00:00.000Z' }),
      mission('everywhere', { remote: 'local', addresses: [], startAt: null }),
    ],
  }),
);
const { service, send } = harness;

let keyCount = 0;
const search = (selection: string) =>
  send(selection, { key: { fingerprint: `search ${keyCount++}`, reveal: () => volunteeringKeys.operator } });
const idsOf = (connection: { nodes: { id: string }[] }) => connection.nodes.map(({ id }) => id).sort();

beforeEach(() => service.reset());
afterAll(() => harness.close());

describe.each(['today', 'seed'] satisfies Era[])('missionSearch, %s', (era) => {
  // Today's service adds missions that can be done near the volunteer to every search by place (volunteering 3.3).
  const everywhere = era === 'today' ? ['everywhere'] : [];

  beforeEach(() => {
    service.era = era;
  });

  it('writes kilometres so that both eras read them alike (VO-34, VO-36)', async () => {
    const { data } = await search(`{
      whole: missionSearch(${AROUND_PARIS}, distance: 10) { nodes { id } }
      part: missionSearch(${AROUND_PARIS}, distance: 8.9) { nodes { id } }
      none: missionSearch(${AROUND_PARIS}, distance: 0) { nodes { id } }
    }`);
    expect(idsOf(data.whole)).toEqual(['here', 'near', ...everywhere].sort());
    expect(idsOf(data.part)).toEqual(['here', ...everywhere].sort());
    expect(idsOf(data.none)).toEqual(['here', ...everywhere].sort());
    expect(
      service
        .callLines()
        .map((line) => /distance=(\w+)/.exec(line)?.[1])
        .sort(),
    ).toEqual(['10km', '1m', '8900m']);
  });

  it('finishes a range with two bounds here, and then counts nothing that it does not know', async () => {
    const { data } = await search(`{
      missionSearch(createdAt: { after: "2026-01-01", before: "2026-08-01" }) {
        totalCount truncated facets { domains { key } } nodes { id } pageInfo { hasNextPage }
      }
    }`);
    expect(idsOf(data.missionSearch)).toEqual(['everywhere', 'far', 'near']);
    expect(data.missionSearch).toMatchObject({
      totalCount: null,
      truncated: false,
      facets: null,
      pageInfo: { hasNextPage: false },
    });
  });

  it('searches at longitude zero, where the source would forget the place', async () => {
    const { data } = await search('{ missionSearch(lat: 48.8566, lon: 0, distance: 10) { nodes { id } } }');
    expect(idsOf(data.missionSearch)).toEqual(everywhere);
  });
});

describe('missionSearch beyond the ten-thousandth match', () => {
  it('goes on, and is not truncated', async () => {
    const clearFault = service.fault({ kind: 'wrong-type', set: { '/total': 12_345 } });
    const after = readPage({}, { list: 'missionSearch', filter: {}, maximum: 10_000 }).cursorAt(9_999);
    const { data, errors } = await search(
      `{ missionSearch(first: 5, after: "${after}") { totalCount truncated pageInfo { hasNextPage } } }`,
    );
    clearFault();
    expect(errors).toEqual([]);
    expect(data.missionSearch).toEqual({ totalCount: 12_345, truncated: false, pageInfo: { hasNextPage: true } });
    expect(service.callLines()).toEqual(['GET /v0/mission/search?from=10000&skip=10000&size=5&limit=5 operator']);
  });

  it('refuses a larger page than the source serves', async () => {
    const { errors, messages } = await search('{ missionSearch(first: 10001) { totalCount } }');
    expect(errors).toEqual(['BAD_USER_INPUT missionSearch']);
    expect(messages[0]).toMatch(/^first must be at most 10000 here/);
  });
});
