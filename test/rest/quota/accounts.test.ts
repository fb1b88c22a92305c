import { describe, expect, it } from 'vitest';
import type {
  AccountRules,
  Grant,
  GrantRequest,
  Landing,
  LocalFallback,
  WindowScope,
} from '../../../subgraphs/rest/quota/account.js';
import { paceRules, type Spend, type WindowAccount, windowRules } from '../../../subgraphs/rest/quota/account-rules.js';

const WINDOW = { kind: 'window', name: 'search', limit: 60, windowMs: 60_000 } as const;

function send(count: number, parts: { from?: number; headroom?: number } = {}) {
  const { from = 0, headroom = 0 } = parts;
  return { ids: Array.from({ length: count }, (_, n) => `id${from + n}`), leaseMs: 10_000, headroom };
}

/** An account that its rules change from call to call. */
function openAccount<A>(rules: AccountRules<A>, fallback: LocalFallback<A> | null = null) {
  let account = fallback?.seen ?? rules.empty;
  return {
    take(wanted: GrantRequest, nowMs: number): Grant {
      const standing = fallback === null ? ({ kind: 'shared' } as const) : ({ kind: 'local', fallback } as const);
      const [next, grant] = rules.take(account, wanted, { ...standing, nowMs });
      account = next;
      return grant;
    },
    land(landing: Landing, nowMs: number): void {
      account = rules.land(account, landing, nowMs);
    },
    drop(ids: readonly string[]): void {
      account = rules.drop(account, ids);
    },
    value: () => account,
  };
}

const openWindow = (scope: WindowScope) => openAccount(windowRules(scope));

const header = (remaining: number, resetSeconds: number, limit = 60) => ({ limit, remaining, resetSeconds });

