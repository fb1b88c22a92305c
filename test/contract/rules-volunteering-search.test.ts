import { describe, expect, test } from 'vitest';
import { address, mission, PUBLISHERS, world } from '../sandbox/volunteering/small-world.js';
import { type RulesStack, stackOfRules } from './support/stack-of-rules.js';

/** The search of missions: volunteering 12.2.3 and 12.4.2. */

const [PARTICIPE, RESERVE, ASSOS] = PUBLISHERS;
const PARIS = { lat: 48.8541, lon: 2.3643 };
/** A point this many kilometres north of Paris; one degree of a great circle is 111.195 km. */
const north = (km: number) => address({ lat: PARIS.lat + km / 111.195, lon: PARIS.lon });
const far = { addresses: [address({ lat: 43.3, lon: 5.4, city: 'Marseille', departmentName: 'Bouches-du-Rhône' })] };

const sandbox = {
  world: world({
    missions: [
      mission('km0', { createdAt: '2026-02-01T00:00:00.000Z', startAt: '2026-09-05T00:00:00.000Z' }),
      mission('km51', {
        addresses: [north(51)],
        createdAt: '2026-01-01T00:00:00.000Z',
        startAt: '2026-09-04T00:00:00.000Z',
      }),
      mission('km49', {
        addresses: [north(49)],
        createdAt: '2026-04-01T00:00:00.000Z',
        startAt: '2026-09-03T00:00:00.000Z',
      }),
      mission('km8', {
        addresses: [north(8)],
        createdAt: '2026-03-01T00:00:00.000Z',
        startAt: '2026-09-02T00:00:00.000Z',
      }),
      mission('title', {
        ...far,
        title: 'Astronomie',
        remote: 'full',
        openToMinors: 'no',
        reducedMobilityAccessible: 'yes',
      }),
      mission('description', { ...far, description: 'Tenir la brocante.', domain: 'culture', activity: 'Lecture' }),
      mission('publisher', { ...far, publisherId: RESERVE.id, publisherName: RESERVE.name, remote: 'possible' }),
      mission('city', { addresses: [address({ lat: 48, lon: -4.1, city: 'Quimper', departmentName: 'Finistère' })] }),
      mission('other', { ...far, organizationDescription: 'Un zeppelin.', organizationName: 'Ballon rouge' }),
    ],
  }),
};
const seed = stackOfRules({ sandbox: { ...sandbox, era: 'seed' } });
const today = stackOfRules({ sandbox });
const ERAS: readonly (readonly [string, RulesStack])[] = [
  ['seed', seed],
  ['today', today],
];

interface Hit {
  readonly id: string;
  readonly distance: number | null;
  readonly createdAt: string;
}

/** The hits of a search with these arguments. */
async function hits(args: string, stack = seed): Promise<Hit[]> {
  const { missionSearch } = await stack.read(`{ missionSearch(${args}) { nodes { id distance createdAt } } }`);
  return missionSearch.nodes;
}

async function found(args: string, stack = seed): Promise<string[]> {
  return (await hits(args, stack)).map(({ id }) => id).sort();
}

/** The parameters of the last call. */
function requested(stack: RulesStack): URLSearchParams {
  return new URL(stack.sandbox.volunteering.calls.at(-1)?.url ?? '', 'http://service').searchParams;
}

const AT_PARIS = `lat: ${PARIS.lat}, lon: ${PARIS.lon}`;

describe('text and pages', () => {
  test.each(ERAS)('VO-31 needs no parameter: %s', async (_era, stack) => {
    const { missionSearch } = await stack.read('{ missionSearch { totalCount nodes { id } } }');
    expect(missionSearch.totalCount).toBe(9);
    expect(missionSearch.nodes).toHaveLength(9);
  });

  test('VO-32 text is looked for in title, description, publisher and city, and nowhere else', async () => {
    expect(await found('text: "astronomie"')).toEqual(['title']);
    expect(await found('text: "brocante"')).toEqual(['description']);
    expect(await found('text: "réserve"')).toEqual(['publisher']);
    expect(await found('text: "quimper"')).toEqual(['city']);
    expect(await found('text: "zeppelin"')).toEqual([]);
    expect(await found('text: "ballon"')).toEqual([]);
  });

  test('VO-32 today text is looked for in title, city and organization, and not in the description', async () => {
    expect(await found('text: "astronomie"', today)).toEqual(['title']);
    expect(await found('text: "quimper"', today)).toEqual(['city']);
    expect(await found('text: "ballon"', today)).toEqual(['other']);
    expect(await found('text: "brocante"', today)).toEqual([]);
  });

  test.each(ERAS)('VO-33 size and from page through all of it once: %s', async (_era, stack) => {
    const ids: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < 3; page += 1) {
      const { missionSearch }: { missionSearch: { nodes: Hit[]; pageInfo: { endCursor: string } } } = await stack.read(
        'query ($after: String) { missionSearch(first: 3, after: $after) { nodes { id } pageInfo { endCursor } } }',
        { variables: { after } },
      );
      ids.push(...missionSearch.nodes.map(({ id }) => id));
      after = missionSearch.pageInfo.endCursor;
    }
    expect(new Set(ids).size).toBe(9);
    // Today's service pages by `limit` and `skip`, the seed's by `size` and `from`; each call has both.
    expect(Object.fromEntries(requested(stack))).toEqual({ from: '2', skip: '2', size: '10', limit: '10' });
  });
});

