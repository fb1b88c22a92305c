import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { distanceKm } from '../../subgraphs/codes/places.js';
import { address, mission, organization, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

const CENTRE = { lon: 2.347, lat: 48.8589 };
const SIRET = '55204944776279';
const RNA = 'W751206979';

const place = (eastKm: number, northKm: number) => ({
  lon: CENTRE.lon + eastKm / (111.195 * Math.cos((CENTRE.lat * Math.PI) / 180)),
  lat: CENTRE.lat + northKm / 111.195,
});
const at = (id: string, eastKm: number, northKm: number, fields = {}) =>
  mission(id, { addresses: [address(place(eastKm, northKm))], ...fields });

const harness = await startHarness(
  world({
    missions: [
      at('centre', 0, 0),
      at('north', 0, 19.99, { domain: 'sport' }),
      at('corner', 15, 15),
      at('outside', 0, 20.02),
      mission('second-address', {
        addresses: [
          address({ ...place(300, 300), city: 'Lyon' }),
          address({ ...place(4, 0), city: 'Vincennes' }),
          address({ ...place(3, 0), id: 'near', city: 'Montreuil', postalCode: '93100', street: '1 rue de l’Est' }),
        ],
      }),
      mission('local', { remote: 'local', addresses: [] }),
      mission('unplaced', { addresses: [address({ lat: null, lon: null })] }),
      mission('null-island', { addresses: [address({ lat: 0, lon: 0 })] }),
      mission('by-rna', { organizationRNA: RNA, organizationSiren: null }),
      mission('by-rna-too', { organizationRNA: RNA, organizationSiren: SIRET }),
      mission('by-siret', { organizationRNA: null, organizationSiren: SIRET }),
      mission('by-siren', { organizationRNA: null, organizationSiren: '552049447' }),
      mission('malformed', { organizationRNA: '75120697', organizationSiren: '55204944776278' }),
      mission('malformed-then-siret', { organizationRNA: 'néant', organizationSiren: SIRET }),
      mission('nameless', { organizationRNA: null, organizationSiren: null }),
      mission('empty', { organizationRNA: '', organizationSiren: '' }),
      mission('unknown', { organizationRNA: 'W999999999', organizationSiren: null }),
    ].map((row) => ({ organizationRNA: null, ...row })),
    organizations: [
      organization('org', { siren: SIRET.slice(0, 9), siret: SIRET, sirets: [SIRET], rna: RNA, title: 'ASSOCIATION' }),
    ],
  }),
);
const { service, send } = harness;

let keyCount = 0;
const freshKey = () => ({ fingerprint: `links ${keyCount++}`, reveal: () => volunteeringKeys.operator });

async function around(selection: string, joinCentre: object | null = CENTRE) {
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Commune { ${selection} } } }`;
  const r = [{ __typename: 'Commune', code: { insee: '75056' }, joinCentre }];
  const { data, errors, messages } = await send(query, { variables: { r }, key: freshKey() });
  return { commune: data._entities[0], errors, messages };
}

beforeEach(() => {
  service.reset();
  service.era = 'today';
});
afterAll(() => harness.close());

describe('Commune.missions', () => {
  it('measures to the nearest address, drops the corners of the box, and sorts nearest first', async () => {
    const { commune, errors } = await around(
      'missions(radius: 20, remote: [NO], domain: ["environnement", "sport"]) { totalCount truncated edges { distance node { id distance } } }',
    );
    expect(errors).toEqual([]);
    const found = commune.missions.edges.map(({ node, distance }: { node: { id: string }; distance: number }) => [
      node.id,
      Math.round(distance * 100) / 100,
    ]);
    const placed = found.filter(([id]: [string]) =>
      ['centre', 'second-address', 'north', 'corner', 'outside'].includes(id),
    );
    expect(placed).toEqual([
      ['centre', 0],
      ['second-address', 3],
      ['north', 19.99],
    ]);
    const distances = found.map(([, distance]: [string, number]) => distance);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    expect(commune.missions).toMatchObject({ totalCount: found.length, truncated: false });
  });

  it('gives the true distance on the mission too, where the source measures to its first address', async () => {
    const { commune } = await around(
      'missions(radius: 5) { edges { distance node { id distance } } nodes { id distance } }',
    );
    for (const { distance, node } of commune.missions.edges) expect(node.distance).toBe(distance);
    const second = commune.missions.nodes.find(({ id }: { id: string }) => id === 'second-address');
    expect(second.distance).toBeCloseTo(3, 2);
  });

  it('tells the address that the distance is measured to, where the mission’s own place is its first one', async () => {
    const { commune, errors } = await around(`missions(radius: 5) { totalCount edges {
      distance address { id street city postalCode location { lon lat } } node { id city location { lon lat } }
    } }`);
    expect(errors).toEqual([]);
    for (const { distance, address } of commune.missions.edges) {
      expect(distanceKm(CENTRE, address.location)).toBeCloseTo(distance, 9);
    }
    const rows = commune.missions.edges.filter(({ node }: { node: { id: string } }) => node.id === 'second-address');
    expect(rows).toEqual([
      {
        distance: expect.closeTo(3, 2),
        address: {
          id: 'near',
          street: '1 rue de l’Est',
          city: 'Montreuil',
          postalCode: '93100',
          location: place(3, 0),
        },
        node: { id: 'second-address', city: 'Lyon', location: place(300, 300) },
      },
    ]);
  });

  it('leaves out what has no position, although the source adds it to every search', async () => {
    const { commune } = await around('missions(radius: 500, first: 1000) { nodes { id } }');
    const ids = commune.missions.nodes.map(({ id }: { id: string }) => id);
    expect(ids).toContain('corner');
    expect(ids).not.toContain('local');
    expect(ids).not.toContain('unplaced');
    expect(ids).not.toContain('null-island');
  });

  it('takes (0, 0) for no position, even near the Gulf of Guinea', async () => {
    const { commune } = await around('missions(radius: 100) { totalCount }', { lon: 0.1, lat: 0.1 });
    expect(commune.missions.totalCount).toBe(0);
  });

  it('requests a box that holds the whole circle, once, and pages what it got', async () => {
    const { commune } = await around(`
      first: missions(radius: 20, first: 2) { totalCount nodes { id } pageInfo { hasNextPage endCursor } }
      again: missions(first: 3) { nodes { id } }
    `);
    expect(commune.first.nodes).toEqual(commune.again.nodes.slice(0, 2));
    expect(commune.first.pageInfo.hasNextPage).toBe(true);
    expect(service.callLines()).toEqual([
      'GET /v0/mission/search?lat=48.8589&lon=2.347&distance=20023m&sortBy=localisation&size=1000&limit=1000 operator',
    ]);
  });

  it('walks every mission once by its cursors', async () => {
    const all = (await around('missions { nodes { id } }')).commune.missions.nodes;
    const walked: unknown[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const argument: string = after === '' ? '' : `, after: "${after}"`;
      const { commune } = await around(
        `missions(first: 4${argument}) { nodes { id } pageInfo { hasNextPage endCursor } }`,
      );
      walked.push(...commune.missions.nodes);
      after = commune.missions.pageInfo.hasNextPage ? commune.missions.pageInfo.endCursor : null;
    }
    expect(walked).toEqual(all);
  });

  it('refuses a cursor of another commune, of another radius, and a radius that no one walks', async () => {
    const { commune } = await around('missions(first: 1) { pageInfo { endCursor } }');
    const cursor = commune.missions.pageInfo.endCursor;
    const elsewhere = await around(`missions(after: "${cursor}") { totalCount }`, { lon: 5, lat: 45 });
    const wider = await around(`missions(after: "${cursor}", radius: 30) { totalCount }`);
    const absurd = await around('missions(radius: 501) { totalCount }');
    for (const { errors } of [elsewhere, wider, absurd])
      expect(errors).toEqual(['BAD_USER_INPUT _entities.0.missions']);
  });

  it('gives null without a call for a commune whose centre is not known', async () => {
    for (const unknown of [
      null,
      {},
      { lon: 2.35, lat: null },
      { lon: 0, lat: 0 },
      { lon: 2.35, lat: 90.1 },
      { lon: -180.1, lat: 48.85 },
    ]) {
      const { commune, errors } = await around('missions { totalCount }', unknown);
      expect([commune.missions, errors]).toEqual([null, []]);
    }
    expect(service.calls).toEqual([]);
  });

  it('works with the seed’s service alike', async () => {
    service.era = 'seed';
    const { commune, errors } = await around(
      'missions(radius: 20, first: 1000) { edges { distance address { street city location { lon lat } } node { id adresse address city } } }',
    );
    expect(errors).toEqual([]);
    for (const { distance, address, node } of commune.missions.edges) {
      expect(distanceKm(CENTRE, address.location)).toBeCloseTo(distance, 9);
      expect(address).toMatchObject({ street: node.address ?? node.adresse, city: node.city });
    }
    const ids = commune.missions.edges.map(({ node }: { node: { id: string } }) => node.id);
    expect(ids).toContain('north');
    expect(ids).not.toContain('corner');
    expect(ids).not.toContain('outside');
  });
});

describe('Commune.missions of a crowded place', () => {
  it('reads on until a page has nothing new, counts each mission once, and says that there was more', async () => {
    service.fault({ kind: 'wrong-type', set: { '/total': 5_600 } });
    const { commune, errors } = await around('missions { totalCount truncated nodes { id } }');
    expect(errors).toEqual([]);
    expect(commune.missions).toMatchObject({ totalCount: null, truncated: true });
    const ids: string[] = commune.missions.nodes.map(({ id }: { id: string }) => id);
    expect([ids.length > 0, new Set(ids).size]).toEqual([true, ids.length]);
    expect(service.calls).toHaveLength(2);
  });

  it('reads several pages, counts each mission once, and says when there was more', async () => {
    const crowd = Array.from({ length: 5_200 }, (_, index) =>
      at(`crowd-${index}`, (index % 50) / 10, Math.floor(index / 50) / 10),
    );
    const crowded = await startHarness(world({ missions: crowd }));
    const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Commune {
      few: missions(radius: 3) { totalCount truncated nodes { id distance } }
      many: missions(radius: 30) { totalCount truncated nodes { id } }
    } } }`;
    const r = [
      {
        __typename: 'Commune',
        code: { insee: '1' },
        joinCentre: CENTRE,
      },
    ];
    const { data, errors } = await crowded.send(query, { variables: { r } });
    await crowded.close();
    expect(errors).toEqual([]);
    const within = crowd.filter(({ location }) => distanceKm(CENTRE, location as typeof CENTRE) <= 3).length;
    expect(data._entities[0].few).toMatchObject({ totalCount: within, truncated: false });
    expect(data._entities[0].many).toMatchObject({ totalCount: null, truncated: true });
    expect(crowded.service.calls.filter(({ url }) => /distance=3\d{4}m/.test(url))).toHaveLength(6);
  });
});

