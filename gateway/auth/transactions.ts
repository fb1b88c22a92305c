import { createHash, randomBytes } from 'node:crypto';
import type { ExactStore } from '../../runtime/stores/exact-store.js';
import type { TokenVault } from './token-vault.js';

/** How long a login may take: as long as a code lives (waste-identity 12.8.1). */
export const LOGIN_MS = 10 * 60_000;

/** What must be remembered between the start of a login and its end (waste-identity 10.1). */
export interface Transaction {
  /** Which platform the login goes to: its answer is accepted at that platform's callback only. */
  readonly upstream: string;
  readonly state: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  /** Local path, already checked. */
  readonly returnTo: string;
  /** Key of the session that the browser had; it ends when the login succeeds, against session fixation. */
  readonly replaces: string | null;
}

/** Logins under way, each for one browser and for one use. */
export interface Transactions {
  /** Remembers a login; the id is for the browser's cookie. */
  begin(transaction: Transaction): Promise<string>;
  /**
   * The login that one of these ids and this state belong to, and forgets it: whatever comes of it, it is used. Null
   * when there is none any more. A wrong state consumes nothing.
   */
  take(ids: readonly string[], state: string, upstream: string): Promise<{ id: string; login: Transaction } | null>;
}

export interface TransactionsOptions {
  readonly store: ExactStore;
  readonly vault: TokenVault;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Logins in a store, each under the hash of browser, state and platform together: only a request that has all three
 * finds it, in one look-up whose time reveals nothing (waste-identity 10.2).
 */
export function createTransactions({ store, vault, now }: TransactionsOptions): Transactions {
  return {
    async begin(transaction) {
      const id = randomBytes(32).toString('base64url');
      const key = keyOf(id, transaction.state, transaction.upstream);
      const text = JSON.stringify({ ...transaction, beganAt: now() });
      await store.set(key, vault.seal(text, [key]), LOGIN_MS);
      return id;
    },
    async take(ids, state, upstream) {
      for (const id of ids) {
        const key = keyOf(id, state, upstream);
        const sealed = await store.take(key);
        const text = sealed === undefined ? null : vault.open(sealed, [key]);
        if (text === null) continue;
        // The vault gives out only what `begin` wrote.
        const { beganAt, ...login } = JSON.parse(text) as Transaction & { readonly beganAt: number };
        return now() - beganAt <= LOGIN_MS ? { id, login } : null;
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
