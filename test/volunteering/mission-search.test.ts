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

  it('is legal without arguments, and pages in the words of both eras (VO-31, VO-33)', async () => {
    const { data, errors } = await search(
      '{ missionSearch(first: 2) { totalCount truncated nodes { id } pageInfo { endCursor } } }',
    );
    expect(errors).toEqual([]);
    expect(data.missionSearch).toMatchObject({ totalCount: 5, truncated: false });
    expect(data.missionSearch.nodes).toHaveLength(2);
    const next = await search(
      `{ missionSearch(first: 4, after: "${data.missionSearch.pageInfo.endCursor}") { nodes { id } pageInfo { hasNextPage } } }`,
    );
    expect(next.data.missionSearch.pageInfo.hasNextPage).toBe(false);
    expect([...idsOf(data.missionSearch), ...idsOf(next.data.missionSearch)].sort()).toEqual(
      ['edge', 'everywhere', 'far', 'here', 'near'].sort(),
    );
    expect(service.callLines()).toEqual([
      'GET /v0/mission/search?from=2&skip=2&size=4&limit=4 operator',
      'GET /v0/mission/search?size=2&limit=2 operator',
    ]);
  });

  it('searches 50 km around a point unless told (VO-35)', async () => {
    const { data } = await search(`{ missionSearch(${AROUND_PARIS}) { nodes { id } } }`);
    expect(idsOf(data.missionSearch)).toEqual(['edge', 'here', 'near', ...everywhere].sort());
    expect(service.callLines()).toEqual(['GET /v0/mission/search?lat=48.8566&lon=2.3522&size=25&limit=25 operator']);
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

  it('sorts by place and adds distances where the source does (VO-13, VO-40)', async () => {
    const { data } = await search(
      `{ missionSearch(${AROUND_PARIS}, sortBy: LOCALISATION, remote: [NO, POSSIBLE]) { nodes { id distance } } }`,
    );
    const distances = data.missionSearch.nodes.map(({ distance }: { distance: number }) => Math.round(distance));
    expect([...distances].sort((a, b) => a - b)).toEqual([0, 9, 49]);
    if (era === 'seed') expect(distances).toEqual([0, 9, 49]);
    expect(service.callLines()[0]).toContain('&sortBy=localisation&');
  });

  it('has no distance without a point', async () => {
    const { data } = await search('{ missionSearch(first: 1) { nodes { distance } } }');
    expect(data.missionSearch.nodes[0].distance).toBeNull();
  });

  it('counts facets: of the page today, of all matches in the seed (VO-19, VO-45)', async () => {
    const { data } = await search(`{
      missionSearch(first: 1) { facets { departmentName { key docCount } activities { key docCount } domains { key docCount } } }
    }`);
    const { facets } = data.missionSearch;
    const counted = facets.domains.reduce((sum: number, { docCount }: { docCount: number }) => sum + docCount, 0);
    expect(counted).toBe(era === 'today' ? 1 : 5);
    for (const entries of Object.values<{ key: unknown; docCount: unknown }[]>(facets)) {
      for (const { key, docCount } of entries) expect([typeof key, typeof docCount]).toEqual(['string', 'number']);
    }
  });

  it('finds text in titles (VO-32), and narrows by domain, yes and no, and remote (VO-37, VO-38, VO-44)', async () => {
    const { data } = await search(`{
      text: missionSearch(text: "bord de mer") { nodes { id } }
      domain: missionSearch(domain: ["sport"]) { nodes { id } }
      minors: missionSearch(openToMinors: false) { nodes { id } }
      remote: missionSearch(remote: [POSSIBLE]) { nodes { id } }
    }`);
    expect(Object.values<{ nodes: { id: string }[] }>(data).map(idsOf)).toEqual([
      ['edge'],
      ['near'],
      ['near'],
      ['near'],
    ]);
    expect(service.callLines()).toContain('GET /v0/mission/search?openToMinors=no&size=25&limit=25 operator');
  });

  it('compares dates on either side (VO-41, VO-42)', async () => {
    const { data } = await search(`{
      created: missionSearch(createdAt: { after: "2026-05-01" }) { nodes { id } }
      started: missionSearch(startAt: { after: "2026-10-01T09:59:59+02:00" }) { nodes { id } }
      earlier: missionSearch(createdAt: { before: "2025-12-31" }) { nodes { id } }
    }`);
    expect(Object.values<{ nodes: { id: string }[] }>(data).map(idsOf)).toEqual([['here'], ['here'], ['edge']]);
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

  it('refuses half a point, and a distance or an order without one, before a call', async () => {
    const { errors } = await search(`{
      half: missionSearch(lat: 48) { totalCount }
      distance: missionSearch(distance: 10) { totalCount }
      order: missionSearch(sortBy: LOCALISATION) { totalCount }
    }`);
    expect(errors).toEqual(['BAD_USER_INPUT half', 'BAD_USER_INPUT distance', 'BAD_USER_INPUT order']);
    expect(service.calls).toEqual([]);
  });

  it('reads `deleted` as one boolean from hits and by id (VO-12)', async () => {
    const { data } = await search(
      '{ missionSearch(first: 1) { nodes { id deleted } } mission(id: "near") { deleted } }',
    );
    expect([data.missionSearch.nodes[0].deleted, data.mission.deleted]).toEqual([false, false]);
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
