import type { Account, AccountRules, Grant, GrantRequest, Landing, LocalFallback, Standing } from './account.js';
import type { Members } from './members.js';
import { SharedValue } from './shared-value.js';
import type { StoreLink } from './store-link.js';

/** A change of an account that waits for its turn. */
interface Job<A> {
  apply(account: A, standing: Standing<A>): A;
  /** Reports the result of the last `apply` to the caller. */
  settle(): void;
}

/** An account that nobody took from for this long is not read again. */
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
  private usedAtMs = Number.NEGATIVE_INFINITY;
  /** As it stood when the others were lost, and when that was. */
  private lost: { readonly seen: A; readonly sinceMs: number } | null = null;

  constructor(name: string, rules: AccountRules<A>, link: StoreLink, members: Members) {
    this.rules = rules;
    this.link = link;
    this.members = members;
    this.value = new SharedValue(link, name, rules);
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
      if (isUsed) await this.updateShared((account) => account);
    });
  }

  /** From now on the whole of it is used again. */
  share(): void {
    this.lost = null;
  }

  private submit<T>(change: (account: A, standing: Standing<A>) => readonly [A, T]): Promise<T> {
    return new Promise((resolve) => {
      let result: T;
      const apply: Job<A>['apply'] = (account, standing) => {
        const [next, value] = change(account, standing);
        result = value;
        return next;
      };
      this.jobs.push({ apply, settle: () => resolve(result) });
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
    const apply = (account: A, standing: Standing<A>) => jobs.reduce((last, job) => job.apply(last, standing), account);
    const isShared = await this.updateShared((account) => apply(account, this.whileConnected()));
    if (!isShared) this.value.current = apply(this.value.current, { kind: 'local', ...this.apart() });
    for (const { settle } of jobs) settle();
  }

  /** Whether the store took the change. */
  private async updateShared(change: (account: A) => A): Promise<boolean> {
    if (!this.link.isTried) return false;
    try {
      await this.value.update(change);
      return true;
    } catch {
      this.link.lose();
      return false;
    }
  }

  private whileConnected(): Standing<A> {
    // At the first contact there is nothing to merge.
    const isMerging = this.link.hasConnected && this.link.apartSinceMs !== null;
    return isMerging ? { kind: 'merging', ...this.apart() } : { kind: 'shared', nowMs: this.nowMs() };
  }

  private apart(): { readonly nowMs: number; readonly fallback: LocalFallback<A> } {
    const nowMs = this.nowMs();
    this.lost ??= { seen: this.value.current, sinceMs: nowMs };
    this.link.actApart();
    return { nowMs, fallback: { ...this.lost, replica: this.link.replica, replicas: this.members.count() } };
  }

  private nowMs(): number {
    return this.link.clock.monotonicMs();
  }
}
