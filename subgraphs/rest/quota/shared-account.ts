import type { Clock } from '../ports/clock.js';
import type { Account, AccountRules, Standing } from './account.js';
import type { SharedValue } from './shared-value.js';

/** How this replica stands to the others. */
export interface Link {
  /** Whether the store is within reach. */
  readonly connected: boolean;
  /** Counts connections: what was known before a new one must be told again. */
  readonly connection: number;
  /** Whether the others may not know yet what this replica did, nor it what they did: it keeps to its share. */
  readonly apart: boolean;
  /** Whether the store was ever within reach. */
  readonly hasMet: boolean;
  readonly replica: string;
  /** How many replicas there are: rather too many than too few. */
  replicas(): number;
  /** The store did not answer, or has lost its memory. */
  lose(): void;
}

/** One account that all replicas share, and this one's part in it. */
export interface SharedAccount extends Account {
  /** Reads it if it was used lately, so that little is unknown when it is lost; tells a new connection what is known. */
  refresh(): Promise<void>;
  /** Whether anything was done to it apart from the others, since they shared it last. */
  readonly actedApart: boolean;
  /** From now on the whole of it is used again. */
  share(): void;
}

/** What is done to an account: what it becomes, and what its caller hears. */
type Deed<A> = (account: A, standing: Standing<A>) => readonly [A, unknown];

interface Job<A> {
  readonly deed: Deed<A>;
  readonly settle: (result: unknown) => void;
}

/** An account that nobody took from for so long is not read again. */
const USED_MS = 120_000;

export interface SharedAccountOptions<A> {
  readonly rules: AccountRules<A>;
  readonly value: SharedValue<A>;
  readonly link: Link;
  readonly clock: Clock;
}

/**
 * Deeds wait while the store is asked, and then go together in one step. While it is away they are done to what is known
 * of the account, within this replica's share. Back in reach, but before all have told what they did meanwhile, they
 * must fit both: the share, and what the others have left.
 */
export function createSharedAccount<A>({ rules, value, link, clock }: SharedAccountOptions<A>): SharedAccount {
  let jobs: Job<A>[] = [];
  let last: Promise<void> = Promise.resolve();
  let toldConnection = link.connection;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  /** As it stood when the others were lost, and when that was. */
  let lost: { readonly seen: A; readonly sinceMs: number } | null = null;

  /** One after the other: whoever reads and writes back has it for himself. */
  function inTurn(run: () => Promise<void>): Promise<void> {
    // Whatever became of the one before.
    last = last.then(run, run);
    return last;
  }

  function submit<T>(deed: (account: A, standing: Standing<A>) => readonly [A, T]): Promise<T> {
    return new Promise((resolve) => {
      // Each result goes to the deed that it is of.
      jobs.push({ deed, settle: resolve as (result: unknown) => void });
      if (jobs.length === 1) void inTurn(serve);
    });
  }

  async function serve(): Promise<void> {
    const batch = jobs;
    jobs = [];
    const done =
      (await whenConnected(() => value.update((account) => doAll(batch, account, asStored())))) ?? doApart(batch);
    for (const [place, { settle }] of batch.entries()) settle(done[place]);
  }

  /** What the store answers; null when it is away. */
  async function whenConnected<T>(run: () => Promise<T>): Promise<T | null> {
    if (!link.connected) return null;
    try {
      if (toldConnection !== link.connection) await tell();
      return await run();
    } catch {
      link.lose();
      return null;
    }
  }

  function doApart(batch: readonly Job<A>[]): unknown[] {
    const [account, results] = doAll(batch, value.current, { ...asApart(), connected: false });
    value.current = account;
    return results;
  }

  function doAll(batch: readonly Job<A>[], from: A, standing: Standing<A>): [A, unknown[]] {
    let account = from;
    const results = batch.map(({ deed }) => {
      const [next, result] = deed(account, standing);
      account = next;
      return result;
    });
    return [account, results];
  }

  /** While the store answers. At the first meeting there is nothing that the others do not know. */
  function asStored(): Standing<A> {
    return link.apart && link.hasMet ? asApart() : { nowMs: clock.monotonicMs(), connected: true, fallback: null };
  }

  function asApart(): Standing<A> {
    const nowMs = clock.monotonicMs();
    lost ??= { seen: value.current, sinceMs: nowMs };
    return { nowMs, connected: true, fallback: { ...lost, replica: link.replica, replicas: link.replicas() } };
  }

  /** What it knows of the account, and did itself, goes into what the store holds. */
  async function tell(): Promise<void> {
    const known = value.current;
    const { connection } = link;
    value.forgetVersion();
    await value.update((stored) => [rules.merge(stored, known, link.replica), null]);
    toldConnection = connection;
  }

  return {
    take(ask) {
      usedAtMs = clock.monotonicMs();
      return submit((account, standing) => rules.take(account, ask, standing));
    },
    land: (landing) => submit((account, { nowMs }) => [rules.land(account, landing, nowMs), undefined]),
    drop: (ids) => submit((account) => [rules.drop(account, ids), undefined]),
    refresh: () =>
      inTurn(async () => {
        const nowMs = clock.monotonicMs();
        const isUsed = nowMs - usedAtMs <= USED_MS || rules.matters(value.current, nowMs);
        if (isUsed) await whenConnected(() => value.update((account) => [account, null]));
      }),
    get actedApart() {
      return lost !== null;
    },
    share() {
      lost = null;
    },
  };
}
