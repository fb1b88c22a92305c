import { createHash, randomBytes } from 'node:crypto';
import type { ExactStore } from '../../runtime/exact-store.js';
import { Secret } from '../../runtime/secret.js';
import type { TokenVault } from './token-vault.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * A session ends after a day without a request, and after thirty days in any case (waste-identity 10.4, D7). They are
 * long because each login leaves one more token at the platform that nobody but the user can revoke (4.2).
 */
export const IDLE_MS = DAY_MS;
export const ABSOLUTE_MS = 30 * DAY_MS;

/** A session's last use is written at most so often. */
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
  /** Where it is stored: a hash, with which nobody can come back. */
  readonly key: string;
  readonly user: SessionUser;
  /** Null once the platform has refused it: the user must log in again. */
  readonly token: Secret | null;
}

export interface Sessions {
  /** Opens a session under a new id, which is for the browser's cookie. */
  open(login: Login): Promise<string>;
  /** The session of an id, which counts as used now; null when there is none (any more). */
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

/** A row as it is stored. Whose it is, and the token, lie in `sealed`. */
interface Row {
  readonly openedAt: number;
  readonly upstream: string;
  readonly subject: string;
  readonly sealed: string;
}

interface Sealed {
  readonly user: SessionUser;
  readonly token: string | null;
}

/**
 * Sessions in a store. The row is written once; the last use lies beside it under a key of its own, and a lost token
 * takes the whole row away first: so no late write brings a session back that was ended meanwhile.
 */
export function createSessions({ store, vault, now }: SessionsOptions): Sessions {
  const bindingOf = (key: string, { upstream, subject }: Pick<Row, 'upstream' | 'subject'>) => [key, upstream, subject];

  async function read(key: string): Promise<{ row: Row; sealed: Sealed } | null> {
    const text = await store.get(key);
    return text === undefined ? null : open(key, text);
  }

  /** The row, where it is whole, of this key, and not too old. A lost encryption key is a login to be made again (F2). */
  function open(key: string, text: string): { row: Row; sealed: Sealed } | null {
    // Only this file writes under these keys, and the vault vouches for the rest.
    const row = JSON.parse(text) as Row;
    const opened = vault.open(row.sealed, bindingOf(key, row));
    if (opened === null || now() - row.openedAt > ABSOLUTE_MS) return null;
    return { row, sealed: JSON.parse(opened) as Sealed };
  }

  async function write(key: string, row: Omit<Row, 'sealed'>, sealed: Sealed): Promise<void> {
    const text = JSON.stringify({ ...row, sealed: vault.seal(JSON.stringify(sealed), bindingOf(key, row)) });
    await store.set(key, text, Math.max(1, row.openedAt + ABSOLUTE_MS - now()));
  }

  async function isInUse(key: string): Promise<boolean> {
    const usedAt = Number((await store.get(usedKey(key))) ?? Number.NaN);
    const idleMs = now() - usedAt;
    if (!(idleMs <= IDLE_MS)) return false;
    if (idleMs >= TOUCH_MS) await store.set(usedKey(key), String(now()), IDLE_MS);
    return true;
  }

  async function end(key: string): Promise<void> {
    await store.delete(key);
    await store.delete(usedKey(key));
  }

  return {
    keyOf,
    end,
    async open({ upstream, subject, user, token }) {
      const id = randomBytes(32).toString('base64url');
      const key = keyOf(id);
      await store.set(usedKey(key), String(now()), IDLE_MS);
      await write(key, { openedAt: now(), upstream, subject }, { user, token: token.reveal() });
      return id;
    },
    async find(id) {
      const key = keyOf(id);
      const found = await read(key);
      if (found === null) return null;
      if (!(await isInUse(key))) {
        await end(key);
        return null;
      }
      const { user, token } = found.sealed;
      return { key, user, token: token === null ? null : new Secret(token) };
    },
    async lose(key) {
      const text = await store.take(key);
      const found = text === undefined ? null : open(key, text);
      if (found === null) return;
      const { openedAt, upstream, subject } = found.row;
      await write(key, { openedAt, upstream, subject }, { ...found.sealed, token: null });
    },
  };
}

/** Who reads the store learns no id (D8). */
function keyOf(id: string): string {
  return `session:${createHash('sha256').update(id).digest('base64url')}`;
}

function usedKey(key: string): string {
  return `${key}:used`;
}
