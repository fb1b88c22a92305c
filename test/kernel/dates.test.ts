import { describe, expect, it } from 'vitest';
import { dayAgo, instantOf, isDateTime, readDate } from '../../kernel/dates.js';

describe('A calendar date', () => {
  it.each(['2024-02-29', '2023-12-31', '0001-01-01'])('is read: %s', (text) => {
    expect(readDate(text)?.hasTime).toBe(false);
  });

  it.each([
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-04-31',
    '2024-4-3',
    '03/04/2024',
    '0000-01-01',
    '+020025-01-01',
    '2024-04-03T10:00:00Z',
    '',
  ])('is none, or has a time: %j', (text) => {
    expect(readDate(text)?.hasTime).not.toBe(false);
  });
});

describe('isDateTime', () => {
  it.each([
    '2024-04-03T10:00:00Z',
    '2024-04-03T23:59:59+02:00',
    '2024-04-03T23:59:59.123456-0330',
    '2024-04-03T10:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ])('accepts %s', (text) => {
    expect(isDateTime(text)).toBe(true);
  });

  it.each([
    '2024-04-03T10:00:00',
    '2024-04-03',
    '2024-04-31T10:00:00Z',
    '2024-04-03T24:00:00Z',
    '2024-04-03T10:60:00Z',
    '1712138400',
    'now',
    '0000-06-30T12:00:00Z',
    // Year 0 and year 10000 in UTC.
    '0001-01-01T00:00:00+02:00',
    '9999-12-31T23:00:00-0200',
  ])('refuses %j: no zone, no such moment, or no date-time at all', (text) => {
    expect(isDateTime(text)).toBe(false);
  });
});

describe('instantOf', () => {
  it('is the same for one moment in two zones', () => {
    expect(instantOf('2024-04-03T23:59:59+02:00')).toBe(instantOf('2024-04-03T21:59:59Z'));
    expect(instantOf('2024-04-03T23:59:59+0200')).toBe(Date.UTC(2024, 3, 3, 21, 59, 59));
  });

  it.each(['UTC', 'America/New_York', 'Pacific/Auckland'])('is in UTC where there is no zone, in %s too', (zone) => {
    const own = process.env['TZ'];
    process.env['TZ'] = zone;
    try {
      for (const text of ['2024-04-03T10:00', '2024-04-03 10:00:00', '2024-04-03T12:00:00+02:00'])
        expect(instantOf(text)).toBe(Date.UTC(2024, 3, 3, 10));
      expect(instantOf('2024-04-03')).toBe(Date.UTC(2024, 3, 3));
      expect(instantOf('0001-01-01')).toBe(-62_135_596_800_000);
    } finally {
      if (own === undefined) delete process.env['TZ'];
      else process.env['TZ'] = own;
    }
  });
});

describe('dayAgo', () => {
  const now = Date.parse('2026-03-31T22:30:00Z');
  it.each([
    ['-P30D', '2026-03-01'],
    ['-P2W', '2026-03-17'],
    ['-P1M', '2026-02-28'],
    ['-P1Y', '2025-03-31'],
    ['-P0D', '2026-03-31'],
  ])('reads %s as %s', (text, day) => {
    expect(dayAgo(text, now)).toBe(day);
  });

  it.each(['P30D', '-P30', '-PT3H', '-P99999D', '-P9999Y', '2026-01-01'])('is null for %s', (text) => {
    expect(dayAgo(text, now)).toBeNull();
  });
});

describe('readDate', () => {
  it('has the day as written', () => {
    expect(readDate('2024-04-03T23:59:59-0200')).toMatchObject({ day: '2024-04-03', hasTime: true, hasZone: true });
    expect(readDate('2024-04-03t08:00')).toMatchObject({ day: '2024-04-03', hasTime: true, hasZone: false });
  });

  // `Date.parse` reads all but the first of them, as another date or in the zone of the process.
  it.each([
    'soon',
    '01/09/2026',
    '9 January 2026',
    'Offer 7',
    '2026-02-30',
    '2023-02-29T10:00:00Z',
    '2026-2-3',
    '2026',
    '2026-02',
    '+020025-01-01T00:00:00.000Z',
    '+275760-09-13',
    '0000-05-01',
    '2026-01-31T24:00:00Z',
    'Sat, 28 Nov 2026 10:00:00 GMT',
  ])('is null for %j', (text) => {
    expect(readDate(text)).toBeNull();
  });
});
