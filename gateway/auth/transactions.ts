import { createHash, randomBytes } from 'node:crypto';
import type { ExactStore } from '../../runtime/stores/exact-store.js';
import type { TokenVault } from './token-vault.js';

/** How long a login may take: the lifetime of a code (waste-identity 12.8.1). */
export const LOGIN_MS = 10 * 60_000;

/** What is stored between the start and the end of a login (waste-identity 10.1). */
export interface Transaction {
  /** The platform: its response is accepted at its own callback only. */
  readonly upstream: string;
  readonly state: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  /** Local path or page of an allowed origin, already checked. */
  readonly returnTo: string;
  /** Key of the browser's previous session, which ends when the login succeeds, against session fixation. */
  readonly replaces: string | null;
}

/** Pending logins, each for one browser and one use. */
export interface Transactions {
  /** Stores a login; returns its id for the browser's cookie. */
  start(transaction: Transaction): Promise<string>;
  /**
   * Removes the login with this state and one of these ids from the store, so that it can be used only once. Null if
   * there is none or it has expired. A wrong state consumes nothing.
   */
  take(ids: readonly string[], state: string, upstream: string): Promise<{ id: string; login: Transaction } | null>;
}

/** What transactions are created from. */
export interface TransactionsOptions {
  readonly store: ExactStore;
  readonly vault: TokenVault;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Creates transactions in a store, keyed by a hash of browser id, state and platform: only a request with all three
 * finds one, in a single look-up whose timing reveals nothing (waste-identity 10.2).
 */
export function createTransactions({ store, vault, now }: TransactionsOptions): Transactions {
  return {
    async start(transaction) {
      const id = randomBytes(32).toString('base64url');
      const key = keyOf(id, transaction.state, transaction.upstream);
      const text = JSON.stringify({ ...transaction, startedAt: now() });
      await store.set(key, vault.seal(text, [key]), LOGIN_MS);
      return id;
    },
    async take(ids, state, upstream) {
      for (const id of ids) {
        const key = keyOf(id, state, upstream);
        const sealed = await store.take(key);
        const text = sealed === undefined ? null : vault.open(sealed, [key]);
        if (text === null) continue;
        // The vault only opens what `start` sealed.
        const { startedAt, ...login } = JSON.parse(text) as Transaction & { readonly startedAt: number };
        return now() - startedAt <= LOGIN_MS ? { id, login } : null;
      }
      return null;
    },
  };
}

function keyOf(id: string, state: string, upstream: string): string {
  return `login:${createHash('sha256')
    .update(JSON.stringify([id, state, upstream]))
    .digest('base64url')}`;
}