describe('the account of a window', () => {
  it('the account of a window reserves what its limit allows before any header is known, and lets a tenth of it fly', () => {
    const taken = openWindow(WINDOW).take(send(300), 0);
    expect(taken).toMatchObject({ granted: 6, reserved: 54 });
    expect(taken.startsInMs(0)).toBe(61_000);
    expect(taken.startsInMs(59)).toBe(61_000);
    expect(taken.startsInMs(60)).toBe(122_000);
  });

  it('lets the next ones fly when some have landed', () => {
    const account = openWindow(WINDOW);
    account.take(send(20), 0);
    account.land({ id: 'id0', quota: null, blockMs: null }, 100);
    account.land({ id: 'id1', quota: null, blockMs: null }, 100);
    expect(account.take({ ...send(14, { from: 6 }) }, 100)).toMatchObject({ granted: 2, reserved: 12 });
  });

  it('the account of a window counts a spend until a window and a second after its response', () => {
    const account = openWindow({ ...WINDOW, limit: 1 });
    account.take(send(1), 0);
    account.land({ id: 'id0', quota: null, blockMs: null }, 500);
    expect(account.take(send(1, { from: 1 }), 61_499)).toMatchObject({ granted: 0, reserved: 0 });
    expect(account.take(send(1, { from: 1 }), 61_500)).toMatchObject({ granted: 1 });
  });

  it('the account of a window believes headers that know of a stranger, until their window ends', () => {
    const account = openWindow(WINDOW);
    account.take(send(1), 0);
    account.land({ id: 'id0', quota: header(3, 20), blockMs: null }, 0);
    const taken = account.take(send(10, { from: 1 }), 0);
    expect(taken).toMatchObject({ granted: 3, reserved: 0 });
    expect(taken.startsInMs(0)).toBe(21_000);
    expect(account.take(send(7, { from: 4 }), 20_999)).toMatchObject({ granted: 0 });
    expect(account.take(send(7, { from: 4 }), 21_000).granted).toBeGreaterThan(0);
  });

  it('the account of a window believes the lowest of the responses that overtake each other', () => {
    const account = openWindow(WINDOW);
    account.take(send(3), 0);
    account.land({ id: 'id2', quota: header(1, 30), blockMs: null }, 0);
    account.land({ id: 'id1', quota: header(2, 30), blockMs: null }, 0);
    account.land({ id: 'id0', quota: header(3, 31), blockMs: null }, 0);
    expect(account.take(send(5, { from: 3 }), 0)).toMatchObject({ granted: 1, reserved: 0 });
  });

  it('the account of a window believes an earlier end that a later answer names: the lowest remaining holds until then', () => {
    const account = openWindow(WINDOW);
    account.take(send(2), 0);
    account.land({ id: 'id0', quota: header(1, 60), blockMs: null }, 0);
    account.land({ id: 'id1', quota: header(9, 4), blockMs: null }, 0);
    const taken = account.take(send(3, { from: 2 }), 0);
    expect(taken).toMatchObject({ granted: 1, reserved: 0 });
    expect(taken.startsInMs(0)).toBe(5_000);
    expect(account.take(send(2, { from: 3 }), 5_000)).toMatchObject({ granted: 2 });
  });

  it('the account of a window takes back what was reserved before the headers told of a stranger, and sends no more than they surely leave', () => {
    const account = openWindow(WINDOW);
    account.take(send(60), 0);
    account.land({ id: 'id0', quota: header(8, 50), blockMs: null }, 0);
    const taken = account.take(send(54, { from: 6 }), 0);
    // Five are in flight, which the headers may or may not include: three more are certainly left, perhaps eight.
    expect(taken).toMatchObject({ granted: 1, reserved: 7, resumesInMs: 51_000 });
    expect(taken.startsInMs(0)).toBe(51_000);
    account.land({ id: 'id1', quota: header(5, 50), blockMs: null }, 0);
    expect(account.take(send(7, { from: 7 }), 0)).toMatchObject({ granted: 0, reserved: 5 });
    for (const id of ['id2', 'id3', 'id4', 'id5', 'id6']) account.land({ id, quota: header(2, 50), blockMs: null }, 0);
    expect(account.take(send(5, { from: 7 }), 0)).toMatchObject({ granted: 2, reserved: 0 });
    expect(account.take(send(3, { from: 20 }), 51_000)).toMatchObject({ granted: 3 });
  });

  it('the account of a window takes nothing back when there is no stranger, in whatever order the responses come', () => {
    const account = openWindow(WINDOW);
    account.take(send(60), 0);
    // The service has counted all six calls in flight, and the last of them lands first.
    account.land({ id: 'id5', quota: header(54, 60), blockMs: null }, 0);
    expect(account.take(send(54, { from: 6 }), 0)).toMatchObject({ granted: 1, reserved: 53 });
  });

  it('the account of a window takes over a limit that changes', () => {
    const account = openWindow(WINDOW);
    account.take(send(1), 0);
    account.land({ id: 'id0', quota: header(599, 60, 600), blockMs: null }, 0);
    expect(account.take(send(100, { from: 1 }), 0)).toMatchObject({ granted: 32, reserved: 68 });
  });

  it.each([
    [599, 32],
    [210, 21],
    [81, 8],
    [30, 8],
  ])('with %i calls left by the headers of 600 sends at most %i at once', (remaining, granted) => {
    const account = openWindow(WINDOW);
    account.take(send(1), 0);
    account.land({ id: 'id0', quota: header(remaining, 60, 600), blockMs: null }, 0);
    expect(account.take(send(50, { from: 1 }), 0)).toMatchObject({ granted });
  });

  it('the account of a window forgets a limit below the documented one that no response confirms for three windows', () => {
    const account = openWindow(WINDOW);
    account.take(send(1), 0);
    account.land({ id: 'id0', quota: header(0, 30, 1), blockMs: null }, 0);
    expect(account.take(send(60, { from: 1 }), 179_999)).toMatchObject({ granted: 1, reserved: 0 });
    account.drop(['id1']);
    expect(account.take(send(60, { from: 100 }), 180_000)).toMatchObject({ granted: 6, reserved: 54 });
  });

  it('asks with one call when nobody has documented a limit', () => {
    const account = openWindow({ ...WINDOW, limit: null });
    expect(account.take(send(10), 0)).toMatchObject({ granted: 1, reserved: 0 });
    account.land({ id: 'id0', quota: header(19, 60, 20), blockMs: null }, 0);
    expect(account.take(send(30, { from: 1 }), 0)).toMatchObject({ granted: 2, reserved: 17 });
  });

  it('lets nothing through while the service refuses, reserved spends included', () => {
    const account = openWindow(WINDOW);
    account.take(send(10), 0);
    account.land({ id: 'id0', quota: null, blockMs: 4_000 }, 0);
    const taken = account.take(send(4, { from: 6 }), 4_999);
    expect(taken).toMatchObject({ granted: 0, reserved: 4 });
    expect(taken.startsInMs(0)).toBe(1);
    expect(account.take(send(4, { from: 6 }), 5_000).granted).toBeGreaterThan(0);
  });

  it('the account of a window leaves to others what a class must leave', () => {
    const account = openWindow(WINDOW);
    const taken = account.take(send(40, { headroom: 0.5 }), 0);
    expect(taken).toMatchObject({ granted: 6, reserved: 24 });
    expect(taken.startsInMs(0)).toBe(61_000);
    expect(account.take(send(1, { from: 50 }), 0)).toMatchObject({ reserved: 1 });
  });

  it('the account of a window forgets what a dead process held: reserved spends with their lease, sent ones a window later', () => {
    const account = openWindow({ ...WINDOW, limit: 10 });
    expect(account.take(send(10), 0)).toMatchObject({ granted: 1, reserved: 9 });
    expect(account.take(send(10, { from: 10 }), 10_000)).toMatchObject({ granted: 1, reserved: 8 });
    const later = account.take({ ...send(10, { from: 30 }), leaseMs: 1 }, 71_000);
    expect(later.granted + later.reserved).toBe(9);
  });

  it('the account of a window gives back what was not needed', () => {
    const account = openWindow({ ...WINDOW, limit: 2 });
    account.take(send(2), 0);
    account.drop(['id1']);
    expect(account.take(send(1, { from: 5 }), 0)).toMatchObject({ reserved: 1 });
  });
});

