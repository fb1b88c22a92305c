import { UNLIMITED } from './book.js';
import { outlook } from './outlook.js';
import type { AccountState, RemoteSpend } from './remote-quota.js';
import type { Spend } from './spend.js';

/** What a replica saw of a shared account, on its own clock. */
export interface Seen {
  readonly epoch: string;
  readonly state: AccountState;
  readonly atMs: number;
}

/** A state as it stands now if nothing but time has passed. */
export function aged({ state, atMs }: Seen, nowMs: number): AccountState {
  const passedMs = nowMs - atMs;
  const spends: RemoteSpend[] = state.spends
    .map((spend) => ({
      ...spend,
      untilInMs: spend.untilInMs - passedMs,
      flyingInMs: Math.max(0, spend.flyingInMs - passedMs),
    }))
    .filter(({ untilInMs }) => untilInMs > 0);
  const told = state.told === null || state.told.endsInMs <= passedMs ? null : state.told;
  return {
    limit: state.limit,
    told: told === null ? null : { remaining: told.remaining, endsInMs: told.endsInMs - passedMs },
    blockedMs: Math.max(0, state.blockedMs - passedMs),
    spends,
  };
}

/** When whoever waits can start, as the account stands. */
export function outlookOf(
  { limit, told, blockedMs, spends }: AccountState,
  more: { headroom: number; countsMs: number },
) {
  const pending = spends.filter(({ landed }) => !landed).length;
  const snapshot = {
    limit: limit ?? 1,
    countsMs: more.countsMs,
    spent: spends.length,
    endsInMs: () => spends.map(({ landed, untilInMs }) => (landed ? untilInMs : more.countsMs)),
    freeByHeaders: told === null ? UNLIMITED : told.remaining - pending,
    headersEndInMs: told?.endsInMs ?? 0,
    blockedMs,
  };
  return outlook(snapshot, Math.ceil(snapshot.limit * more.headroom));
}

/** A spend of this replica, as the account hears of it. */
export function asRemote(id: string, { untilMs, flyingUntilMs, landed }: Spend, nowMs: number): RemoteSpend {
  return { id, untilInMs: untilMs - nowMs, flyingInMs: Math.max(0, flyingUntilMs - nowMs), landed };
}
