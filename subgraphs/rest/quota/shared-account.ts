import type { Account, AccountRules, Grant, GrantRequest, Landing, LocalFallback, Standing } from './account.js';
import type { Members } from './members.js';
import { SharedValue } from './shared-value.js';
import type { StoreLink } from './store-link.js';

/** A change of an account: what it becomes, and the result for its caller. */
type Change<A, T> = (account: A, standing: Standing<A>) => readonly [A, T];

interface Job<A> {
  readonly change: Change<A, unknown>;
  readonly settle: (result: unknown) => void;
}

/** An account that was not taken from for so long is not read again. */
const USED_MS = 120_000;

/**
 * One account that all replicas share, and this one's part in it. Changes that arrive while a command is in flight go
 * together in the next one. While the store is away they are made to what is known, within this replica's share. Back
 * in reach, until all replicas have merged what they did, changes must fit both the share and what the others left.
 */
export class SharedAccount<A> implements Account {
  private readonly rules: AccountRules<A>;
  private readonly link: StoreLink;
  private readonly members: Members;
  private readonly value: SharedValue<A>;
  private jobs: Job<A>[] = [];
  private last: Promise<void> = Promise.resolve();
  private mergedConnection: number;
  private usedAtMs = Number.NEGATIVE_INFINITY;
  /** As it stood when the others were lost, and when that was. */
  private lost: { readonly seen: A; readonly sinceMs: number } | null = null;

  constructor(name: string, rules: AccountRules<A>, link: StoreLink, members: Members) {
    this.rules = rules;
    this.link = link;
    this.members = members;
    this.value = new SharedValue(link, name, rules);
    this.mergedConnection = link.connection;
  }

  /** See `Account`. None of the three ever rejects. */
  take(request: GrantRequest): Promise<Grant> {
    this.usedAtMs = this.nowMs();
    return this.submit((account, standing) => this.rules.take(account, request, standing));
  }

  land(landing: Landing): Promise<void> {
    return this.submit((account, { nowMs }) => [this.rules.land(account, landing, nowMs), undefined]);
  }

  drop(ids: readonly string[]): Promise<void> {
    return this.submit((account) => [this.rules.drop(account, ids), undefined]);
  }

  /** Reads it if it was used lately, so that little is unknown when it is lost. Over a new connection it is merged. */
  refresh(): Promise<void> {
    return this.inTurn(async () => {
      const nowMs = this.nowMs();
      const isUsed = nowMs - this.usedAtMs <= USED_MS || this.rules.matters(this.value.current, nowMs);
      if (isUsed) await this.whenConnected(() => this.value.update((account) => [account, null]));
    });
  }

  /** From now on the whole of it is used again. */
  share(): void {
    this.lost = null;
  }

  private submit<T>(change: Change<A, T>): Promise<T> {
    return new Promise((resolve) => {
      // Each result goes to the change that it is of.
      this.jobs.push({ change, settle: resolve as (result: unknown) => void });
      if (this.jobs.length === 1) void this.inTurn(() => this.serve());
    });
  }

  /** One after the other, whatever became of the one before. */
  private inTurn(run: () => Promise<void>): Promise<void> {
    this.last = this.last.then(run, run);
    return this.last;
  }

  private async serve(): Promise<void> {
    const jobs = this.jobs;
    this.jobs = [];
    const shared = () => this.value.update((account) => changed(account, jobs, this.whileConnected()));
    const results = (await this.whenConnected(shared)) ?? this.serveApart(jobs);
    for (const [place, { settle }] of jobs.entries()) settle(results[place]);
  }

  private serveApart(jobs: readonly Job<A>[]): unknown[] {
    const standing = { kind: 'local', nowMs: this.nowMs(), fallback: this.fallback() } as const;
    const [account, results] = changed(this.value.current, jobs, standing);
    this.value.current = account;
    return results;
  }

  /** What the store replies; null when it is away. */
  private async whenConnected<T>(run: () => Promise<T>): Promise<T | null> {
    if (!this.link.isTried) return null;
    try {
      if (this.mergedConnection !== this.link.connection) await this.merge();
      return await run();
    } catch {
      this.link.lose();
      return null;
    }
  }

  /** Merges what this replica knows and did into what the store holds. */
  private async merge(): Promise<void> {
    const known = this.value.current;
    const { connection, replica } = this.link;
    this.value.forgetVersion();
    await this.value.update((stored) => [this.rules.merge(stored, known, replica), null]);
    this.mergedConnection = connection;
  }

  private whileConnected(): Standing<A> {
    const nowMs = this.nowMs();
    return this.link.isMerging ? { kind: 'merging', nowMs, fallback: this.fallback() } : { kind: 'shared', nowMs };
  }

  private fallback(): LocalFallback<A> {
    this.lost ??= { seen: this.value.current, sinceMs: this.nowMs() };
    this.link.actApart();
    return { ...this.lost, replica: this.link.replica, replicas: this.members.count() };
  }

  private nowMs(): number {
    return this.link.clock.monotonicMs();
  }
}

/** The account after some changes, and the result of each. */
function changed<A>(from: A, jobs: readonly Job<A>[], standing: Standing<A>): [A, unknown[]] {
  let account = from;
  const results = jobs.map(({ change }) => {
    const [next, result] = change(account, standing);
    account = next;
    return result;
  });
  return [account, results];
}