describe('a share of a window', () => {
  it('a share of a window leaves to others what they had in flight when they were lost', () => {
    const rules = windowRules(WINDOW);
    const at = { kind: 'shared', nowMs: 0 } as const;
    const idsOf = (replica: string, count: number) => Array.from({ length: count }, (_, n) => `${replica}.${n}`);
    const request = { leaseMs: 10_000, headroom: 0 };
    let [seen] = rules.take(rules.empty, { ...request, ids: idsOf('b', 6) }, at);
    seen = rules.land(seen, { id: 'b.0', quota: header(20, 50), blockMs: null }, 0);
    const fallback = { replica: 'a', seen, sinceMs: 0, replicas: 2 };
    const [, grant] = rules.take(seen, { ...request, ids: idsOf('a', 60) }, { kind: 'local', nowMs: 0, fallback });
    // The service has 20 left, of which the other replica has five in flight: this is half of the rest.
    expect(grant.granted + grant.reserved).toBe(7);
  });
});

describe('a snapshot of a window’s account', () => {
  const rules = windowRules(WINDOW);
  /** The account as a process with another clock reads it, `ageMs` after it was written. */
  const elsewhere = (account: WindowAccount, writtenMs: number, readMs: number, ageMs: number) =>
    rules.read(rules.write(account, writtenMs), readMs - ageMs);

  it('a snapshot of a window’s account says the same to a process with another clock, except for what has ended meanwhile', () => {
    const account = openWindow(WINDOW);
    account.take({ ids: ['a.1', 'a.2', 'a.3', 'a.4', 'a.5', 'a.6', 'a.7'], leaseMs: 10_000, headroom: 0 }, 0);
    account.land({ id: 'a.1', quota: header(40, 30, 50), blockMs: 2_000 }, 500);
    const read = elsewhere(account.value(), 1_000, 900_000, 2_000);
    expect(read).toEqual({
      limit: 50,
      limitUntilMs: 900_000 + 177_500,
      reported: { remaining: 40, endsMs: 900_000 + 28_500 },
      blockedUntilMs: 900_000 + 500,
      spends: new Map<string, Spend>([
        ['a.@6u', { state: 'landed', untilMs: 900_000 + 58_500, calls: 1 }],
        ...['a.2', 'a.3', 'a.4', 'a.5', 'a.6'].map((id): [string, Spend] => [
          id,
          { state: 'inFlight', untilMs: 968_000, calls: 1 },
        ]),
        ['a.7', { state: 'reserved', untilMs: 907_000, calls: 1 }],
      ]),
    });
  });

  it('of an account that was never used is that account', () => {
    const [next] = rules.take(rules.read(rules.write(rules.empty, 5_000), 70), send(300), {
      kind: 'shared',
      nowMs: 70,
    });
    expect(next.spends.size).toBe(60);
  });
});

