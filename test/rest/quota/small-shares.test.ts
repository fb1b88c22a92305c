import { describe, expect, it } from 'vitest';
import type { QuotaLeft } from '../../../kernel/trace.js';
import type { WindowScope } from '../../../subgraphs/rest/quota/account.js';
import { windowRules } from '../../../subgraphs/rest/quota/account-rules.js';

/** Guards replicas whose share of a window is less than one call, while their store is away. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const LIMIT = 2;
const EXPORT: WindowScope = { kind: 'window', name: 'export', limit: LIMIT, windowMs: MINUTE };
/** Replicas assume that they are four until they have seen each other. */
const REPLICAS = 4;

/** The rules of one replica that has lost the others since time 0; `take` says whether a call may go, and when else. */
function open(number: number) {
  const rules = windowRules(EXPORT);
  const replica = (7_919 * (number + 1)).toString(36);
  const fallback = { replica, seen: rules.empty, sinceMs: 0, replicas: REPLICAS };
  let account = rules.empty;
  let calls = 0;
  return (nowMs: number, quota: QuotaLeft | null = null) => {
    calls += 1;
    const id = `${replica}.${calls}`;
    const request = { ids: [id], leaseMs: 10 * SECOND, headroom: 0 };
    const [next, grant] = rules.take(account, request, { kind: 'local', nowMs, fallback });
    account = grant.granted === 1 ? rules.land(next, { id, quota, blockMs: null }, nowMs) : next;
    return { granted: grant.granted === 1, startsInMs: grant.startsInMs(0) };
  };
}

const NUMBERS = Array.from({ length: 100 }, (_, number) => number);

describe('a replica whose share of a window is less than one call', () => {
  it.each(NUMBERS.slice(0, 8))('gets one within a few minutes, when it was told to try again (%i)', (number) => {
    const take = open(number);
    const { startsInMs } = take(0);
    expect(startsInMs).toBeLessThanOrEqual(5 * MINUTE);
    if (startsInMs > 0) expect(take(startsInMs - 1)).toMatchObject({ granted: false });
    expect(take(startsInMs).granted || startsInMs === 0).toBe(true);
    const next = take(startsInMs + 1);
    expect(next).toMatchObject({ granted: false });
    expect(next.startsInMs).toBeGreaterThan(MINUTE);
    expect(take(startsInMs + 1 + next.startsInMs)).toMatchObject({ granted: true });
  });

  it('gets it for a whole window, since who was told to try again may be late', () => {
    for (const number of NUMBERS) {
      const take = open(number);
      const { startsInMs } = take(0);
      if (startsInMs > 0) expect(take(startsInMs + MINUTE)).toMatchObject({ granted: true });
    }
  });

  it('gets none where the service itself says that none is left', () => {
    const take = open(1);
    const { startsInMs } = take(0);
    expect(take(startsInMs, { limit: LIMIT, remaining: 0, resetSeconds: 600 })).toMatchObject({ granted: true });
    for (let nowMs = startsInMs; nowMs < startsInMs + 9 * MINUTE; nowMs += 5 * SECOND)
      expect(take(nowMs)).toMatchObject({ granted: false });
  });

  it('spends half of the quota with the others on average, and seldom more than all of it at once', () => {
    const sent: number[] = [];
    const minutes = 20;
    for (let fleet = 0; fleet < NUMBERS.length; fleet += REPLICAS) {
      const at: number[] = [];
      const replicas = NUMBERS.slice(fleet, fleet + REPLICAS).map((number) => open(number));
      for (let nowMs = 0; nowMs < minutes * MINUTE; nowMs += 5 * SECOND)
        for (const take of replicas) if (take(nowMs).granted) at.push(nowMs);
      for (let minute = 0; minute < minutes; minute += 1)
        sent.push(at.filter((nowMs) => Math.floor(nowMs / MINUTE) === minute).length);
    }
    const perMinute = sent.reduce((sum, one) => sum + one, 0) / sent.length;
    expect(perMinute).toBeGreaterThan(0.4 * LIMIT);
    expect(perMinute).toBeLessThanOrEqual(0.5 * LIMIT);
    expect(sent.filter((calls) => calls > LIMIT).length / sent.length).toBeLessThan(0.1);
  });
});
