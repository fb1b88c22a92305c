import { describe, expect, test } from 'vitest';
import { cacheStatus, worseStaleness } from '../../gateway/request/request.js';
import type { Staleness, StaleReason } from '../../kernel/trace.js';

const stale = (reason: StaleReason, staleSeconds: number): Staleness => ({ reason, staleSeconds, ageSeconds: 90_000 });

describe('The Cache-Status of a response', () => {
  test('says how long it is past its time and why it was given all the same', () => {
    expect(cacheStatus(stale('OUTAGE', 3600))).toBe('passerelle; hit; ttl=-3600; detail=OUTAGE');
  });

  test('tells of an outage before a revalidation, however long ago that was due', () => {
    const outage = stale('OUTAGE', 1);
    const revalidation = stale('REVALIDATING', 80_000);
    expect(worseStaleness(revalidation, outage)).toBe(outage);
    expect(worseStaleness(outage, revalidation)).toBe(outage);
  });

  test('tells of the older of two that were given for the same reason', () => {
    const older = stale('QUOTA', 20);
    expect(worseStaleness(stale('QUOTA', 10), older)).toBe(older);
    expect(worseStaleness(older, stale('QUOTA', 10))).toBe(older);
    expect(worseStaleness(null, older)).toBe(older);
  });
});