describe('accounts that are brought together', () => {
  const rules = windowRules(WINDOW);
  const taken = (ids: readonly string[], landed: readonly Landing[] = []) => {
    const account = openWindow(WINDOW);
    account.take({ ids, leaseMs: 10_000, headroom: 0 }, 0);
    for (const landing of landed) account.land(landing, 0);
    return account.value();
  };
  const idsOf = ({ spends }: WindowAccount) => [...spends.keys()].sort();

  it('hold of each replica what that replica says: what it dropped is gone, what it took is there', () => {
    const shared = taken(['a.1', 'a.2', 'b.1']);
    const known = taken(['a.2', 'a.3', 'b.2']);
    expect(idsOf(rules.merge(shared, known, 'a'))).toEqual(['a.2', 'a.3', 'b.1', 'b.2']);
  });

  it('after a loss hold what is remembered of the others too, and what the service said to whom', () => {
    const shared = taken(['b.1'], [{ id: 'b.1', quota: header(20, 50), blockMs: null }]);
    const known = taken(['a.1', 'c.1'], [{ id: 'a.1', quota: header(5, 40), blockMs: 6_000 }]);
    const merged = rules.merge(shared, known, 'a');
    expect(idsOf(merged)).toEqual(['a.@6s', 'b.@6s', 'c.1']);
    expect(merged).toMatchObject({ limit: 60, reported: { remaining: 5, endsMs: 41_000 }, blockedUntilMs: 7_000 });
    expect(rules.merge(merged, known, 'a')).toEqual(merged);
  });
});

describe('the account of a pace', () => {
  const PACE = { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 } as const;

  it('lets a burst go, and then a steady stream', () => {
    const account = openAccount(paceRules(PACE));
    const taken = account.take(send(100), 0);
    expect(taken.granted).toBe(60);
    expect(taken.startsInMs(0)).toBeCloseTo(33.3, 0);
    expect(taken.startsInMs(29)).toBeCloseTo(1000, 0);
    expect(account.take(send(100), 1_000).granted).toBe(30);
    expect(account.take(send(100), 10_000).granted).toBe(60);
  });

  it('the account of a pace is halved by a refusal and regained by a tenth a second', () => {
    const account = openAccount(paceRules(PACE));
    account.take(send(1), 0);
    account.land({ id: 'id0', quota: null, blockMs: 1_000 }, 0);
    expect(account.take(send(60), 0).granted).toBe(0);
    expect(account.take(send(60), 1_000).granted).toBe(15);
    expect(account.take(send(60), 2_000).granted).toBe(18);
    for (let second = 3; second < 10; second += 1) account.take(send(0), second * 1_000);
    expect(account.take(send(100), 20_000).granted).toBe(60);
  });

  it('the account of a pace leaves half of its burst to people when the work is background', () => {
    const taken = openAccount(paceRules(PACE)).take(send(60, { headroom: 0.5 }), 0);
    expect(taken.granted).toBe(30);
    expect(taken.startsInMs(0)).toBeCloseTo(33.3, 0);
  });

  it('the account of a pace takes back what was not sent', () => {
    const account = openAccount(paceRules(PACE));
    account.take(send(60), 0);
    account.drop(['id0', 'id1']);
    expect(account.take(send(5), 0).granted).toBe(2);
  });
});
