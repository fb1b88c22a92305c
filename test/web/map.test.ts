import { describe, expect, test } from 'vitest';
import { drawnOutlines, OUTLINES } from '../../analyst/page/map/outlines.js';
import { placeSteps } from '../../analyst/page/map/points.js';
import type { LonLat } from '../../rows/layout.js';
import { finish } from '../../rows/steps.js';
import { shownRows } from './shown-rows.js';

describe('The outlines', () => {
  /** Towns well inside their départements: name, longitude, latitude, code. */
  const TOWNS: [name: string, longitude: number, latitude: number, code: string][] = [
    ['Rouen', 1.0993, 49.4431, '76'],
    ['Limoges', 1.2578, 45.8336, '87'],
    ['Dijon', 5.0415, 47.322, '21'],
    ['Rodez', 2.5728, 44.3496, '12'],
    ['Quimper', -4.0999, 47.9975, '29'],
    ['Digne', 6.2356, 44.0925, '04'],
    ['Troyes', 4.0744, 48.2973, '10'],
    ['Corte', 9.1496, 42.3061, '2B'],
    ['Sainte-Rose', -61.6979, 16.3319, '971'],
    ['Le Lamentin', -60.9991, 14.6139, '972'],
    ['Saül', -53.21, 3.62, '973'],
    ['Cilaos', 55.4725, -21.1342, '974'],
    ['Ouangani', 45.1336, -12.8461, '976'],
  ];

  test.each(TOWNS)('have %s in its département alone', (_name, longitude, latitude, code) => {
    const around = OUTLINES.filter(({ lines }) => lines.some((line) => isInside(line, [longitude, latitude])));
    expect(around.map((one) => one.code)).toEqual([code]);
  });

  test('of all 101 départements are in the small drawing too', () => {
    const codes = drawnOutlines().map(({ code }) => code);
    expect(codes).toEqual(OUTLINES.map(({ code }) => code));
    expect(codes).toHaveLength(101);
  });
});

test('Rows without a position are counted, and no points', () => {
  const rows = [
    { lon: -73.9, lat: 40.7 },
    { lon: 2.35, lat: 48.85 },
    { lon: null, lat: null },
  ];
  const { rows: shown, list, positions } = shownRows({ rows }, 'rows[]');
  const { points, nowhere } = finish(placeSteps(shown, { position: positions[0], colouring: null, column: null }));
  expect([points.map(({ row }) => list.rows.indexOf(row)), nowhere]).toEqual([[0, 1], 1]);
});

/** Whether a line around an area crosses an odd number of times what lies to the east of a place. */
function isInside(line: readonly LonLat[], [longitude, latitude]: LonLat): boolean {
  let inside = false;
  for (const [index, [x, y]] of line.entries()) {
    const [beforeX, beforeY] = line.at(index - 1) ?? [x, y];
    const crosses = y > latitude !== beforeY > latitude;
    if (crosses && longitude < ((beforeX - x) * (latitude - y)) / (beforeY - y) + x) inside = !inside;
  }
  return inside;
}
