import type { Clock } from '../ports/clock.js';
import type { QuotaStore } from '../ports/quota-store.js';
import type { AccountRules } from './account.js';
import { createAccounts, type QuotaBook } from './book.js';
import { watchMembers } from './members.js';
import { createSharedAccount, type Link, type SharedAccount } from './shared-account.js';
import { createSharedValue, type SharedValue, StoreLost, type ValueKind } from './shared-value.js';

export interface SharedBookOptions {
  readonly store: QuotaStore;
  readonly clock: Clock;
  /** Mark of the service and its address: replicas that ask another one are none of ours. */
  readonly service: string;
  /** Another one for each process. */
  readonly replica: string;
}

/**
 * Counts calls together with all other replicas. When the store is lost, each keeps to its share, until all have told it
 * what they did meanwhile.
 */
export function createSharedBook({ store, clock, service, replica }: SharedBookOptions): QuotaBook {
  let mark: string | null = null;
  let connected = true;
  let connection = 0;
  let hasMet = false;
  /** Since when it has been in reach again, or away; null while the whole is shared. */
  let apartSinceMs: number | null = null;
  let versions = 0;

  function openValue<V>(key: string, kind: ValueKind<V>): SharedValue<V> {
    return createSharedValue(kind, {
      clock,
      async compareAndSet(change) {
        const known = mark;
        const held = await retryIdempotent(() => store.compareAndSet(service, key, { ...change, mark: known }));
        if (held.mark !== (known ?? held.mark)) throw new StoreLost();
        mark ??= held.mark;
        if (!hasMet) meet();
        return held;
      },
      newVersion() {
        versions += 1;
        return `${replica}.${versions.toString(36)}`;
      },
    });
  }

  const link: Link = {
    replica,
    get connected() {
      return connected;
    },
    get connection() {
      return connection;
    },
    get apart() {
      return apartSinceMs !== null;
    },
    get hasMet() {
      return hasMet;
    },
    replicas: () => members.count(),
    lose() {
      // Before the first meeting everything that is asked tries the store: it may be there a moment late.
      connected = !hasMet;
      apartSinceMs ??= clock.monotonicMs();
    },
  };
  const accounts = createAccounts(<A>(name: string, rules: AccountRules<A>): SharedAccount => {
    const kind = { ...rules, withOwn: (stored: A, known: A) => rules.withOwn(stored, known, replica) };
    return createSharedAccount({ rules, value: openValue(name, kind), link, clock });
  });
  const members = watchMembers({ replica, clock, link, openValue, beforeBeat, afterBeat });

  /** The store is there for the first time: who has done nothing yet shares at once. */
  function meet(): void {
    hasMet = true;
    const hasActed = accounts.all().some(({ actedApart }) => actedApart);
    if (hasActed) connection += 1;
    apartSinceMs = hasActed ? clock.monotonicMs() : null;
  }

  /** Tells the store what it misses, and reads what the others did. */
  async function beforeBeat(): Promise<void> {
    if (!connected) {
      mark = null;
      connected = true;
      connection += 1;
      apartSinceMs = clock.monotonicMs();
    }
    await Promise.all(accounts.all().map((account) => account.refresh()));
  }

  async function afterBeat(): Promise<void> {
    if (apartSinceMs === null || !members.allSince(apartSinceMs)) return;
    // Sees all of it first: an account that is lost a moment later would be taken for a new one.
    await beforeBeat();
    if (!connected) return;
    apartSinceMs = null;
    for (const account of accounts.all()) account.share();
  }

  return {
    shared: true,
    get apart() {
      return link.apart;
    },
    open: accounts.open,
    close: () => members.close(),
  };
}

/**
 * One late answer is no loss: a replica that counted apart for it would spend what the others spend too. After as many
 * the guard takes the server for gone, and says so at once from then on.
 */
const TRIES = 3;

/** What a command answers that may run several times, tried again when no answer came. Rejects with the last failure. */
async function retryIdempotent<T>(command: () => Promise<T>, tries = TRIES): Promise<T> {
  try {
    return await command();
  } catch (error) {
    if (tries === 1) throw error;
    return retryIdempotent(command, tries - 1);
  }
}
