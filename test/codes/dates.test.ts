import { describe, expect, it } from 'vitest';
import { dayAgo, instantOf, isDate, isDateTime } from '../../subgraphs/codes/dates.js';

describe('isDate', () => {
  it.each(['2024-02-29', '2023-12-31', '0001-01-01'])('accepts %s', (text) => {
    expect(isDate(text)).toBe(true);
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
  ])('refuses %j', (text) => {
    expect(isDate(text)).toBe(false);
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

  it('is null where there is no zone', () => {
    expect(instantOf('2024-04-03T10:00:00')).toBeNull();
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
