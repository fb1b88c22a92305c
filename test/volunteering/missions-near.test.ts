import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import type { Json } from '../../sandbox/world/types.js';
import { missionsNear } from '../../subgraphs/volunteering/missions/near.js';
import { missionShape } from '../../subgraphs/volunteering/missions/shapes.js';
import { address, mission, world } from '../sandbox/volunteering/small-world.js';
import { turnsDuring } from '../turns-during.js';
import { startHarness } from './support/harness.js';

const CENTRE = { lon: 2.347, lat: 48.8589 };
const COUNT = 1_200;

const crowd = Array.from({ length: COUNT }, (_, index) =>
  mission(`m${index}`, { addresses: [address({ ...CENTRE, lat: CENTRE.lat + index * 1e-5 })] }),
);
const harness = await startHarness(
  world({ missions: [...crowd, mission('anywhere', { remote: 'local', addresses: [] })] }),
);
const { service } = harness;

let keyCount = 0;

async function near() {
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Commune {
    missions { totalCount truncated nodes { id } pageInfo { hasNextPage } }
  } } }`;
  const r = [{ __typename: 'Commune', code: { insee: '75056' }, joinCentre: CENTRE }];
  const key = { fingerprint: `near ${keyCount++}`, reveal: () => volunteeringKeys.operator };
  const { data, errors } = await harness.send(query, { variables: { r }, key });
  expect(errors).toEqual([]);
  expect(data._entities[0].missions).toMatchObject({
    nodes: { length: 25 },
    pageInfo: { hasNextPage: true },
  });
  const { totalCount, truncated } = data._entities[0].missions;
  return { totalCount, truncated, calls: service.calls.length };
}

interface Found {
  total?: unknown;
  hits: Json[];
}

function change(apply: (found: Found) => void) {
  service.fault({
    kind: 'wrong-type',
    path: '/v0/mission/search',
    change: (body) => {
      apply(body as Found);
      return body;
    },
  });
}

const ofSecondPage = (apply: (found: Found) => void) => (found: Found) => {
  if (found.hits.length < 1_000) apply(found);
};

const ofOneMission = (apply: (hit: Json) => void) => (found: Found) => {
  for (const hit of found.hits) if (hit['_id'] === 'm600') apply(hit);
};

beforeEach(() => {
  service.reset();
});
afterAll(() => harness.close());

describe('the count of Commune.missions', () => {
  const ALL = { totalCount: COUNT, truncated: false, calls: 2 };
  const NOT_ALL = { totalCount: null, truncated: true };

  it('is of all, and those without a position are none of them', async () => {
    expect(await near()).toEqual(ALL);
  });

  it('is of all although each response has them in another order', async () => {
    expect(service.order).toBe('turning');
    expect(await near()).toEqual(ALL);
  });

  it('is not known where more of them move between two pages than these have in common', async () => {
    change((found) => {
      if (found.hits.length < 1_000) found.hits.splice(600, 50, ...found.hits.slice(0, 50));
    });
    expect(await near()).toMatchObject(NOT_ALL);
  });

  const FORMS: [string, (found: Found) => void][] = [
    ['a page is empty', ofSecondPage((found) => found.hits.splice(0))],
    ['there is no total', (found) => delete found.total],
    ['an address is a text', ofOneMission((hit) => Object.assign(hit, { addresses: ['Paris'], location: null }))],
    ['a row has no identifier', ofOneMission((hit) => delete hit['_id'])],
    [
      'a position is a text',
      ofOneMission((hit) => {
        hit['location'] = { lat: '48.8', lon: '2.3' };
        hit['addresses'] = [address({ location: hit['location'] })];
      }),
    ],
  ];
  it.each(FORMS)('is not known where %s', async (_what, apply) => {
    change(apply);
    expect(await near()).toMatchObject(NOT_ALL);
  });

  it('is known where a mission can be placed by its other address', async () => {
    change(ofOneMission((hit) => (hit['location'] = { lat: '48.8', lon: '2.3' })));
    expect(await near()).toEqual(ALL);
  });

  it('is not known without a total, of a page that is not full either: the source may serve no larger ones', async () => {
    change((found) => {
      found.hits.splice(900);
      delete found.total;
    });
    expect(await near()).toMatchObject(NOT_ALL);
  });
});

describe('Five pages of missions around a point', () => {
  const origin = { service: 'volunteering', drift: () => {} } as const;
  const rows = Array.from({ length: 5_000 }, (_, index) =>
    missionShape.view(
      {
        ...{ _id: `m${index}`, startAt: new Date(index * 86_400_000).toISOString() },
        location: { ...CENTRE, lat: CENTRE.lat + index * 1e-5 },
      },
      origin,
    ),
  );
  const around = { centre: CENTRE, radiusKm: 20, filter: [] };
  const near = () =>
    missionsNear(around, ({ skip, limit }) => ({ rows: rows.slice(skip, skip + limit), total: rows.length }));

  it('are measured in turns of the event loop, which leave room for others', async () => {
    let count = 0;
    const turns = await turnsDuring(async () => {
      const found = await Promise.all(Array.from({ length: 10 }, () => near()));
      count = found.reduce((sum, { missions }) => sum + missions.length, 0);
    });
    expect(count).toBe(10 * rows.length);
    expect(turns).toBeGreaterThan(20);
  });
});
