import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boxContains } from '../../../subgraphs/codes/places.js';
import { createBoxGrid } from '../../../subgraphs/work-study/communes/commune-index.js';

const lon = fc.double({ min: -180, max: 180, noNaN: true });
const lat = fc.double({ min: -90, max: 90, noNaN: true });
/** Boxes of up to half a degree, like those of communes. */
const box = fc
  .record({
    lon,
    lat,
    width: fc.double({ min: 0, max: 0.5, noNaN: true }),
    height: fc.double({ min: 0, max: 0.5, noNaN: true }),
  })
  .map(({ lon, lat, width, height }) => ({
    minLon: lon,
    minLat: lat,
    maxLon: Math.min(180, lon + width),
    maxLat: Math.min(90, lat + height),
  }));

describe('a grid of boxes', () => {
  it('finds what trying every box would find', () => {
    fc.assert(
      fc.property(
        fc.array(box, { maxLength: 30 }),
        fc.array(fc.record({ lon, lat }), { maxLength: 10 }),
        (boxes, points) => {
          const items = boxes.map((box, number) => ({ number, box }));
          const grid = createBoxGrid(items);
          const corners = boxes.flatMap(({ minLon, minLat, maxLon, maxLat }) => [
            { lon: minLon, lat: minLat },
            { lon: maxLon, lat: maxLat },
            { lon: (minLon + maxLon) / 2, lat: maxLat },
          ]);
          for (const point of [...points, ...corners]) {
            expect(grid.at(point)).toEqual(items.filter((item) => boxContains(item.box, point)));
          }
        },
      ),
      { seed: 1, numRuns: 100 },
    );
  });

  it('leaves out items without a box', () => {
    expect(createBoxGrid([{ box: null }]).at({ lon: 0, lat: 0 })).toEqual([]);
  });

  it('finds nothing beyond the world or at no number', () => {
    const world = createBoxGrid([{ box: { minLon: 1, minLat: 1, maxLon: 2, maxLat: 2 } }]);
    expect(world.at({ lon: 361.5, lat: 1.5 })).toEqual([]);
    expect(world.at({ lon: Number.NaN, lat: 1.5 })).toEqual([]);
  });
});
