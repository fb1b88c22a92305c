import { describe, expect, it } from 'vitest';
import { readQuota, readReset, readRetryAfter } from '../../subgraphs/rest/ports/transport.js';

const DATE = 'Tue, 14 Nov 2023 22:13:20 GMT'; // 1 700 000 000

describe('the quota of a response', () => {
  it('is read from work-study’s seconds left and from the others’ epoch seconds', () => {
    const counts = { 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '599' };
    const expected = { limit: 600, remaining: 599, resetSeconds: 25 };
    expect(readQuota({ ...counts, 'x-ratelimit-reset': '25' })).toEqual(expected);
    expect(readQuota({ ...counts, 'x-ratelimit-reset': '1700000025', date: DATE })).toEqual(expected);
  });

  it.each([
    ['no header at all', {}],
    ['a missing reset', { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '1' }],
    [
      'a limit that is no count',
      { 'x-ratelimit-limit': '6e1', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '1' },
    ],
    ['a negative rest', { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '1' }],
    [
      'a moment without the answer’s date',
      { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '1700000025' },
    ],
  ])('is not known with %s', (_what, headers) => {
    expect(readQuota(headers)).toBeNull();
  });
});

describe('a reset', () => {
  it.each([
    ['a fraction is rounded up', { 'x-ratelimit-reset': '12.2' }, 13],
    ['the year 2100 is cut to two windows', { 'x-ratelimit-reset': '4102444800', date: DATE }, 120],
    ['a moment that has passed is now', { 'x-ratelimit-reset': '1699999999', date: DATE }, 0],
    ['a negative one is ignored', { 'x-ratelimit-reset': '-3' }, null],
    [
      'a service whose clock is wrong by five minutes is measured by its own',
      { 'x-ratelimit-reset': '1700000310', date: 'Tue, 14 Nov 2023 22:18:20 GMT' },
      10,
    ],
  ])('%s', (_what, headers: Record<string, string>, seconds) => {
    expect(readReset(headers)).toBe(seconds);
  });
});

describe('retry-after', () => {
  it('may be a date', () => {
    expect(readRetryAfter({ 'retry-after': 'Tue, 14 Nov 2023 22:13:50 GMT', date: DATE })).toBe(30);
  });

  it('is ignored when it is nonsense', () => {
    expect(readRetryAfter({ 'retry-after': 'later' })).toBeNull();
  });
});