describe('Mission.organization', () => {
  const organizationsOf = (...ids: string[]) => {
    const fields = ids.map((id, index) => `m${index}: mission(id: "${id}") { organization { id } }`);
    return send(`{ ${fields.join(' ')} }`, { key: freshKey() });
  };
  const lookups = () => service.callLines().filter((line) => line.includes('/organization'));

  it('looks up the RNA number, else a SIRET in the SIREN’s place, one call for each distinct code', async () => {
    const { data, errors } = await organizationsOf('by-rna', 'by-rna-too', 'by-siret', 'malformed-then-siret');
    expect(errors).toEqual([]);
    expect(Object.values(data)).toEqual(Array.from({ length: 4 }, () => ({ organization: { id: 'org' } })));
    expect(lookups()).toEqual([
      `GET /v0/organization?q=${SIRET.slice(0, 9)}&limit=100 operator`,
      `GET /v0/organization?rna=${RNA}&limit=100 operator`,
    ]);
  });

  it('is null without a call and without an error for a mission that names none, or names it wrongly', async () => {
    const { data, errors } = await organizationsOf('nameless', 'empty', 'by-siren', 'malformed');
    expect(errors).toEqual([]);
    expect(Object.values(data)).toEqual(Array.from({ length: 4 }, () => ({ organization: null })));
    expect(lookups()).toEqual([]);
    expect(harness.drifts).toContain('Mission.organizationRNA');
  });

  it('is null for a code that the register does not know', async () => {
    const { data, errors } = await organizationsOf('unknown');
    expect([data.m0.organization, errors]).toEqual([null, []]);
    expect(lookups()).toHaveLength(1);
  });

  it('reads the codes of the seed’s service alike', async () => {
    service.era = 'seed';
    const { data } = await organizationsOf('by-rna', 'by-siret', 'nameless');
    expect([data.m0.organization?.id, data.m1.organization?.id, data.m2.organization]).toEqual(['org', 'org', null]);
  });
});

