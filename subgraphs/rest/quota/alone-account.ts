import type { Replicas } from './replicas.js';
import type { WindowScope } from './scope.js';
import { aged, type Seen } from './seen-account.js';
import type { Spend } from './spend.js';
import { createWindowAccount, type WindowAccount } from './window-account.js';

/** What a replica knows of a shared account at the moment when it can no longer reach it. */
export interface LastKnown {
  /** Mark of the replica: its ids begin with it and a dot. */
  readonly replica: string;
  /** Its own spends. */
  readonly own: ReadonlyMap<string, Spend>;
  /** The account as it was seen last; null when it never was. */
  readonly seen: Seen | null;
  readonly replicas: Replicas;
}

/**
 * The account of a window while a replica counts alone: it keeps what it holds, and takes its part of what nobody held
 * when the account was seen last. Those who have spends in it saw the same and divide that among them; to each of the
 * others, who may have seen nothing of it, an equal part of the whole is left.
 *
 * When every replica has lost the account, their parts are the whole of it. One that alone has lost it is a stranger to
 * the others, who go on sharing everything: it spends its part a second time, which the headers tell both sides. That
 * costs at most the calls that are in flight when the window is spent.
 */
export function createAloneAccount(scope: WindowScope, { replica, own, seen, replicas }: LastKnown): WindowAccount {
  const others = (nowMs: number) =>
    seen === null ? [] : aged(seen, nowMs).spends.filter(({ id }) => replicaOf(id) !== replica);
  const present = new Set([replica, ...(seen?.state.spends ?? []).map(({ id }) => replicaOf(id))]).size;

  function partOf(calls: number, taken: { held: number; byOthers: number }): number {
    const all = Math.max(present, replicas.count());
    // Rounded up: whoever is absent leaves as much to the others, and takes what that leaves of the whole.
    const leftToAbsent = (all - present) * Math.ceil(calls / all);
    return taken.held + Math.floor(Math.max(0, calls - leftToAbsent - taken.byOthers - taken.held) / present);
  }

  const told = seen?.state.told ?? null;
  const seenAtMs = seen?.atMs ?? 0;
  return createWindowAccount(scope, {
    limit: seen?.state.limit ?? null,
    told: told === null ? null : { remaining: told.remaining, endsMs: seenAtMs + told.endsInMs },
    blockedUntilMs: seenAtMs + (seen?.state.blockedMs ?? 0),
    held: new Map(own),
    ofLimit: (limit, held, nowMs) => partOf(limit, { held, byOthers: others(nowMs).length }),
    ofRest: (remaining, held, nowMs) =>
      partOf(remaining, { held, byOthers: others(nowMs).filter(({ landed }) => !landed).length }),
  });
}

/** Ids are the mark of their replica, a dot and a number. */
function replicaOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}
