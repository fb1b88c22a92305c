import { describe, expect, it } from 'vitest';
import { boxAround, distanceToday } from '../../sandbox/volunteering/places.js';
import { distanceKm } from '../../subgraphs/codes/places.js';
import { aroundQuery, nearQuery, writeDistance } from '../../subgraphs/volunteering/missions/filters.js';

const refused = (argument: string) =>
  expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringMatching(new RegExp(`^${argument} `)) });

describe('writeDistance', () => {
  it.each([
    [10, '10km'],
    [1, '1km'],
    [10.5, '10500m'],
    [0.5, '500m'],
    [12.3, '12300m'],
    [0.1 + 0.2, '300m'],
    [2.0001, '2001m'],
    [0.0001, '1m'],
    [0, '1m'],
  ])('writes %d km as %s', (km, text) => {
    expect(writeDistance(km)).toBe(text);
  });

  it('is read by today’s service as at least what was meant', () => {
    for (const km of [0, 0.3, 0.5, 1, 10, 10.5, 12.3, 99.999, 500]) {
      const understood = distanceToday(writeDistance(km));
      expect(understood).toBeGreaterThanOrEqual(km);
      expect(understood).toBeLessThanOrEqual(km + 0.001);
    }
  });
});

describe('aroundQuery', () => {
  it('moves a coordinate of exactly zero by less than a millimetre, because zero switches geography off', () => {
    const query = new Map(aroundQuery({ lat: 44.5, lon: 0 }));
    expect(query.get('lon')).toBe('0.000000001');
    expect(Number(query.get('lon'))).toBeGreaterThan(0);
    expect(new Map(aroundQuery({ lat: -0, lon: 5 })).get('lat')).toBe('0.000000001');
  });

  it('refuses one coordinate alone, a distance and an order without a point, and a distance below zero', () => {
    expect(() => aroundQuery({ lat: 48 })).toThrow(refused('lon'));
    expect(() => aroundQuery({ lon: 2 })).toThrow(refused('lat'));
    expect(() => aroundQuery({ distance: 5 })).toThrow(refused('distance'));
    expect(() => aroundQuery({ sortBy: 'LOCALISATION' })).toThrow(refused('sortBy'));
    expect(() => aroundQuery({ lat: 48, lon: 2, distance: -1 })).toThrow(refused('distance'));
  });
});

describe('nearQuery', () => {
  it.each([[1], [20], [100], [500]])('requests a box that holds the whole circle of %d km', (radiusKm) => {
    for (const centre of [
      { lat: 48.8589, lon: 2.347 },
      { lat: -21.1, lon: 55.5 },
      { lat: 4.9, lon: -52.3 },
    ]) {
      const query = new Map(nearQuery(centre, radiusKm));
      const box = boxAround(centre, distanceToday(query.get('distance')));
      const edges = [
        { lat: box.north, lon: centre.lon },
        { lat: box.south, lon: centre.lon },
      ];
      for (const edge of edges) expect(distanceKm(centre, edge)).toBeGreaterThanOrEqual(radiusKm);
      // The easternmost meridian of the box stays outside the circle from the box's south to its north.
      for (let lat = box.south; lat <= box.north; lat += (box.north - box.south) / 200) {
        expect(distanceKm(centre, { lat, lon: box.east })).toBeGreaterThanOrEqual(radiusKm);
      }
    }
  });

  it('asks the source that can to sort by distance', () => {
    expect(nearQuery({ lat: 1, lon: 2 }, 5)).toContainEqual(['sortBy', 'localisation']);
  });
});
