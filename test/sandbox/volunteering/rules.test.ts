import { describe, expect, it } from 'vitest';
import { splitActivities } from '../../../sandbox/volunteering/catalogue.js';
import { dateBoundToday } from '../../../sandbox/volunteering/dates.js';
import {
  boxAround,
  distanceOfSeed,
  distanceToday,
  greatCircleKm,
  isInside,
} from '../../../sandbox/volunteering/places.js';

describe('distance today (volunteering 3.3)', () => {
  const table: [string | undefined, number][] = [
    [undefined, 50],
    ['', 50],
    ['0', 10],
    ['0km', 10],
    ['0m', 0],
    ['15', 15],
    ['25km', 25],
    ['abc', 50],
    ['10.5km', 10],
    ['1500m', 1.5],
    ['500 m', 0.5],
    ['10KM', 10],
    ['100miles', 100],
    ['-5km', -5],
  ];
  it.each(table)('reads %s as %d km', (text, km) => {
    expect(distanceToday(text)).toBe(km);
  });
});

describe('distance of the seed (volunteering 12.4.2, 12.8.2)', () => {
  it.each([
    [undefined, 50],
    ['10', 10],
    ['10km', 10],
    ['10000m', 10],
    ['10.5km', 10.5],
  ])('reads %s as %d km', (text, km) => {
    expect(distanceOfSeed(text)).toBe(km);
  });
});

describe('the searched area', () => {
  it('is a rectangle today: its corners are further away than the distance (3.3)', () => {
    const centre = { lat: 45, lon: 3 };
    const box = boxAround(centre, 100);
    const corner = { lat: 45 + 99 / 111.32, lon: 3 + 99 / (111.32 * Math.cos((45 * Math.PI) / 180)) };
    expect(isInside(box, corner)).toBe(true);
    expect(greatCircleKm(centre, corner)).toBeGreaterThan(135);
  });

  it('measures great circles on a sphere of 6371 km (3.5)', () => {
    expect(greatCircleKm({ lat: 0, lon: 0 }, { lat: 0, lon: 180 })).toBeCloseTo(Math.PI * 6371, 6);
    expect(greatCircleKm({ lat: 48.8566, lon: 2.3522 }, { lat: 45.764, lon: 4.8357 })).toBeCloseTo(391.5, 0);
  });
});

describe('date bounds today (volunteering 3.4)', () => {
  const table: [string, 'after' | 'before', string][] = [
    ['gt:2024-01-01', 'after', '2024-01-01T00:00:00.000Z'],
    ['gt:2024-01-01T00:00:00', 'after', '2023-12-31T23:00:00.000Z'],
    ['gt:2024-07-01T00:00:00', 'after', '2024-06-30T22:00:00.000Z'],
    ['gt:2024-01-01T00:00:00+05:00', 'after', '2023-12-31T19:00:00.000Z'],
    ['lt:2024-01-01', 'before', '2024-01-01T00:00:00.000Z'],
    ['gte:2024-01-01', 'before', '2023-12-31T23:00:00.000Z'],
    ['lte:2024-01-01', 'before', '2023-12-31T23:00:00.000Z'],
    ['GT:2024-01-01', 'before', '2024-01-01T00:00:00.000Z'],
    ['2024-01-01', 'before', '2001-03-31T22:00:00.000Z'],
  ];
  it.each(table)('reads %s as %s %s', (text, side, moment) => {
    const bound = dateBoundToday(text);
    expect(bound?.side).toBe(side);
    expect(new Date(bound?.time ?? 0).toISOString()).toBe(moment);
  });

  it.each(['2024-01-01T00:00:00.000Z', '>2024-01-01', '<2024-12-31', 'gt:1704067200000', 'gt:', ''])(
    'drops the filter for %s',
    (text) => {
      expect(dateBoundToday(text)).toBeNull();
    },
  );
});

describe('activities (volunteering 7.2)', () => {
  it('keeps labels with a comma whole', () => {
    expect(splitActivities('Prévention, Sensibilisation, Secours, Aide, accueil-de-public')).toEqual([
      'Prévention, Sensibilisation',
      'Secours, Aide',
      'accueil-de-public',
    ]);
    expect(splitActivities(null)).toEqual([]);
  });
});
