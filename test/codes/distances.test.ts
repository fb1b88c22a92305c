import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundingBox, boxCentre, boxContains, distanceKm, isPlace } from '../../subgraphs/codes/places.js';

const paris = { lon: 2.3522, lat: 48.8566 };
const lyon = { lon: 4.8357, lat: 45.764 };

/** The same cases in every run. */
const runs = { seed: 1, numRuns: 300 };

const position = fc.record({
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
});

describe('distanceKm', () => {
  it('measures along the great circle on a sphere of 6371 km', () => {
    expect(distanceKm(paris, lyon)).toBeCloseTo(391.5, 1);
    expect(distanceKm({ lon: 0, lat: 0 }, { lon: 0, lat: 1 })).toBeCloseTo((Math.PI * 6371) / 180, 9);
  });

  it('is zero at the same place and half the circumference at the other side', () => {
    expect(distanceKm(paris, paris)).toBe(0);
    expect(distanceKm({ lon: 10, lat: 20 }, { lon: -170, lat: -20 })).toBeCloseTo(Math.PI * 6371, 6);
  });

  it('is the same both ways and never longer than half the circumference', () => {
    fc.assert(
      fc.property(position, position, (one, other) => {
        const km = distanceKm(one, other);
        expect(km).toBeGreaterThanOrEqual(0);
        expect(km).toBeLessThanOrEqual(Math.PI * 6371 + 1e-9);
        expect(distanceKm(other, one)).toBeCloseTo(km, 6);
      }),
      runs,
    );
  });
});

describe('isPlace', () => {
  it('is so of every position on earth but (0, 0), by which none is meant', () => {
    fc.assert(
      fc.property(position, ({ lon, lat }) => isPlace({ lon, lat }) === (lon !== 0 || lat !== 0)),
      runs,
    );
    for (const edge of [
      { lon: 180, lat: -90 },
      { lon: 0, lat: 48 },
      { lon: 2, lat: 0 },
    ])
      expect(isPlace(edge)).toBe(true);
    for (const none of [
      { lon: 0, lat: 0 },
      { lon: 180.1, lat: 0 },
      { lon: 0, lat: -90.1 },
      { lon: Number.NaN, lat: 1 },
    ])
      expect(isPlace(none)).toBe(false);
  });
});

describe('boundingBox', () => {
  it('holds every position within the radius', () => {
    // Closer to a pole, the arc sine in this test's own `moved` is too imprecise.
    const away = position.filter(({ lat }) => Math.abs(lat) < 89);
    const radius = fc.double({ min: 0.001, max: 500, noNaN: true });
    fc.assert(
      fc.property(away, radius, fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }), (centre, km, bearing) => {
        const there = moved(centre, km * 0.999, bearing);
        expect(boxContains(boundingBox(centre, km), nearestTurn(there, centre.lon))).toBe(true);
      }),
      runs,
    );
  });

  it('is no larger than needed', () => {
    const { minLon, maxLon, minLat, maxLat } = boundingBox(paris, 20);
    expect(distanceKm(paris, { lon: paris.lon, lat: maxLat })).toBeCloseTo(20, 6);
    expect(maxLat - paris.lat).toBeCloseTo(paris.lat - minLat, 9);
    // A little more than 20 km along the parallel, because the circle is widest closer to the pole.
    expect(distanceKm(paris, { lon: maxLon, lat: paris.lat })).toBeCloseTo(20, 2);
    expect(maxLon - paris.lon).toBeCloseTo(paris.lon - minLon, 9);
  });

  it('spans all longitudes around a pole', () => {
    const box = boundingBox({ lon: 30, lat: 89.9 }, 50);
    expect(box.maxLon - box.minLon).toBe(360);
    expect(box.maxLat).toBe(90);
  });
});

describe('a box', () => {
  const box = { minLon: -1, minLat: 45, maxLon: 3, maxLat: 47 };

  it('contains its edges', () => {
    expect(boxContains(box, { lon: -1, lat: 47 })).toBe(true);
    expect(boxContains(box, { lon: -1.0001, lat: 46 })).toBe(false);
    expect(boxContains(box, { lon: 0, lat: 47.0001 })).toBe(false);
  });

  it('has its centre in the middle', () => {
    expect(boxCentre(box)).toEqual({ lon: 1, lat: 46 });
  });
});

/** The position `km` away in a direction. */
function moved({ lon, lat }: { lon: number; lat: number }, km: number, bearing: number) {
  const angle = km / 6371;
  const from = (lat * Math.PI) / 180;
  const to = Math.asin(Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(bearing));
  const turn = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * Math.sin(to),
  );
  return { lon: lon + (turn * 180) / Math.PI, lat: (to * 180) / Math.PI };
}

/** The same position, with its longitude within half a turn of another. */
function nearestTurn({ lon, lat }: { lon: number; lat: number }, around: number) {
  const turns = Math.round((lon - around) / 360);
  return { lon: lon - turns * 360, lat };
}