describe('places', () => {
  test.each(ERAS)(
    'VO-34 coordinates and distance are sent together, and one alone is refused before a call: %s',
    async (_era, stack) => {
      expect(await found(`${AT_PARIS}, distance: 10`, stack)).toEqual(['km0', 'km8']);
      const { lat, lon, distance } = Object.fromEntries(requested(stack));
      expect([lat, lon, distance]).toEqual([String(PARIS.lat), String(PARIS.lon), '10km']);
      stack.stack.forgetCalls();
      for (const args of ['lat: 48.8', 'lon: 2.3', 'distance: 10', 'lat: 48.8, distance: 10']) {
        expect(await stack.refusals(`{ missionSearch(${args}) { totalCount } }`), args).toEqual([
          'BAD_USER_INPUT missionSearch',
        ]);
      }
      expect(stack.stack.calls()).toEqual([]);
    },
  );

  test.each(ERAS)('VO-35 without a distance it is 50 km: %s', async (_era, stack) => {
    expect(await found(AT_PARIS, stack)).toEqual(['km0', 'km49', 'km8']);
    expect(requested(stack).has('distance')).toBe(false);
  });

  test.each(ERAS)(
    'VO-36 a distance is sent with its unit; bare, in km and in m it means the same to the service: %s',
    async (_era, stack) => {
      for (const [distance, sent] of [
        [9, '9km'],
        [8.5, '8500m'],
      ] as const) {
        expect(await found(`${AT_PARIS}, distance: ${distance}`, stack)).toEqual(['km0', 'km8']);
        expect(requested(stack).get('distance')).toBe(sent);
      }
      const { volunteering, keys } = stack.sandbox;
      for (const distance of ['10', '10km', '10000m']) {
        const query = new URLSearchParams({ lat: String(PARIS.lat), lon: String(PARIS.lon), distance });
        const raw = await fetch(`${volunteering.url}/v0/mission/search?${query}`, {
          headers: { apikey: keys.volunteering.operator },
        });
        expect(((await raw.json()) as { total: number }).total, distance).toBe(2);
      }
    },
  );
});

describe('filters', () => {
  test.each(ERAS)('VO-37 yes and no stand for the two booleans: %s', async (_era, stack) => {
    expect(await found('openToMinors: false', stack)).toEqual(['title']);
    expect(requested(stack).get('openToMinors')).toBe('no');
    expect(await found('reducedMobilityAccessible: true', stack)).toEqual(['title']);
    expect(requested(stack).get('reducedMobilityAccessible')).toBe('yes');
  });

  test.each(ERAS)('VO-38 domain, activity and departmentName narrow it: %s', async (_era, stack) => {
    expect(await found('domain: "culture"', stack)).toEqual(['description']);
    expect(await found('activity: "Lecture"', stack)).toEqual(['description']);
    expect(await found('departmentName: "Finistère"', stack)).toEqual(['city']);
  });

  test.each(ERAS)('VO-41 a creation date is compared by a prefix: %s', async (_era, stack) => {
    const moment = '2026-02-15T00:00:00.000Z';
    expect(await found(`${AT_PARIS}, distance: 60, createdAt: { after: "${moment}" }`, stack)).toEqual(['km49', 'km8']);
    expect(requested(stack).get('createdAt')).toBe(`gt:${moment}`);
    expect(await found(`${AT_PARIS}, distance: 60, createdAt: { before: "${moment}" }`, stack)).toEqual([
      'km0',
      'km51',
    ]);
    expect(requested(stack).get('createdAt')).toBe(`lt:${moment}`);
  });

  test.each(ERAS)('VO-42 a start date is compared by a prefix: %s', async (_era, stack) => {
    const moment = '2026-09-03T12:00:00.000+02:00';
    expect(await found(`startAt: { after: "${moment}" }`, stack)).toEqual(['km0', 'km51']);
    expect(requested(stack).get('startAt')).toBe(`gt:${moment}`);
  });

  test('VO-43 several publishers by name, joined by a comma; today by identifier', async () => {
    expect(await found(`publisher: ["${RESERVE.name}", "${ASSOS.name}"]`)).toEqual(['publisher']);
    expect(requested(seed).getAll('publisher')).toEqual([`${RESERVE.name},${ASSOS.name}`]);
    expect(await found(`publisher: ["${RESERVE.name}", "${ASSOS.name}"]`, today)).toEqual([]);
    expect(await found(`publisher: ["${RESERVE.id}", "${ASSOS.id}"]`, today)).toEqual(['publisher']);
    expect(requested(today).getAll('publisher')).toEqual([`${RESERVE.id},${ASSOS.id}`]);
    expect(await found(`publisher: ["${PARTICIPE.id}"]`, today)).toHaveLength(8);
  });

  test.each(ERAS)('VO-44 remote goes out as the documented word: %s', async (_era, stack) => {
    for (const [value, ids] of [
      ['FULL', ['title']],
      ['POSSIBLE', ['publisher']],
    ] as const) {
      expect(await found(`remote: ${value}`, stack)).toEqual(ids);
      expect(requested(stack).get('remote')).toBe(value.toLowerCase());
    }
    expect(await found('remote: NO', stack)).toHaveLength(7);
    expect(requested(stack).get('remote')).toBe('no');
  });
});

