import type { WatchCache } from '../../../schema/caches.js';
import type { AccountRules } from './account.js';
import { createAccounts, type QuotaBook } from './book.js';
import { HEARTBEAT_APART_MS, HEARTBEAT_MS, Members } from './members.js';
import { SharedAccount } from './shared-account.js';
import { StoreLink, type StoreLinkOptions } from './store-link.js';

/** So long after it counted apart its heartbeats stay frequent: the others may still wait for them. */
const FREQUENT_AFTER_APART_MS = 4000;

interface SharedBookOptions extends StoreLinkOptions {
  readonly watchCache?: WatchCache | undefined;
}

/** A shared account, whatever it is the account of. */
type Opened = Pick<SharedAccount<unknown>, keyof SharedAccount<unknown>>;

/**
 * Counts calls together with all other replicas. When the store is lost, each keeps to its share, until all have merged
 * what they did meanwhile.
 */
export function createSharedBook(options: SharedBookOptions): QuotaBook {
  const { clock, watchCache } = options;
  const link = new StoreLink(options);
  const members = new Members(link);
  const accounts = createAccounts(
    <A>(name: string, rules: AccountRules<A>): Opened => new SharedAccount(name, rules, link, members),
    watchCache,
  );
  let frequentUntilMs = Number.NEGATIVE_INFINITY;
  let closed = false;
  let cancel = () => {};

  async function heartbeat(): Promise<void> {
    try {
      // This comes first: a heartbeat says that its replica has merged what it did.
      await refresh();
      if (link.isTried) {
        await members.writeHeartbeat();
        await shareAgain();
      }
    } catch {
      link.lose();
    }
    const nowMs = clock.monotonicMs();
    if (link.apartSinceMs !== null) frequentUntilMs = nowMs + FREQUENT_AFTER_APART_MS;
    const pauseMs = nowMs < frequentUntilMs ? HEARTBEAT_APART_MS : HEARTBEAT_MS;
    if (!closed) cancel = clock.after(pauseMs, () => void heartbeat());
  }

  /** Merges what the store misses, and reads what the others did. */
  async function refresh(): Promise<void> {
    if (!link.isTried) link.reconnect();
    await Promise.all(accounts.all().map((account) => account.refresh()));
  }

  async function shareAgain(): Promise<void> {
    if (link.apartSinceMs === null || !members.allSince(link.apartSinceMs)) return;
    // Sees all of it first: an account that is lost a moment later would be taken for a new one.
    await refresh();
    if (!link.isTried) return;
    link.share();
    for (const account of accounts.all()) account.share();
  }

  void heartbeat();
  return {
    shared: true,
    get apart() {
      return link.apartSinceMs !== null;
    },
    open: accounts.open,
    close() {
      closed = true;
      cancel();
    },
  };
}
