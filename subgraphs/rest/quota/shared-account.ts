import type { Account, AccountRules, Grant, GrantRequest, Landing, Standing } from './account.js';
import type { Members } from './members.js';
import { SharedValue } from './shared-value.js';
import type { StoreLink } from './store-link.js';

/** Changes an account; also returns a function that reports the result to whoever requested the change. */
type Change<A> = (account: A, standing: Standing<A>) => readonly [A, () => void];

/** An account unused for this long is no longer refreshed. */
const USED_MS = 120_000;
/** Longer than any command to the store takes. */
const COMMAND_MS = 1000;

/**
 * One replica's view of an account that all replicas share. Changes that arrive while a command is in flight go
 * together in the next one. While the store is down, they apply to the last known state, within this replica's share.
 * Once it is back, they must fit both the share and what others left, until all replicas have merged what they did.
 */
export class SharedAccount<A> implements Account {
  private readonly rules: AccountRules<A>;
  private readonly link: StoreLink;
  private readonly members: Members;
  private readonly value: SharedValue<A>;
  private changes: Change<A>[] = [];
  private last: Promise<void> = Promise.resolve();
  private usedAtMs = Number.NEGATIVE_INFINITY;
  /** The account's state when the others were lost, and when that was. */
  private lost: { readonly seen: A; readonly sinceMs: number } | null = null;

  constructor(name: string, rules: AccountRules<A>, link: StoreLink, members: Members) {
    this.rules = rules;
    this.link = link;
    this.members = members;
    this.value = new SharedValue(link, name, rules);
  }

  /** See `Account`. None of the three ever rejects. */
  take(request: GrantRequest): Promise<Grant> {
    this.usedAtMs = this.link.clock.monotonicMs();
    return this.submit((account, standing) => this.rules.take(account, request, standing));
  }

  land(landing: Landing): Promise<void> {
    return this.submit((account, { nowMs }) => [this.rules.land(account, landing, nowMs), undefined]);
  }

  drop(ids: readonly string[]): Promise<void> {
    return this.submit((account) => [this.rules.drop(account, ids), undefined]);
  }

  matters(usedWithinMs = COMMAND_MS): boolean {
    const nowMs = this.link.clock.monotonicMs();
    return nowMs - this.usedAtMs <= usedWithinMs || this.rules.matters(this.value.current, nowMs);
  }

  /** Reads it if it was used lately, so that its state is recent if the store is lost; merges it after a reconnect. */
  refresh(): Promise<void> {
    return this.inTurn(async () => {
      if (this.matters(USED_MS)) await this.updateStored((account) => account);
    });
  }

  /** From now on, the whole account may be used again. */
  endFallback(): void {
    this.lost = null;
  }

  private submit<T>(change: (account: A, standing: Standing<A>) => readonly [A, T]): Promise<T> {
    return new Promise((resolve) => {
      this.changes.push((account, standing) => {
        const [next, result] = change(account, standing);
        return [next, () => resolve(result)];
      });
      if (this.changes.length === 1) void this.inTurn(() => this.serve());
    });
  }

  /** Runs one at a time, even if the one before failed. */
  private inTurn(run: () => Promise<void>): Promise<void> {
    this.last = this.last.then(run, run);
    return this.last;
  }

  private async serve(): Promise<void> {
    const changes = this.changes;
    this.changes = [];
    let reports: (() => void)[] = [];
    const apply = (account: A) => {
      const standing = this.standing();
      reports = [];
      return changes.reduce((last, change) => {
        const [next, report] = change(last, standing);
        reports.push(report);
        return next;
      }, account);
    };
    if (!(await this.updateStored(apply))) {
      this.link.enter('local');
      this.value.current = apply(this.value.current);
    }
    for (const report of reports) report();
  }

  /** Whether the store accepted the change. */
  private async updateStored(change: (account: A) => A): Promise<boolean> {
    if (this.link.state === 'local') return false;
    try {
      await this.value.update(change);
      return true;
    } catch (error) {
      this.link.lose(error);
      return false;
    }
  }

  private standing(): Standing<A> {
    const { clock, replica, state } = this.link;
    const nowMs = clock.monotonicMs();
    if (state === 'new' || state === 'shared') return { kind: 'shared', nowMs };
    this.lost ??= { seen: this.value.current, sinceMs: nowMs };
    return { kind: state, nowMs, fallback: { ...this.lost, replica, replicas: this.members.count() } };
  }
}