describe('order, distances and facets', () => {
  test('VO-39 sortBy createdAt sorts by creation', async () => {
    const dates = (await hits(`${AT_PARIS}, distance: 60, sortBy: CREATED_AT`)).map(({ createdAt }) =>
      Date.parse(createdAt),
    );
    const sorted = [...dates].sort((a, b) => a - b);
    expect(dates).toHaveLength(4);
    // The seed does not document the direction.
    expect([sorted, sorted.toReversed()]).toContainEqual(dates);
    expect(requested(seed).get('sortBy')).toBe('createdAt');
  });

  test('VO-13, VO-40 sortBy localisation sorts by the distance, which each hit then has', async () => {
    const distances = (await hits(`${AT_PARIS}, distance: 60, sortBy: LOCALISATION`)).map(
      ({ distance }) => distance ?? Number.NaN,
    );
    expect(distances.map(Math.round)).toEqual([0, 8, 49, 51]);
    expect(requested(seed).get('sortBy')).toBe('localisation');
  });

  test('VO-13 no other query has distances; today each one with a point has', async () => {
    const distancesOf = async (args: string, stack: RulesStack) =>
      (await hits(args, stack)).map(({ distance }) => distance);
    expect(new Set(await distancesOf(`${AT_PARIS}, distance: 61`, seed))).toEqual(new Set([null]));
    expect(new Set(await distancesOf('first: 8', seed))).toEqual(new Set([null]));
    expect(new Set(await distancesOf('first: 8', today))).toEqual(new Set([null]));
    for (const distance of await distancesOf(`${AT_PARIS}, distance: 61`, today))
      expect(distance).toEqual(expect.any(Number));
    for (const [, stack] of ERAS) {
      const { mission: one, missions } = await stack.read(
        '{ mission(id: "km8") { distance } missions { nodes { distance } } }',
      );
      expect(new Set([one, ...missions.nodes].map(({ distance }) => distance))).toEqual(new Set([null]));
    }
  });

  test('VO-39, VO-40 today sortBy changes nothing: the latest start comes first', async () => {
    for (const sortBy of ['CREATED_AT', 'LOCALISATION']) {
      const ids = (await hits(`${AT_PARIS}, distance: 60, sortBy: ${sortBy}`, today)).map(({ id }) => id);
      expect(ids).toEqual(['km0', 'km51', 'km49', 'km8']);
    }
  });

  test('VO-19, VO-45 three facets count the matches, each entry with its key and its count', async () => {
    const { missionSearch } = await seed.read(
      `{ missionSearch(first: 1) { totalCount nodes { id } facets {
        departmentName { key docCount } activities { key docCount } domains { key docCount }
      } } }`,
    );
    const { departmentName, activities, domains } = missionSearch.facets;
    expect(departmentName).toContainEqual({ key: 'Finistère', docCount: 1 });
    expect(activities).toContainEqual({ key: 'Lecture', docCount: 1 });
    expect(domains).toEqual(
      expect.arrayContaining([
        { key: 'environnement', docCount: 8 },
        { key: 'culture', docCount: 1 },
      ]),
    );
    expect(missionSearch.totalCount).toBe(9);
    expect(missionSearch.nodes).toHaveLength(1);
  });

  test('VO-45 today the facets count the missions of the page alone', async () => {
    const { missionSearch } = await today.read('{ missionSearch(first: 1) { facets { domains { key docCount } } } }');
    expect(missionSearch.facets.domains).toEqual([{ key: 'environnement', docCount: 1 }]);
  });
});