describe('organizations of other services’ establishments', () => {
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) {
    ... on Workplace { organization { id } }
    ... on MissionLocale { organization { id } }
    ... on OrganismeEtablissement { organization { id } }
    ... on Certificateur { organization { id } }
    ... on Company { organization { id } }
  } }`;
  const TYPES = ['Workplace', 'MissionLocale', 'Certificateur', 'OrganismeEtablissement', 'Company'];

  it('are looked up by exact SIRET, all of them with one call', async () => {
    const r = TYPES.map((__typename) => ({ __typename, siret: SIRET }));
    const { data, errors } = await send(query, { variables: { r }, key: freshKey() });
    expect(errors).toEqual([]);
    expect(data._entities).toEqual(TYPES.map(() => ({ organization: { id: 'org' } })));
    expect(service.calls).toHaveLength(1);
  });

  it.each([[null], [''], ['55204944776278'], ['not a siret']])(
    'are null without a call for the SIRET %j',
    async (siret) => {
      const r = TYPES.map((__typename) => ({ __typename, siret }));
      const { data, errors } = await send(query, { variables: { r }, key: freshKey() });
      expect([data._entities, errors]).toEqual([TYPES.map(() => ({ organization: null })), []]);
      expect(service.calls).toEqual([]);
    },
  );
});

describe('a mission as an entity', () => {
  const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Mission { id title } } }';
  const r = [{ __typename: 'Mission', id: 'centre' }];

  it('comes from the rows of the same request, else from its own route; unknown is null', async () => {
    const request = {};
    const key = freshKey();
    await send('{ missions(first: 100) { nodes { id } } }', { request, key });
    service.clearCalls();
    expect((await send(query, { request, key, variables: { r } })).data._entities[0].id).toBe('centre');
    expect(service.calls).toEqual([]);
    expect((await send(query, { key, variables: { r } })).data._entities[0].id).toBe('centre');
    const unknown = await send(query, { key, variables: { r: [{ __typename: 'Mission', id: 'nobody' }] } });
    expect([unknown.data._entities, unknown.errors]).toEqual([[null], []]);
    expect(service.callLines()).toEqual(['GET /v0/mission/centre operator', 'GET /v0/mission/nobody operator']);
  });
});

describe('the source itself', () => {
  it('tells its own state and no other’s', async () => {
    const query =
      'query ($r: [_Any!]!) { _entities(representations: $r) { ... on VolunteeringSource { name state } } }';
    const r = [{ __typename: 'VolunteeringSource', name: 'volunteering' }];
    expect((await send(query, { variables: { r } })).data._entities).toEqual([{ name: 'volunteering', state: 'UP' }]);
    const other = [{ __typename: 'VolunteeringSource', name: 'work-study' }];
    expect((await send(query, { variables: { r: other } })).data._entities).toEqual([null]);
  });
});
