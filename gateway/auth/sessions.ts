import { createHash, randomBytes } from 'node:crypto';
import { Secret } from '../../runtime/credentials/secret.js';
import type { ExactStore } from '../../runtime/stores/exact-store.js';
import type { TokenVault } from './token-vault.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * A session ends after a day without a request, and after thirty days in any case (waste-identity 10.4). They are
 * long because each login leaves one more token at the platform that only the user can revoke (waste-identity 4.2).
 */
export const IDLE_MS = DAY_MS;
export const ABSOLUTE_MS = 30 * DAY_MS;

/** A session's last use is written no more often than this. */
const TOUCH_MS = MINUTE_MS;

/** Whom a session's page may show. */
export interface SessionUser {
  readonly name: string | null;
  readonly email: string | null;
}

export interface Login {
  readonly upstream: string;
  /** Identifier of the user there. */
  readonly subject: string;
  readonly user: SessionUser;
  readonly token: Secret;
}

export interface Session {
  /** Where it is stored: a hash, which is of no use as a cookie. */
  readonly key: string;
  readonly user: SessionUser;
  /** Null once the platform has refused it: the user must log in again. */
  readonly token: Secret | null;
}

export interface Sessions {
  /** Opens a session under a new id, which is for the browser's cookie. */
  open(login: Login): Promise<string>;
  /** The session of an id, which counts as used now; null when there is none any more. */
  find(id: string): Promise<Session | null>;
  /** The key under which the session of this id would be stored. */
  keyOf(id: string): string;
  /** Ends a session and forgets its token. */
  end(key: string): Promise<void>;
  /** Forgets the token of a session and marks it "reconnect": the platform no longer takes it. */
  lose(key: string): Promise<void>;
}

export interface SessionsOptions {
  readonly store: ExactStore;
  readonly vault: TokenVault;
  /** Milliseconds since 1970. */
  now(): number;
}

/** A row as it is stored. The owner is inside `sealed`: reading the store reveals no identifier. */
interface Row {
  readonly openedAt: number;
  readonly upstream: string;
  readonly sealed: string;
  /** Rows of earlier versions have it beside what is sealed. They are sealed again when they are next used. */
  readonly subject?: string;
}

/** Whose a session is: what is sealed in its row. */
interface Owner {
  readonly subject: string;
  readonly user: SessionUser;
}

/**
 * Sessions in a store. The token and the last use of each lie beside the row under keys of their own. So losing a token
 * is one deletion: at no moment is the session away, and no late write of a row brings back one that was ended.
 */
export function createSessions({ store, vault, now }: SessionsOptions): Sessions {
  // What is sealed opens only where it was put, and a token only for its owner. A lost encryption key is a login to be
  // made again.
  const sealRow = (key: string, upstream: string, owner: Owner) => vault.seal(JSON.stringify(owner), [key, upstream]);

  const tokenBinding = (key: string, upstream: string, { subject }: Owner) => [tokenKey(key), upstream, subject];

  async function ownerOf(key: string, row: Row): Promise<Owner | null> {
    if (row.subject !== undefined) return sealAnew(key, row, row.subject);
    const owner = vault.open(row.sealed, [key, row.upstream]);
    // The vault vouches for what this file sealed.
    return owner === null ? null : (JSON.parse(owner) as Owner);
  }

  async function sealAnew(key: string, { openedAt, upstream, sealed }: Row, subject: string): Promise<Owner | null> {
    const user = vault.open(sealed, [key, upstream, subject]);
    if (user === null) return null;
    const owner: Owner = { subject, user: JSON.parse(user) as SessionUser };
    const leftMs = openedAt + ABSOLUTE_MS - now();
    const row: Row = { openedAt, upstream, sealed: sealRow(key, upstream, owner) };
    if (leftMs > 0) await store.set(key, JSON.stringify(row), leftMs);
    return owner;
  }

  async function keepInUse(key: string, usedAt: number): Promise<boolean> {
    const idleMs = now() - usedAt;
    if (!(idleMs <= IDLE_MS)) return false;
    if (idleMs >= TOUCH_MS) await store.set(usedKey(key), String(now()), IDLE_MS);
    return true;
  }

  async function end(key: string): Promise<void> {
    for (const each of [key, tokenKey(key), usedKey(key)]) await store.delete(each);
  }

  return {
    keyOf,
    end,
    async open({ upstream, subject, user, token }) {
      const id = randomBytes(32).toString('base64url');
      const key = keyOf(id);
      const owner: Owner = { subject, user };
      const row: Row = { openedAt: now(), upstream, sealed: sealRow(key, upstream, owner) };
      const sealedToken = vault.seal(token.reveal(), tokenBinding(key, upstream, owner));
      await store.set(usedKey(key), String(now()), IDLE_MS);
      await store.set(tokenKey(key), sealedToken, ABSOLUTE_MS);
      await store.set(key, JSON.stringify(row), ABSOLUTE_MS);
      return id;
    },
    async find(id) {
      const key = keyOf(id);
      const [text, sealedToken, usedAt] = await Promise.all([key, tokenKey(key), usedKey(key)].map(store.get));
      if (text === undefined) return null;
      // Only this file writes under these keys, and the vault vouches for the rest.
      const row = JSON.parse(text) as Row;
      const owner = await ownerOf(key, row);
      if (owner === null || now() - row.openedAt > ABSOLUTE_MS) return null;
      if (!(await keepInUse(key, Number(usedAt)))) {
        await end(key);
        return null;
      }
      const token = sealedToken === undefined ? null : vault.open(sealedToken, tokenBinding(key, row.upstream, owner));
      return { key, user: owner.user, token: token === null ? null : new Secret(token) };
    },
    lose: (key) => store.delete(tokenKey(key)),
  };
}

/** A hash, so that reading the store reveals no session id (waste-identity 10.4). */
function keyOf(id: string): string {
  return `session:${createHash('sha256').update(id).digest('base64url')}`;
}

function tokenKey(key: string): string {
  return `${key}:token`;
}

function usedKey(key: string): string {
  return `${key}:used`;
}
