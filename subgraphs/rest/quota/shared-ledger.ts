import type { WatchCache } from '../../../schema/caches.js';
import type { AccountRules } from './account.js';
import { createAccounts, type QuotaLedger } from './ledger.js';
import { HEARTBEAT_MS, Members } from './members.js';
import { SharedAccount } from './shared-account.js';
import { StoreLink, type StoreLinkOptions } from './store-link.js';

/**
 * Milliseconds between heartbeats in local fallback and for a while after it: all replicas should share again within
 * two seconds of the store's return, and each waits for the others' heartbeats.
 */
const HEARTBEAT_LOCAL_MS = 400;
const FREQUENT_AFTER_LOCAL_MS = 4000;

interface SharedLedgerOptions extends StoreLinkOptions {
  readonly watchCache?: WatchCache | undefined;
}

/** A shared account with rules of any kind. */
type Opened = Pick<SharedAccount<unknown>, keyof SharedAccount<unknown>>;

/**
 * A ledger that counts calls together with all other replicas. When the store is lost, each replica keeps to its share
 * until all have merged what they did meanwhile.
 */
export function createSharedLedger(options: SharedLedgerOptions): QuotaLedger {
  const { clock, watchCache } = options;
  const link = new StoreLink(options);
  const members = new Members(link);
  const create = <A>(name: string, rules: AccountRules<A>): Opened => new SharedAccount(name, rules, link, members);
  const accounts = createAccounts(clock, create, watchCache);
  let frequentUntilMs = Number.NEGATIVE_INFINITY;
  let closed = false;
  let cancel = () => {};

  async function heartbeat(): Promise<void> {
    try {
      if (link.state === 'local') link.reconnect();
      // This comes first: a heartbeat states that its replica has merged what it did.
      await refresh();
      if (!isLocal()) await members.writeHeartbeat();
      if (link.state === 'merging' && members.allSince(link.mergingSinceMs)) await shareAgain();
    } catch (error) {
      link.lose(error);
    }
    const nowMs = clock.monotonicMs();
    if (link.state !== 'shared') frequentUntilMs = nowMs + FREQUENT_AFTER_LOCAL_MS;
    const pauseMs = nowMs < frequentUntilMs ? HEARTBEAT_LOCAL_MS : HEARTBEAT_MS;
    if (!closed) cancel = clock.after(pauseMs, () => void heartbeat());
  }

  /** Merges what the store lacks, and reads what the others did. */
  async function refresh(): Promise<void> {
    await Promise.all(accounts.all().map((account) => account.refresh()));
  }

  async function shareAgain(): Promise<void> {
    // Reads all accounts first: one that the store lost a moment later would otherwise be taken for a new one.
    await refresh();
    if (isLocal()) return;
    link.enter('shared');
    for (const account of accounts.all()) account.endFallback();
  }

  function isLocal(): boolean {
    return link.state === 'local';
  }

  void heartbeat();
  return {
    isShared: true,
    get isLocalFallback() {
      return link.state !== 'shared';
    },
    open: accounts.open,
    hasRoomFor: accounts.hasRoomFor,
    close() {
      closed = true;
      cancel();
    },
  };
}
